"""ReturnScale: on what scale the returns of many runs are put together.

Returns of different environments mean different things: 200 is a good landing, and little for balancing a pole. So they
are never averaged as they are. Of runs in several environments each return is normalised first: 0 is what random
actions earn in its environment, 1 the threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rlviz.stats.experiments.across import NormalisedEnvironment, normalisation
from rlviz.stats.experiments.trials import Scale

APART = (
    "Returns of different environments mean different things: the groups are not on one scale, and their order says "
    "nothing."
)
UNEQUAL = "Not all groups have runs of the same environments, some of which may be harder than others."


@dataclass(frozen=True)
class Place:
    """An environment with its options. ``scale``: None where its returns cannot be normalised."""

    title: str
    env_id: str
    scale: Scale | None


@dataclass(frozen=True)
class ReturnScale:
    """``places``: the environments of the runs with how many runs each has, those with the most first.
    ``is_normalised``: whether returns are normalised; otherwise they are as they are. ``notes``: sentences on what that
    means."""

    places: Mapping[Place, int]
    is_normalised: bool
    notes: Sequence[str]

    @property
    def normalised(self) -> list[NormalisedEnvironment]:
        """The environments whose returns are normalised; none where returns are as they are."""
        return _normalised(self.places) if self.is_normalised else []

    def returned(self, place: Place, value: float | None) -> float | None:
        """A return on this scale; None where there is none, or it cannot be normalised."""
        if value is None or not self.is_normalised:
            return value
        return None if place.scale is None else place.scale.normalised(value)


def return_scale(groups: Iterable[Sequence[Place]], *, by_environment: bool) -> ReturnScale:
    """The scale for groups of runs, of which ``groups`` has the environment of each run.

    ``by_environment``: whether the groups were asked for by environment. Then returns stay as they are if each group
    is of one environment.
    """
    ours = [Counter(group) for group in groups]
    total: Counter[Place] = sum(ours, Counter())
    places = dict(sorted(total.items(), key=lambda one: (-one[1], one[0].title)))
    if len(places) < 2:
        return ReturnScale(places, is_normalised=False, notes=[])
    if by_environment and all(len(group) < 2 for group in ours):
        return ReturnScale(places, is_normalised=False, notes=[APART])
    known = _normalised(places)
    notes = [normalisation(known)] if known else []
    notes += [
        f"{count} {'run' if count == 1 else 'runs'} of {place.title} {'is' if count == 1 else 'are'} left out: it has "
        "no threshold, or it is not known what random actions earn there, so that its returns cannot be normalised."
        for place, count in places.items()
        if place.scale is None
    ]
    kinds = {frozenset(place for place in group if place.scale is not None) for group in ours} - {frozenset()}
    if len(kinds) > 1:
        notes.append(UNEQUAL)
    return ReturnScale(places, is_normalised=True, notes=notes)


def _normalised(places: Iterable[Place]) -> list[NormalisedEnvironment]:
    return [
        NormalisedEnvironment(
            environment=place.title, random_return=place.scale.random, threshold=place.scale.threshold
        )
        for place in places
        if place.scale is not None
    ]
