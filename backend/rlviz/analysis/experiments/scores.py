"""Scores of each variant, summed up: what a table and a forest plot show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from rlviz.analysis.arrays import Floats
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


class VariantScores(Frozen):
    """The scores of one variant. Figures are null while it has none, ends of the interval below two."""

    variant: str = Field(description="Its id in the specification.")
    label: str
    environment: str
    trials: int = Field(description="Trials of it, whether they have ended or not.")
    n: int = Field(description="Trials that have a score.")
    failed: int = Field(
        description="Trials that ended without a score, but for those that were skipped since the experiment was over."
    )
    rank: int | None = Field(description="Place by interquartile mean, then by mean, from 1.")
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
    standings = sorted((_standing(ours) for ours in found.values() if ours), reverse=True)
    return [
        _summed_up(variant, [one for one in trials if one.variant == variant], ours, setting, resamples, standings)
        for variant, ours in found.items()
    ]


def forest(variants: Sequence[VariantScores], threshold: float | None) -> Forest:
    ranked = sorted((one for one in variants if one.rank is not None), key=lambda one: (one.rank or 0, one.label))
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


def _iqm(ours: Sequence[Trial]) -> float:
    return float(interquartile_mean([values(ours)]))


def _standing(ours: Sequence[Trial]) -> tuple[float, float]:
    """What ranks a variant: its interquartile mean, and where those are equal, its mean."""
    return _iqm(ours), float(mean([values(ours)]))


def _summed_up(
    variant: str,
    trials: Sequence[Trial],
    ours: Sequence[Trial],
    setting: Setting,
    resamples: int,
    standings: Sequence[tuple[float, float]],
) -> VariantScores:
    strata = [values(ours)]
    n = len(ours)
    interval = bootstrap_interval(strata, resamples=resamples) if n else None
    lower, upper = map(float, np.quantile(strata[0], (0.25, 0.75))) if n else (None, None)
    policies = Counter(one.policy for one in ours if one.policy is not None)
    found = VariantScores(
        variant=variant,
        label=setting.variants[variant],
        environment=setting.environments[variant],
        trials=len(trials),
        n=n,
        failed=sum(one.failed for one in trials),
        rank=standings.index(_standing(ours)) + 1 if n else None,
        mean=float(mean(strata)) if n else None,
        median=float(median(strata)) if n else None,
        iqm=_iqm(ours) if n else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        std=float(strata[0].std(ddof=1)) if interval else None,
        lower_quartile=lower,
        upper_quartile=upper,
        optimality_gap=None,
        scores=[SeedScore(seed=one.seed, run_id=one.run_id, score=one.score or 0.0) for one in ours],
        policies=policies,
        made=_made(n, resamples, setting, policies),
    )
    return with_gap(found, setting)


def with_gap(found: VariantScores, setting: Setting) -> VariantScores:
    """The same with the optimality gap to the threshold of ``setting``, or without one."""
    made = {name: one for name, one in found.made.items() if name != GAP}
    gap = None
    if setting.threshold is not None:
        scores = np.array([one.score for one in found.scores], dtype=np.float64)
        gap = float(optimality_gap(setting.threshold)([scores])) if found.n else None
        made[GAP] = Made(
            definition=f"By how much scores fall short of {setting.threshold:g} on average; what lies above it makes "
            f"up for nothing. Lower is better. {_score(setting, found.policies)}",
            n=found.n,
            source=AGARWAL,
        )
    return found.model_copy(update={GAP: gap, "made": made})


def _whose(policies: Mapping[PolicyChoice, int]) -> str:
    """Which policy the scores are of, as far as that is known."""
    told = {PolicyChoice.BEST: "the best that it kept", PolicyChoice.LATEST: "the last one"}
    if len(policies) == 1:
        return f": {told[next(iter(policies))]}"
    return f": {' and '.join(f'in {count} trials {told[one]}' for one, count in policies.items())}" if policies else ""


def _score(setting: Setting, policies: Mapping[PolicyChoice, int]) -> str:
    return f"A score is {SCORE_DEFINITIONS[setting.score]}{_whose(policies)}."


def _made(n: int, resamples: int, setting: Setting, policies: Mapping[PolicyChoice, int]) -> dict[str, Made]:
    score = _score(setting, policies)
    drawn = n >= FEWEST_SCORES
    quartile = "linear between the two scores around it"
    return {
        "mean": Made(definition=f"The mean of all scores. {score}", n=n, source=AGARWAL),
        "median": Made(definition=f"The median of all scores. {score}", n=n, source=AGARWAL),
        "iqm": Made(
            definition="Interquartile mean: the mean of the middle half of the scores; of n scores the lowest and the "
            "highest n // 4 are left out, so below four it is the mean. Its interval is the percentile interval of a "
            f"bootstrap over seeds. {score}",
            n=n,
            resamples=resamples if drawn else None,
            confidence=CONFIDENCE if drawn else None,
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
