"""Learning curves over seeds, one per variant with a band, on a grid that all variants share; and performance
profiles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from pydantic import Field

from rlviz.domain.lazy_model import Frozen
from rlviz.domain.limits import DEFAULT_WINDOW
from rlviz.stats.arrays import Floats
from rlviz.stats.comparison import AlignedCurves, Episodes, aligned_curves
from rlviz.stats.experiments.trials import (
    AGARWAL,
    LearningCurve,
    Made,
    Setting,
    Trial,
    made_of_curve,
    resamples_for,
    returns_of_training,
    to_json_numbers,
)
from rlviz.stats.seeds import (
    BAND_RESAMPLES,
    CONFIDENCE,
    PROFILE_RESAMPLES,
    banded_curve,
    explain_curve,
    has_interval,
    performance_profile,
    select_far_enough,
)

GRID_POINTS = 200
MOST_CURVES = 20
VALUES_DRAWN = 40_000_000
FEWEST_DRAWN = 200
"""Approximate number of values that the bands of all curves draw together, and minimum resamples of each, so that a
thousand trials take only a moment."""

TRAINING_WINDOW = DEFAULT_WINDOW
"""Episodes in the moving average of training curves."""


class VariantCurve(Frozen):
    """The curve of a variant. Lists over ``step`` of all curves; null where not all seeds of the curve have a value."""

    variant: str
    seeds: int = Field(description="Number of seeds in the curve.")
    iqm: list[float | None] = Field(description="Interquartile mean of these seeds.")
    low: list[float | None] = Field(description="Its 95 % interval, at each step; null for fewer than two seeds.")
    high: list[float | None]
    count: list[int] = Field(description="Number of seeds in the value; 0 without a value.")
    ends: list[float] = Field(description="Last step of each seed with a curve, ascending.")
    note: str | None = Field(description="Explains if the curve stops before some of its seeds, or leaves seeds out.")
    made: Made


class Curves(Frozen):
    """Learning curves. A value holds until the next step of its seed. A curve stops at the last step that all of its
    seeds reached."""

    source: str = Field(
        description=f"evaluation: evaluations during training; training: moving average of {TRAINING_WINDOW} episodes."
    )
    step: list[float]
    variants: list[VariantCurve] = Field(description="From best to worst.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 20.")

    def select(self, variants: Collection[str]) -> Curves:
        """Return the curves of some variants, up to the last step with a value."""
        ours = [one for one in self.variants if one.variant in variants]
        last = max((place for one in ours for place, count in enumerate(one.count) if count), default=-1) + 1
        cut = [
            one.model_copy(
                update={name: getattr(one, name)[:last] for name in ("iqm", "low", "high", "count")},
            )
            for one in ours
        ]
        return self.model_copy(update={"step": self.step[:last], "variants": cut})


def learning_curves(trials: Sequence[Trial], setting: Setting, ranked: Sequence[str], one: str = "seed") -> Curves:
    """Return the curve of each variant.

    Args:
        trials: The trials.
        setting: What results are made from.
        ranked: Ids of variants; if there are too many, the first ones are shown.
        one: Word for a trial in sentences.
    """
    shown = ranked[:MOST_CURVES]
    drawn = {variant: [one for one in trials if one.variant == variant and one.curve is not None] for variant in shown}
    together = {variant: _together(ours) for variant, ours in drawn.items() if ours}
    known = {one.run_id: _as_episodes(one.curve) for ours in together.values() for one in ours if one.curve is not None}
    last = max((min(map(_end, ours)) for ours in together.values()), default=0.0)
    grid = aligned_curves(known, window=1, max_points=GRID_POINTS, until=last)
    resamples = int(np.clip(VALUES_DRAWN // max(len(known) * len(grid.step), 1), FEWEST_DRAWN, BAND_RESAMPLES))
    everyone = {variant: [one for one in trials if one.variant == variant] for variant in shown}
    return Curves(
        source="evaluation" if setting.greedy_curves else "training",
        step=grid.step.tolist(),
        variants=[
            _of_variant(variant, ours, drawn[variant], everyone[variant], grid, setting, resamples, one)
            for variant, ours in together.items()
        ],
        left_out=list(ranked[MOST_CURVES:]),
    )


def _as_episodes(curve: LearningCurve) -> Episodes:
    """Return a curve in the form that ``aligned_curves`` takes."""
    return Episodes(curve.step, curve.step, curve.value)


def _together(trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials that make up the curve."""
    chosen = select_far_enough([_end(one) for one in trials], [not one.ended for one in trials])
    return [one for one, is_chosen in zip(trials, chosen, strict=True) if is_chosen]


def _of_variant(
    variant: str,
    trials: Sequence[Trial],
    with_curve: Sequence[Trial],
    everyone: Sequence[Trial],
    grid: AlignedCurves,
    setting: Setting,
    resamples: int,
    one: str,
) -> VariantCurve:
    """Return the curve of ``trials``, which are part of those ``with_curve``, which are part of ``everyone``."""
    found = banded_curve(np.array([grid.values[one.run_id] for one in trials]), resamples=resamples)
    ends, seeds = np.array([_end(one) for one in trials]), len(trials)
    what = "evaluations while it trained" if setting.greedy_curves else returns_of_training(TRAINING_WINDOW)
    return VariantCurve(
        variant=variant,
        seeds=seeds,
        iqm=to_json_numbers(found.iqm),
        low=to_json_numbers(found.low),
        high=to_json_numbers(found.high),
        count=found.count.tolist(),
        ends=sorted(map(_end, with_curve)),
        note=_note(ends, len(with_curve), everyone, one),
        made=made_of_curve(what, seeds, resamples),
    )


def _end(trial: Trial) -> float:
    return float(trial.curve.step[-1]) if trial.curve is not None and len(trial.curve.step) else 0.0


def _note(ends: Floats, known: int, everyone: Sequence[Trial], one: str) -> str | None:
    """Return why the curve of a variant leaves out seeds or ends early. ``ends``: last step of each seed in the curve;
    ``known``: number of seeds with a curve."""
    sentences, total = [], len(everyone)
    if known < total:
        has, yet = "has" if total - known == 1 else "have", " yet" if any(not trial.ended for trial in everyone) else ""
        sentences.append(f"{total - known} of {total} {one}s {has} no curve{yet}.")
    return " ".join([*sentences, *explain_curve(ends, known - len(ends), one=one)]) or None


PROFILE_VALUES = 101
"""Number of values at which profiles are computed, if there are more scores."""

MOST_PROFILES = 20
FEWEST_RESAMPLES = 500
"""Minimum resamples of a band, however many scores all profiles have together."""


class VariantProfile(Frozen):
    variant: str
    share: list[float] = Field(description="Share of scores greater than each value.")
    low: list[float | None] = Field(description="Pointwise 95 % band; null for a single score.")
    high: list[float | None]
    made: Made


class Profiles(Frozen):
    """Performance profiles: higher is better; if two cross, neither is better throughout. They are steps: a share holds
    until the next value."""

    value: list[float] = Field(
        description="Returns, or normalised scores of several environments, ascending: the axis of all profiles."
    )
    variants: list[VariantProfile] = Field(description="From best to worst.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 20.")


def performance_profiles(scores: Mapping[str, Sequence[Floats]]) -> Profiles:
    """Return the profiles. ``scores``: by variant, best first; one array of shape (n,) ≥ 1 per environment."""
    ids = list(scores)
    if not ids:
        return Profiles(value=[], variants=[], left_out=[])
    drawn = sum(len(task) for one in ids[:MOST_PROFILES] for task in scores[one])
    resamples = resamples_for(drawn, FEWEST_RESAMPLES, PROFILE_RESAMPLES)
    every = np.concatenate([task for tasks in scores.values() for task in tasks])
    least, most = every.min(), every.max()
    margin = (most - least or max(abs(most), 1.0)) * 0.02
    steps = np.unique(every)  # a profile only changes at scores
    ends = (least - margin, most + margin)
    value = np.linspace(*ends, PROFILE_VALUES) if len(steps) > PROFILE_VALUES else np.array([ends[0], *steps, ends[1]])
    return Profiles(
        value=value.tolist(),
        variants=[_profile(variant, scores[variant], value, resamples) for variant in ids[:MOST_PROFILES]],
        left_out=ids[MOST_PROFILES:],
    )


def _profile(variant: str, scores: Sequence[Floats], value: Floats, resamples: int) -> VariantProfile:
    found = performance_profile(scores, value, resamples=resamples)
    drawn = has_interval(scores)
    of = "return" if len(scores) == 1 else f"normalised score, over {len(scores)} environments,"
    return VariantProfile(
        variant=variant,
        share=found.share.tolist(),
        low=to_json_numbers(found.low),
        high=to_json_numbers(found.high),
        made=Made(
            definition=f"Performance profile: for each {of} the share of seeds whose score is greater, with a "
            "bootstrap band at each value separately.",
            n=sum(map(len, scores)),
            resamples=resamples if drawn else None,
            confidence=CONFIDENCE if drawn else None,
            source=AGARWAL,
        ),
    )
