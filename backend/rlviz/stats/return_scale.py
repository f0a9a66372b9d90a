"""ReturnScale: puts the returns of runs in several environments on one scale.

Returns of different environments are not comparable: 200 is a good landing, but poor for balancing a pole. So they
are normalised before averaging: 0 is the return of random actions, 1 the threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rlviz.stats.experiments.across import NormalisedEnvironment, describe_normalisation
from rlviz.stats.experiments.trials import Scale

APART = (
    "Returns of different environments are not comparable: the groups are not on one scale, and their order means "
    "nothing."
)
UNEQUAL = "The groups do not have the same environments, and some may be harder than others."


@dataclass(frozen=True)
class Place:
    """An environment with its options. ``scale`` is None if its returns cannot be normalised."""

    title: str
    env_id: str
    scale: Scale | None


@dataclass(frozen=True)
class ReturnScale:
    """The scale of a set of runs.

    Attributes:
        places: Number of runs per environment, largest first.
        is_normalised: Whether returns are normalised.
        notes: Sentences about what that means.
    """

    places: Mapping[Place, int]
    is_normalised: bool
    notes: Sequence[str]

    @property
    def normalised(self) -> list[NormalisedEnvironment]:
        """Return the environments whose returns are normalised; empty if none are."""
        return _normalised(self.places) if self.is_normalised else []

    def returned(self, place: Place, value: float | None) -> float | None:
        """Return a return on this scale; None if there is none, or it cannot be normalised."""
        if value is None or not self.is_normalised:
            return value
        return None if place.scale is None else place.scale.normalised(value)


def return_scale(groups: Iterable[Sequence[Place]], *, by_environment: bool) -> ReturnScale:
    """Return the scale for groups of runs; ``groups`` has the environment of each run.

    With ``by_environment`` the user groups by environment; returns then stay unscaled if each group has only one
    environment.
    """
    ours = [Counter(group) for group in groups]
    total: Counter[Place] = sum(ours, Counter())
    places = dict(sorted(total.items(), key=lambda one: (-one[1], one[0].title)))
    if len(places) < 2:
        return ReturnScale(places, is_normalised=False, notes=[])
    if by_environment and all(len(group) < 2 for group in ours):
        return ReturnScale(places, is_normalised=False, notes=[APART])
    known = _normalised(places)
    notes = [describe_normalisation(known)] if known else []
    notes += [
        f"{count} {'run' if count == 1 else 'runs'} of {place.title} {'is' if count == 1 else 'are'} left out: it has "
        "no threshold, or the return of random actions is unknown, so its returns cannot be normalised."
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
