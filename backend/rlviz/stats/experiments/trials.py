"""Trials of an experiment and the scores of each variant: tables, forest plots, steps to the threshold, and costs.

``Trial`` and ``Setting`` are the input of all results; ``Made`` says how a figure was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.lazy_model import Frozen
from rlviz.stats.arrays import Floats
from rlviz.stats.returns import MEAN_EPISODES, best_first
from rlviz.stats.seeds import (
    CONFIDENCE,
    FEWEST_SCORES,
    RESAMPLES,
    bootstrap_interval,
    interquartile_mean,
    kaplan_meier,
    mean,
    median,
    optimality_gap,
)
from rlviz.stats.solved import LEAST_EPISODES


class ScoreKind(StrEnum):
    """What counts as the score of a trial.

    *trial*: the mean return of its policy on fresh episodes after training, as the specification says. *training*:
    the mean return of the last 100 training episodes, including exploration. *best*: the mean return of the best
    kept policy on fresh episodes.
    """

    TRIAL = "trial"
    TRAINING = "training"
    BEST = "best"


_SCORE_DEFINITIONS = {
    ScoreKind.TRIAL: "the mean return of the trial's policy on fresh episodes, played after training",
    ScoreKind.TRAINING: "the mean return of the last 100 episodes of training, exploration included",
    ScoreKind.BEST: "the mean return on fresh episodes of the best policy that was kept while it trained",
}


def definition_of_score(kind: ScoreKind, *, sampled_scores: bool) -> str:
    """Return what a score measures, as a part of a sentence. ``sampled_scores``: see ``Setting``."""
    sampled = ", with sampled actions" if sampled_scores and kind is ScoreKind.TRIAL else ""
    return f"{_SCORE_DEFINITIONS[kind]}{sampled}"


AS_OFTEN = 0.8
"""Trials count as evaluated equally often if their evaluation intervals differ by at most this factor, because parallel
environments round them up."""


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """A learning curve, arrays of shape (n,): environment steps, non-decreasing, and the return there."""

    step: Floats
    value: Floats


@dataclass(frozen=True)
class Paid:
    """What all attempts of a trial took together: processor time and environment steps."""

    core_seconds: float = 0
    steps: float = 0


@dataclass(frozen=True, eq=False)
class Trial:
    """One training of one variant with one seed.

    Attributes:
        variant: Id of the variant.
        seed: Seed of the run.
        run_id: Id of the run.
        score: Its score; None if it failed or has not ended.
        ended: Whether it has ended.
        steps: Environment steps that it was trained for.
        reached: Step at which it reached the threshold; None if it did not.
        core_seconds: Processor time of its run.
        paid: Cost of all its attempts together.
        curve: Its learning curve; None if nothing was logged.
        evaluated_every: Environment steps between evaluations in training; None without any.
        skipped: Whether the experiment ended first, which says nothing about the variant.
        pruned: Whether the search gave it up.
        policy: Which policy was scored, if known.
        has_own_score: Whether its own policy was scored, whatever score is requested.
        deleted: Whether its run was deleted since, so that only the score remains.
    """

    variant: str
    seed: int
    run_id: str
    score: float | None
    ended: bool
    steps: float = 0
    reached: float | None = None
    core_seconds: float = 0
    paid: Paid = Paid()
    curve: LearningCurve | None = None
    evaluated_every: float | None = None
    skipped: bool = False
    pruned: bool = False
    policy: PolicyChoice | None = None
    has_own_score: bool = False
    deleted: bool = False

    @property
    def failed(self) -> bool:
        left = self.skipped or self.pruned or self.has_own_score
        return self.ended and not left and self.score is None


@dataclass(frozen=True)
class Scale:
    """Scale for normalising the returns of an environment: ``random``, the mean return of random actions, becomes 0;
    ``threshold``, which is higher, becomes 1."""

    random: float
    threshold: float

    def normalised(self, score: float) -> float:
        return (score - self.random) / (self.threshold - self.random)

    def normalised_curve(self, curve: LearningCurve) -> LearningCurve:
        return LearningCurve(curve.step, (curve.value - self.random) / (self.threshold - self.random))


@dataclass(frozen=True)
class Setting:
    """What results are computed from.

    Attributes:
        variants: Labels by variant id, in the order of the specification.
        environments: Environment of each variant, with its options.
        score: Kind of score.
        threshold: Return to reach in all environments; None: that of ``thresholds``, if any.
        greedy_curves: Whether learning curves show evaluations instead of training returns.
        methods: Name of each variant without its environment; variants of one method train the same.
        scales: Scales of the environments whose returns can be normalised.
        thresholds: Return to reach by environment.
        evaluated_unlike: Environments whose variants were evaluated at different intervals, so that evaluations do
            not count for steps to the threshold.
        tests_hint: Whether it tests a hint: then the effect with the same seeds is reported beside the verdict.
        sampled_scores: Whether the trials' own scores come from sampled actions instead of greedy ones.
    """

    variants: dict[str, str]
    environments: dict[str, str]
    score: ScoreKind = ScoreKind.TRIAL
    threshold: float | None = None
    greedy_curves: bool = False
    methods: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    evaluated_unlike: Collection[str] = frozenset()
    tests_hint: bool = False
    sampled_scores: bool = False

    def threshold_of(self, variant: str) -> float | None:
        """Return the return to reach for ``variant``; None if there is none."""
        return self.thresholds.get(self.environments[variant]) if self.threshold is None else self.threshold

    @property
    def has_several_environments(self) -> bool:
        return len(set(self.environments.values())) > 1


def evaluated_alike(every: Collection[float | None]) -> bool:
    """Whether all trials were evaluated equally often in training, or none was, so that evaluations detect thresholds
    equally. ``every``: environment steps between evaluations of each trial."""
    known = [steps for steps in every if steps is not None]
    return not known or (len(known) == len(every) and AS_OFTEN * max(known) <= min(known))


def scored_trials(trials: Sequence[Trial], variant: str) -> list[Trial]:
    """Return the trials of ``variant`` that have a score, by seed."""
    return sorted((one for one in trials if one.variant == variant and one.score is not None), key=lambda one: one.seed)


AGARWAL = "Agarwal et al. 2021, https://arxiv.org/abs/2108.13264"
KAPLAN_MEIER = "Kaplan and Meier 1958; intervals by Greenwood's formula on the log-log scale"
HYNDMAN_FAN = "Hyndman and Fan 1996, definition 7, as in NumPy"
OUR_PAGE = "docs/experiments.md"


class Made(Frozen):
    """How a figure was made."""

    definition: str = Field(description="Definition of the figure, in one sentence.")
    n: int = Field(description="Number of scores, pairs or seeds.")
    resamples: int | None = Field(None, description="Resamples of its bootstrap interval; null: no interval.")
    confidence: float | None = Field(None, description="Confidence of its interval, such as 0.95.")
    source: str = Field(description="Where the definition comes from.")


def made_of_curve(what: str, seeds: int, resamples: int) -> Made:
    """Return how a curve over seeds with its band (``banded_curve``) was made. ``what``: the values that it
    averages."""
    has_interval = seeds >= FEWEST_SCORES
    return Made(
        definition=f"At each step the interquartile mean of {what}, with the interval of a bootstrap over whole "
        "curves. It stops at the last step that all of its seeds reached.",
        n=seeds,
        resamples=resamples if has_interval else None,
        confidence=CONFIDENCE if has_interval else None,
        source=AGARWAL,
    )


def returns_of_training(episodes: int) -> str:
    """Return a description of a moving average over ``episodes``."""
    return f"the mean return of the last {episodes} episodes of training"


def to_json_numbers(values: ArrayLike) -> list[float | None]:
    """Return an array of shape (n,) as JSON: null for values that are not finite."""
    found = np.asarray(values, dtype=np.float64)
    return [float(value) if np.isfinite(value) else None for value in found]


FEWEST_RESAMPLES = 1_000
GAP = "optimality_gap"
SCORES_DRAWN = 5_000_000
"""Maximum resamples of all variants together, so that a thousand trials take only a moment."""


class SeedScore(Frozen):
    seed: int
    run_id: str
    score: float
    steps: float = Field(0, description="Environment steps that its run was trained for.")
    core_seconds: float = Field(0, description="Processor time of that run.")
    environment: str | None = Field(None, description="Environment of the score, if several are combined.")

    @classmethod
    def from_trial(cls, trial: Trial, environment: str | None = None) -> SeedScore:
        """Return the score of ``trial``, which must have one."""
        return cls(
            seed=trial.seed,
            run_id=trial.run_id,
            score=trial.score or 0.0,
            steps=trial.steps,
            core_seconds=trial.core_seconds,
            environment=environment,
        )


class VariantScores(Frozen):
    """The scores of one variant. Figures are null without scores, interval ends with fewer than two."""

    variant: str = Field(description="Its id in the specification.")
    label: str
    environment: str
    threshold: float | None = Field(None, description="The return to reach in its environment; null: none.")
    trials: int = Field(description="Number of its trials, ended or not.")
    n: int = Field(description="Trials that have a score.")
    seeds: int = Field(description="Scores per environment; if they differ, the fewest.")
    failed: int = Field(
        description="Trials that ended without a score, except pruned ones and those skipped because the "
        "experiment ended."
    )
    rank: int | None = Field(description="Rank by interquartile mean, then mean, from 1, within the same environment.")
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
        description="How many scores are of the best kept policy, and how many of the last one, as far as known.",
    )
    made: dict[str, Made] = Field(description="How each figure was made, by its name.")


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
    minimum: float | None = Field(description="Minimum of all scores, interval ends and the threshold; null: none.")
    maximum: float | None
    reference: float | None = Field(description="The threshold, drawn as a line.")


def variant_scores(trials: Sequence[Trial], setting: Setting) -> list[VariantScores]:
    """Return the scores of each variant, in the order of the specification."""
    found = {variant: scored_trials(trials, variant) for variant in setting.variants}
    resamples = resamples_for(sum(map(len, found.values())))
    summed_up = [
        _summed_up(variant, [one for one in trials if one.variant == variant], ours, setting, resamples)
        for variant, ours in found.items()
    ]
    return with_ranks(summed_up)


def with_ranks(variants: Sequence[VariantScores]) -> list[VariantScores]:
    """Return the same list, with the rank of each variant with scores within its environment."""
    standings = sorted(((one.iqm or 0.0, one.mean or 0.0, one.environment) for one in variants if one.n), reverse=True)

    def place(one: VariantScores) -> int:
        rivals = [standing[:2] for standing in standings if standing[2] == one.environment]
        return rivals.index((one.iqm or 0.0, one.mean or 0.0)) + 1

    return [one.model_copy(update={"rank": place(one) if one.n else None}) for one in variants]


def forest_plot(variants: Sequence[VariantScores], threshold: float | None) -> Forest:
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
    """Return the number of resamples for this number of scores."""
    return int(np.clip(SCORES_DRAWN // max(scores, 1), fewest, most))


def trial_scores(trials: Sequence[Trial]) -> Floats:
    """Return the scores of trials that have one, shape (n,)."""
    return np.array([one.score for one in trials], dtype=np.float64)


def score_figures(strata: Sequence[Floats], resamples: int) -> dict[str, float | None]:
    """Return the figures by their names in VariantScores; None without scores. ``strata``: scores per environment,
    arrays of shape (n,). The standard deviation needs a single environment."""
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
    policies = count_policies(ours)
    found = VariantScores(
        variant=variant,
        label=setting.variants[variant],
        environment=setting.environments[variant],
        trials=len(trials),
        n=len(ours),
        seeds=len(ours),
        failed=sum(one.failed for one in trials),
        rank=None,
        **score_figures([trial_scores(ours)], resamples),
        optimality_gap=None,
        scores=[SeedScore.from_trial(one) for one in ours],
        policies=policies,
        made=made_of_scores(
            len(ours), resamples if len(ours) >= FEWEST_SCORES else None, score_sentence(setting, policies)
        ),
    )
    return with_gap(found, setting)


def with_gap(found: VariantScores, setting: Setting) -> VariantScores:
    """Return the scores with the threshold of ``setting`` and the optimality gap to it, or without both."""
    made = {name: one for name, one in found.made.items() if name != GAP}
    goal = setting.threshold_of(found.variant)
    gap = None
    if goal is not None:
        scores = np.array([one.score for one in found.scores], dtype=np.float64)
        gap = float(optimality_gap(goal)([scores])) if found.n else None
        made[GAP] = made_of_gap(goal, found.n, score_sentence(setting, found.policies))
    return found.model_copy(update={"threshold": goal, GAP: gap, "made": made})


def _whose(policies: Mapping[PolicyChoice, int]) -> str:
    """Return which policy the scores belong to, as far as known."""
    which = {PolicyChoice.BEST: "the best policy that it kept", PolicyChoice.LATEST: "the last policy"}
    if len(policies) == 1:
        return f": {which[next(iter(policies))]}"
    return f": {' and '.join(f'in {count} trials {which[one]}' for one, count in policies.items())}" if policies else ""


def count_policies(ours: Sequence[Trial]) -> dict[PolicyChoice, int]:
    """Return the number of scores per policy, as far as known."""
    return dict(Counter(one.policy for one in ours if one.policy is not None))


def score_definition(setting: Setting, policies: Mapping[PolicyChoice, int]) -> str:
    """Return what a score measures and, if known, the policy that played."""
    return f"{definition_of_score(setting.score, sampled_scores=setting.sampled_scores)}{_whose(policies)}"


def score_sentence(setting: Setting, policies: Mapping[PolicyChoice, int]) -> str:
    return f"A score is {score_definition(setting, policies)}."


def made_of_gap(goal: float, n: int, score: str) -> Made:
    """Return how the optimality gap was made. ``score``: sentence that defines a score."""
    return Made(
        definition=f"How far scores fall short of {goal:g} on average; scores above it do not compensate. "
        f"Lower is better. {score}",
        n=n,
        source=AGARWAL,
    )


def made_of_scores(n: int, resamples: int | None, score: str, *, is_of_several: bool = False) -> dict[str, Made]:
    """Return how the figures of scores were made.

    Args:
        n: Number of scores.
        resamples: Resamples of the interval; None without one.
        score: Sentence that defines a score.
        is_of_several: Whether scores of several environments are combined.
    """
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


class SeedArrival(Frozen):
    """One seed: ``steps`` until it reached the threshold or, if ``censored``, that it was trained for without reaching
    it."""

    seed: int
    run_id: str
    steps: float
    censored: bool


class StepsToThreshold(Frozen):
    """Kaplan-Meier estimate of one variant. ``step`` and the lists beside it have an entry for each step at which a
    seed reached the threshold; before the first, the share is 1."""

    variant: str
    threshold: float = Field(description="The return to reach in its environment.")
    n: int = Field(description="Seeds that were trained.")
    reached: int
    median: float | None = Field(description="Steps until half of them reached it; null: fewer than half did.")
    median_low: float | None = Field(description="Lower end of its 95 % interval; null: not reached, or one seed.")
    median_high: float | None
    step: list[float]
    waiting: list[float] = Field(description="Estimated share of seeds that have not reached it after that step.")
    low: list[float | None]
    high: list[float | None]
    seeds: list[SeedArrival]
    made: Made


class Thresholds(Frozen):
    threshold: float | None = Field(description="The return to reach; null: each variant has that of its environment.")
    variants: list[StepsToThreshold] = Field(
        description="In the order of the specification, without untrained variants and those without a threshold."
    )


def steps_to_threshold(trials: Sequence[Trial], setting: Setting) -> Thresholds | None:
    """Return the estimates; None without any threshold. A trial in training is censored at its current step; one that
    never started is left out."""
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
    """Return a sentence about the evidence that counts."""
    if setting.environments[variant] in setting.evaluated_unlike:
        return (
            f"{MEAN_EPISODES} episodes of training on average, or an evaluation after it, including the one of its "
            "score. Evaluations during training do not count, since the variants were not evaluated equally often."
        )
    return (
        f"{MEAN_EPISODES} episodes of training on average, or an evaluation on fresh episodes, including the one of "
        f"its score if it has {LEAST_EPISODES} or more."
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
        low=to_json_numbers(survival.low),
        high=to_json_numbers(survival.high),
        seeds=[
            SeedArrival(seed=one.seed, run_id=one.run_id, steps=float(at), censored=one.reached is None)
            for one, at in zip(trials, steps, strict=True)
        ],
        made=Made(
            definition=f"Steps until a seed first reached a return of {threshold:g}: {_evidence(setting, variant)} "
            "A seed that has not reached it is censored: it takes longer than it was trained.",
            n=survival.seeds,
            confidence=CONFIDENCE if survival.seeds >= FEWEST_SCORES else None,
            source=KAPLAN_MEIER,
        ),
    )


class VariantCost(Frozen):
    variant: str
    core_seconds: float
    steps: float = Field(description="Environment steps of all attempts of all its trials.")
    trials: int = Field(description="Trials that cost something.")


class Cost(Frozen):
    """What an experiment has cost, including failed and unfinished trials."""

    core_seconds: float
    variants: list[VariantCost] = Field(description="In the order of the specification.")
    made: Made


def sum_costs(trials: Sequence[Trial], setting: Setting) -> Cost:
    found = []
    for variant in setting.variants:
        ours = [one.paid for one in trials if one.variant == variant and one.paid.core_seconds > 0]
        found.append(
            VariantCost(
                variant=variant,
                core_seconds=sum(paid.core_seconds for paid in ours),
                steps=sum(paid.steps for paid in ours),
                trials=len(ours),
            )
        )
    return Cost(
        core_seconds=sum(one.core_seconds for one in found),
        variants=found,
        made=Made(
            definition="Core-seconds: processor time of all threads, over all attempts of each trial's runs. For a "
            "trial that still trains, the time up to a second ago. Evaluations during training are included, the "
            "one that gives the score is not.",
            n=sum(one.trials for one in found),
            source=OUR_PAGE,
        ),
    )
