"""Learning curves of each variant's seeds as one, with a band, on a grid that all variants share."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from pydantic import Field

from rlviz.analysis.arrays import Floats
from rlviz.analysis.comparison import Episodes, aligned_curves
from rlviz.analysis.experiments.made import Frozen, Made, made_of_curve, numbers, returns_of_training
from rlviz.analysis.experiments.trials import AS_LONG, LearningCurve, Setting, Trial
from rlviz.analysis.numbers import brief
from rlviz.analysis.statistics import banded_curve
from rlviz.analysis.statistics.banded_curve import BAND_RESAMPLES
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
    """Lists over ``step`` of all curves; null where no seed of the variant has a value."""

    variant: str
    seeds: int = Field(description="Seeds with a curve.")
    iqm: list[float | None] = Field(description="Interquartile mean of the seeds that have a value there.")
    low: list[float | None] = Field(description="Its 95 % interval, at each step; null for fewer than two seeds.")
    high: list[float | None]
    count: list[int] = Field(description="Seeds that have a value there.")
    ends: list[float] = Field(description="The last step of each seed, ascending.")
    note: str | None = Field(description="Says so where seeds end at different steps, or have no curve.")
    made: Made


class Curves(Frozen):
    """Learning curves. A value holds from its step to the next one of its seed; beyond the last there is none."""

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


def learning_curves(trials: Sequence[Trial], setting: Setting, ranked: Sequence[str]) -> Curves:
    """``ranked``: ids of variants, those first that are to be shown if there are too many."""
    shown = ranked[:MOST_CURVES]
    drawn = {variant: [one for one in trials if one.variant == variant and one.curve is not None] for variant in shown}
    known = {one.run_id: _as_episodes(one.curve) for ours in drawn.values() for one in ours if one.curve is not None}
    grid = aligned_curves(known, window=1, max_points=GRID_POINTS)
    resamples = int(np.clip(VALUES_DRAWN // max(len(known) * len(grid.step), 1), FEWEST_DRAWN, BAND_RESAMPLES))
    everyone = {variant: [one for one in trials if one.variant == variant] for variant in shown}
    return Curves(
        source="evaluation" if setting.greedy_curves else "training",
        step=grid.step.tolist(),
        variants=[
            _of_variant(variant, ours, everyone[variant], [grid.values[one.run_id] for one in ours], setting, resamples)
            for variant, ours in drawn.items()
            if ours
        ],
        left_out=list(ranked[MOST_CURVES:]),
    )


def _as_episodes(curve: LearningCurve) -> Episodes:
    """What is on no grid yet, as the function takes it that puts returns of episodes on one."""
    return Episodes(curve.step, curve.step, curve.value)


def _of_variant(
    variant: str,
    trials: Sequence[Trial],
    everyone: Sequence[Trial],
    values: Sequence[Floats],
    setting: Setting,
    resamples: int,
) -> VariantCurve:
    """``trials``: those with a curve, of ``everyone``."""
    found = banded_curve(np.array(values), resamples=resamples)
    ends = sorted(float(one.curve.step[-1]) for one in trials if one.curve is not None and len(one.curve.step))
    what = "greedy evaluations while it trained" if setting.greedy_curves else returns_of_training(TRAINING_WINDOW)
    return VariantCurve(
        variant=variant,
        seeds=len(trials),
        iqm=numbers(found.iqm),
        low=numbers(found.low),
        high=numbers(found.high),
        count=found.count.tolist(),
        ends=ends,
        note=_note(ends, everyone),
        made=made_of_curve(what, len(trials), resamples),
    )


def _note(ends: Sequence[float], everyone: Sequence[Trial]) -> str | None:
    """What keeps the curves of one variant from being of one length."""
    sentences, total = [], len(everyone)
    trains = any(not one.ended for one in everyone)
    if len(ends) < total:
        has = "has" if total - len(ends) == 1 else "have"
        sentences.append(f"{total - len(ends)} of {total} seeds {has} no curve{' yet' if trains else ''}.")
    if ends and ends[0] < AS_LONG * ends[-1]:
        early = sum(end < AS_LONG * ends[-1] for end in ends)
        if trains:
            do = "is behind" if early == 1 else "are behind"
            where = f"the last at step {brief(ends[0])} of {brief(ends[-1])}"
        else:
            do = "ends before" if early == 1 else "end before"
            where = f"the first at step {brief(ends[0])} of {brief(ends[-1])}"
        sentences.append(
            f"{early} of {len(ends)} seeds {do} the others, {where}; from there on the curve is of fewer seeds."
        )
    return " ".join(sentences) or None
