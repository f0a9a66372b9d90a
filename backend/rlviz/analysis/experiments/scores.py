"""Scores of each variant, summed up: what a table and a forest plot show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from rlviz.analysis.arrays import Floats
from rlviz.analysis.best_first import best_first
from rlviz.analysis.experiments.made import AGARWAL, HYNDMAN_FAN, Frozen, Made
from rlviz.analysis.experiments.trials import SCORE_DEFINITIONS, Setting, Trial, scored
from rlviz.analysis.statistics import bootstrap_interval, interquartile_mean, mean, median, optimality_gap
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES, RESAMPLES
from rlviz.domain.evaluation import PolicyChoice

FEWEST_RESAMPLES = 1_000
GAP = "optimality_gap"
SCORES_DRAWN = 5_000_000
"""Of all variants together, at most, so that a thousand trials take no longer than a moment."""


class SeedScore(Frozen):
    seed: int
    run_id: str
    score: float
    steps: float = Field(0, description="Environment steps that its run was trained for.")
    core_seconds: float = Field(0, description="Processor time of that run.")
    environment: str | None = Field(None, description="That of the score, where those of several are together.")

    @classmethod
    def of(cls, trial: Trial, environment: str | None = None) -> SeedScore:
        """That of ``trial``, which has one."""
        return cls(
            seed=trial.seed,
            run_id=trial.run_id,
            score=trial.score or 0.0,
            steps=trial.steps,
            core_seconds=trial.core_seconds,
            environment=environment,
        )


class VariantScores(Frozen):
    """The scores of one variant. Figures are null while it has none, ends of the interval below two."""

    variant: str = Field(description="Its id in the specification.")
    label: str
    environment: str
    threshold: float | None = Field(None, description="The return to reach in its environment; null: none.")
    trials: int = Field(description="Trials of it, whether they have ended or not.")
    n: int = Field(description="Trials that have a score.")
    seeds: int = Field(description="Scores on each environment: where there are several, the fewest.")
    failed: int = Field(
        description="Trials that ended without a score, but for those that were pruned, or skipped since the "
        "experiment was over."
    )
    rank: int | None = Field(
        description="Place by interquartile mean, then by mean, from 1, among those of the same environment."
    )
    mean: float | None
    median: float | None
    iqm: float | None
    low: float | None = Field(description="Ends of the 95 % interval of the interquartile mean.")
    high: float | None
    std: float | None = Field(description="Standard deviation of the sample (n - 1).")
    lower_quartile: float | None = Field(None, description="A quarter of the scores lies below.")
    upper_quartile: float | None = Field(None, description="A quarter of the scores lies above.")
    optimality_gap: float | None = Field(description="Null without a threshold.")
    scores: list[SeedScore] = Field(description="By seed.")
    policies: dict[PolicyChoice, int] = Field(
        {},
        description="How many scores are of the best policy that was kept, and how many of the last one, as far as "
        "that is known.",
    )
    made: dict[str, Made] = Field(description="By the name of each figure.")


class ForestRow(Frozen):
    variant: str
    label: str
    iqm: float
    low: float | None
    high: float | None
    n: int


class Forest(Frozen):
    """Forest plot: variants from best to worst, those without scores left out."""

    rows: list[ForestRow]
    minimum: float | None = Field(description="Least of all scores, ends of intervals and the threshold; null: none.")
    maximum: float | None
    reference: float | None = Field(description="The threshold, to be drawn as a line.")


def variant_scores(trials: Sequence[Trial], setting: Setting) -> list[VariantScores]:
    """Of each variant, in the order of the specification."""
    found = {variant: scored(trials, variant) for variant in setting.variants}
    resamples = resamples_for(sum(map(len, found.values())))
    summed_up = [
        _summed_up(variant, [one for one in trials if one.variant == variant], ours, setting, resamples)
        for variant, ours in found.items()
    ]
    return ranked(summed_up)


def ranked(variants: Sequence[VariantScores]) -> list[VariantScores]:
    """The same in the same order, each with its place among those of its environment that have scores."""
    standings = sorted(((one.iqm or 0.0, one.mean or 0.0, one.environment) for one in variants if one.n), reverse=True)

    def place(one: VariantScores) -> int:
        rivals = [standing[:2] for standing in standings if standing[2] == one.environment]
        return rivals.index((one.iqm or 0.0, one.mean or 0.0)) + 1

    return [one.model_copy(update={"rank": place(one) if one.n else None}) for one in variants]


def forest(variants: Sequence[VariantScores], threshold: float | None) -> Forest:
    ranked = best_first((one for one in variants if one.rank is not None), lambda one: one.rank)
    rows = [
        ForestRow(variant=one.variant, label=one.label, iqm=one.iqm, low=one.low, high=one.high, n=one.n)
        for one in ranked
        if one.iqm is not None
    ]
    ends = [end for row in rows for end in (row.iqm, row.low, row.high) if end is not None]
    ends += [score.score for one in ranked for score in one.scores]
    if ends and threshold is not None:
        ends.append(threshold)
    return Forest(
        rows=rows,
        minimum=min(ends, default=None),
        maximum=max(ends, default=None),
        reference=threshold if ends else None,
    )


def resamples_for(scores: int, fewest: int = FEWEST_RESAMPLES, most: int = RESAMPLES) -> int:
    """How often that many scores are drawn anew."""
    return int(np.clip(SCORES_DRAWN // max(scores, 1), fewest, most))


def values(trials: Sequence[Trial]) -> Floats:
    """The scores of trials that have one, shape (n,)."""
    return np.array([one.score for one in trials], dtype=np.float64)


def figures(strata: Sequence[Floats], resamples: int) -> dict[str, float | None]:
    """Of scores on each environment, arrays of shape (n,), by their names in VariantScores; None without scores. The
    deviation is that of one environment alone."""
    pooled = np.concatenate(strata)
    if len(pooled) == 0:
        return dict.fromkeys(_FIGURES)
    interval = bootstrap_interval(strata, resamples=resamples)
    lower, upper = map(float, np.quantile(pooled, (0.25, 0.75)))
    return {
        "mean": float(mean(strata)),
        "median": float(median(strata)),
        "iqm": float(interquartile_mean(strata)),
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "std": float(pooled.std(ddof=1)) if interval and len(strata) == 1 else None,
        "lower_quartile": lower,
        "upper_quartile": upper,
    }


_FIGURES = ("mean", "median", "iqm", "low", "high", "std", "lower_quartile", "upper_quartile")


def _summed_up(
    variant: str, trials: Sequence[Trial], ours: Sequence[Trial], setting: Setting, resamples: int
) -> VariantScores:
    policies = policies_of(ours)
    found = VariantScores(
        variant=variant,
        label=setting.variants[variant],
        environment=setting.environments[variant],
        trials=len(trials),
        n=len(ours),
        seeds=len(ours),
        failed=sum(one.failed for one in trials),
        rank=None,
        **figures([values(ours)], resamples),
        optimality_gap=None,
        scores=[SeedScore.of(one) for one in ours],
        policies=policies,
        made=made_of_scores(
            len(ours), resamples if len(ours) >= FEWEST_SCORES else None, score_sentence(setting, policies)
        ),
    )
    return with_gap(found, setting)


def with_gap(found: VariantScores, setting: Setting) -> VariantScores:
    """The same with the threshold that ``setting`` has for it and the optimality gap to that, or without them."""
    made = {name: one for name, one in found.made.items() if name != GAP}
    goal = setting.threshold_of(found.variant)
    gap = None
    if goal is not None:
        scores = np.array([one.score for one in found.scores], dtype=np.float64)
        gap = float(optimality_gap(goal)([scores])) if found.n else None
        made[GAP] = made_of_gap(goal, found.n, score_sentence(setting, found.policies))
    return found.model_copy(update={"threshold": goal, GAP: gap, "made": made})


def _whose(policies: Mapping[PolicyChoice, int]) -> str:
    """Which policy the scores are of, as far as that is known."""
    which = {PolicyChoice.BEST: "the best that it kept", PolicyChoice.LATEST: "the last one"}
    if len(policies) == 1:
        return f": {which[next(iter(policies))]}"
    return f": {' and '.join(f'in {count} trials {which[one]}' for one, count in policies.items())}" if policies else ""


def policies_of(ours: Sequence[Trial]) -> dict[PolicyChoice, int]:
    """How many scores each policy has, as far as that is known."""
    return dict(Counter(one.policy for one in ours if one.policy is not None))


def score_definition(setting: Setting, policies: Mapping[PolicyChoice, int]) -> str:
    """What a score is, and which policy it is of, as far as that is known."""
    return f"{SCORE_DEFINITIONS[setting.score]}{_whose(policies)}"


def score_sentence(setting: Setting, policies: Mapping[PolicyChoice, int]) -> str:
    return f"A score is {score_definition(setting, policies)}."


def made_of_gap(goal: float, n: int, score: str) -> Made:
    """``score``: the sentence that says what a score is."""
    return Made(
        definition=f"By how much scores fall short of {goal:g} on average; what lies above it makes up for nothing. "
        f"Lower is better. {score}",
        n=n,
        source=AGARWAL,
    )


def made_of_scores(n: int, resamples: int | None, score: str, *, is_of_several: bool = False) -> dict[str, Made]:
    """``resamples``: None where there is no interval. ``score``: the sentence that says what a score is.
    ``is_of_several``: whether the scores of several environments are together."""
    within = ", drawn within each environment" if is_of_several else ""
    averaged = "The mean of the means on each environment." if is_of_several else "The mean of all scores."
    quartile = "linear between the two scores around it"
    made = {
        "mean": Made(definition=f"{averaged} {score}", n=n, source=AGARWAL),
        "median": Made(definition=f"The median of all scores. {score}", n=n, source=AGARWAL),
        "iqm": Made(
            definition="Interquartile mean: the mean of the middle half of the scores; of n scores the lowest and the "
            "highest n // 4 are left out, so below four it is the mean. Its interval is the percentile interval of a "
            f"bootstrap over seeds{within}. {score}",
            n=n,
            resamples=resamples,
            confidence=None if resamples is None else CONFIDENCE,
            source=AGARWAL,
        ),
        "std": Made(definition=f"Standard deviation of the sample, with n - 1. {score}", n=n, source=AGARWAL),
        "lower_quartile": Made(
            definition=f"The score below which a quarter of them lies, {quartile}. {score}", n=n, source=HYNDMAN_FAN
        ),
        "upper_quartile": Made(
            definition=f"The score above which a quarter of them lies, {quartile}. {score}", n=n, source=HYNDMAN_FAN
        ),
    }
    if is_of_several:
        del made["std"]
    return made
