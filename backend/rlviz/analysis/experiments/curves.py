"""Learning curves of each variant's seeds as one, with a band, on a grid that all variants share."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from pydantic import Field

from rlviz.analysis.arrays import Floats
from rlviz.analysis.comparison import AlignedCurves, Episodes, aligned_curves
from rlviz.analysis.experiments.made import Frozen, Made, made_of_curve, numbers, returns_of_training
from rlviz.analysis.experiments.trials import LearningCurve, Setting, Trial
from rlviz.analysis.statistics import banded_curve
from rlviz.analysis.statistics.banded_curve import BAND_RESAMPLES, far_enough, why_not_all
from rlviz.domain.limits import DEFAULT_WINDOW

GRID_POINTS = 200
MOST_CURVES = 20
VALUES_DRAWN = 40_000_000
FEWEST_DRAWN = 200
"""Values that the bands of all curves draw together, about, and resamples of each at least, so that a thousand trials
take no longer than a moment."""

TRAINING_WINDOW = DEFAULT_WINDOW
"""Episodes in the moving average, where curves are those of training."""


class VariantCurve(Frozen):
    """Lists over ``step`` of all curves; null where not all seeds of the curve have a value."""

    variant: str
    seeds: int = Field(description="Seeds that the curve is of.")
    iqm: list[float | None] = Field(description="Interquartile mean of these seeds.")
    low: list[float | None] = Field(description="Its 95 % interval, at each step; null for fewer than two seeds.")
    high: list[float | None]
    count: list[int] = Field(description="Seeds that the value is of; 0 where there is none.")
    ends: list[float] = Field(description="The last step of each seed with a curve, ascending.")
    note: str | None = Field(
        description="Says where the curve stops before some of its seeds did, and which seeds are not in it."
    )
    made: Made


class Curves(Frozen):
    """Learning curves. A value holds from its step to the next one of its seed. A curve stops at the last step that all
    of its seeds have reached."""

    source: str = Field(
        description=f"evaluation: of the greedy policy; training: moving average of {TRAINING_WINDOW} episodes."
    )
    step: list[float]
    variants: list[VariantCurve] = Field(description="From best to worst.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 20.")

    def of(self, variants: Collection[str]) -> Curves:
        """Those of some variants, up to the last step at which one of them has a value."""
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
    """``ranked``: ids of variants, those first that are to be shown if there are too many. ``one``: what a trial is
    called."""
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
    """What is on no grid yet, as the function takes it that puts returns of episodes on one."""
    return Episodes(curve.step, curve.step, curve.value)


def _together(trials: Sequence[Trial]) -> list[Trial]:
    """Those that make up the curve."""
    chosen = far_enough([_end(one) for one in trials], [not one.ended for one in trials])
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
    """``trials``: those that make up the curve, of all ``with_curve``, of ``everyone``."""
    found = banded_curve(np.array([grid.values[one.run_id] for one in trials]), resamples=resamples)
    ends, seeds = np.array([_end(one) for one in trials]), len(trials)
    what = "greedy evaluations while it trained" if setting.greedy_curves else returns_of_training(TRAINING_WINDOW)
    return VariantCurve(
        variant=variant,
        seeds=seeds,
        iqm=numbers(found.iqm),
        low=numbers(found.low),
        high=numbers(found.high),
        count=found.count.tolist(),
        ends=sorted(map(_end, with_curve)),
        note=_note(ends, len(with_curve), everyone, one),
        made=made_of_curve(what, seeds, resamples),
    )


def _end(trial: Trial) -> float:
    return float(trial.curve.step[-1]) if trial.curve is not None and len(trial.curve.step) else 0.0


def _note(ends: Floats, known: int, everyone: Sequence[Trial], one: str) -> str | None:
    """Why the curve of a variant is not of all its seeds, or shorter than some. ``ends``: the last step of each of its
    seeds; ``known``: seeds with a curve."""
    sentences, total = [], len(everyone)
    if known < total:
        has, yet = "has" if total - known == 1 else "have", " yet" if any(not trial.ended for trial in everyone) else ""
        sentences.append(f"{total - known} of {total} {one}s {has} no curve{yet}.")
    return " ".join([*sentences, *why_not_all(ends, known - len(ends), one=one)]) or None
