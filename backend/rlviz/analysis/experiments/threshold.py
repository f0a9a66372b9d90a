"""Steps to the threshold: how soon the seeds of each variant got there, and how many never did."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from rlviz.analysis.experiments.made import KAPLAN_MEIER, Frozen, Made, numbers
from rlviz.analysis.experiments.trials import Setting, Trial
from rlviz.analysis.mean_return import MEAN_EPISODES
from rlviz.analysis.solved import LEAST_EPISODES
from rlviz.analysis.statistics import kaplan_meier
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES


class SeedArrival(Frozen):
    """One seed: ``steps`` until it got there, or, if it is ``censored``, those that it was trained for without."""

    seed: int
    run_id: str
    steps: float
    censored: bool


class StepsToThreshold(Frozen):
    """Kaplan-Meier estimate of one variant. ``step`` and the lists beside it have an entry for each step at which a
    seed got there; before the first the share is 1."""

    variant: str
    threshold: float = Field(description="The return to reach where it was trained.")
    n: int = Field(description="Seeds that were trained at all.")
    reached: int
    median: float | None = Field(description="Steps until half of them got there; null: fewer than half did.")
    median_low: float | None = Field(
        description="Ends of its 95 % interval; null: not within the training, or of one seed."
    )
    median_high: float | None
    step: list[float]
    waiting: list[float] = Field(description="Estimated share of seeds that are not there after that step.")
    low: list[float | None]
    high: list[float | None]
    seeds: list[SeedArrival]
    made: Made


class Thresholds(Frozen):
    threshold: float | None = Field(description="The return to reach; null: each variant has that of its environment.")
    variants: list[StepsToThreshold] = Field(
        description="In the order of the specification; left out are untrained ones, and those without a threshold."
    )


def steps_to_threshold(trials: Sequence[Trial], setting: Setting) -> Thresholds | None:
    """None without any threshold. A trial that still trains is censored at the steps that it has done; one that never
    began is left out, for it says nothing."""
    goals = {variant: goal for variant in setting.variants if (goal := setting.threshold_of(variant)) is not None}
    if not goals:
        return None
    begun = {
        variant: sorted((one for one in trials if one.variant == variant and one.steps > 0), key=lambda one: one.seed)
        for variant in goals
    }
    found = [_of_variant(variant, ours, goals[variant], setting) for variant, ours in begun.items() if ours]
    return Thresholds(threshold=setting.threshold, variants=found)


def _evidence(setting: Setting, variant: str) -> str:
    """What shows it, in a sentence."""
    if setting.environments[variant] in setting.evaluated_unlike:
        return (
            f"{MEAN_EPISODES} episodes of training on average, or an evaluation after it, that of its score included. "
            "Evaluations along the way do not count: the variants were not evaluated alike."
        )
    return (
        f"{MEAN_EPISODES} episodes of training on average, or an evaluation on fresh episodes, that of its score "
        f"included if it has {LEAST_EPISODES} or more."
    )


def _of_variant(variant: str, trials: Sequence[Trial], threshold: float, setting: Setting) -> StepsToThreshold:
    steps = np.array([one.steps if one.reached is None else one.reached for one in trials], dtype=np.float64)
    survival = kaplan_meier(steps, [one.reached is not None for one in trials])
    low, high = survival.median_interval
    return StepsToThreshold(
        variant=variant,
        threshold=threshold,
        n=survival.seeds,
        reached=survival.reached,
        median=survival.median,
        median_low=low,
        median_high=high,
        step=survival.step.tolist(),
        waiting=survival.waiting.tolist(),
        low=numbers(survival.low),
        high=numbers(survival.high),
        seeds=[
            SeedArrival(seed=one.seed, run_id=one.run_id, steps=float(at), censored=one.reached is None)
            for one, at in zip(trials, steps, strict=True)
        ],
        made=Made(
            definition=f"Steps until a seed first reached a return of {threshold:g}: {_evidence(setting, variant)} "
            "A seed that has not got there is censored: it takes more than it was trained for.",
            n=survival.seeds,
            confidence=CONFIDENCE if survival.seeds >= FEWEST_SCORES else None,
            source=KAPLAN_MEIER,
        ),
    )
