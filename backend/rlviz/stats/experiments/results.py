"""ExperimentResults: everything that an experiment shows, computed from its trials; RunDigest: what results need from
one run, in a few kilobytes, for any threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from rlviz.domain.lazy_model import Frozen
from rlviz.stats.arrays import Floats
from rlviz.stats.comparison import Episodes, aligned_curves
from rlviz.stats.experiments.across import Across, combine_environments
from rlviz.stats.experiments.curves import (
    GRID_POINTS,
    TRAINING_WINDOW,
    Curves,
    Profiles,
    learning_curves,
    performance_profiles,
)
from rlviz.stats.experiments.trials import (
    Cost,
    Forest,
    LearningCurve,
    ScoreKind,
    Setting,
    Thresholds,
    Trial,
    VariantScores,
    count_policies,
    forest_plot,
    score_definition,
    scored_trials,
    steps_to_threshold,
    sum_costs,
    trial_scores,
    variant_scores,
    with_gap,
)
from rlviz.stats.experiments.verdict import ExperimentVerdict, Improvements, compare_pairs, experiment_verdict
from rlviz.stats.returns import best_first, full_means
from rlviz.stats.solved import Evaluated, solved_by_evaluations

DEFINITIONS = 12
"""Version of the figures. Increase it when a figure is computed differently, so that stored results are recomputed."""


class ExperimentResults(Frozen):
    """All results of an experiment. Each figure says in ``made`` how it was made."""

    score: ScoreKind
    score_definition: str
    threshold: float | None = Field(
        description="Return to reach in all environments; null: none, or each "
        "environment has its own, given with its variants."
    )
    trials: int
    scored: int = Field(description="Trials that have a score.")
    failed: int = Field(description="Trials that ended without any score, except skipped and pruned ones.")
    complete: bool = Field(description="Whether every trial has ended.")
    verdict: ExperimentVerdict
    variants: list[VariantScores] = Field(description="In the order of the specification.")
    forest: Forest
    across: Across | None = Field(
        None,
        description="For several environments: the methods, on which verdict, "
        "pairs and profiles are based. null: one environment.",
    )
    improvements: Improvements
    profiles: Profiles
    thresholds: Thresholds | None = Field(description="Steps to the threshold; null without any.")
    curves: Curves
    cost: Cost


def for_threshold(results: ExperimentResults, trials: Sequence[Trial], setting: Setting) -> ExperimentResults:
    """Return the results of the same trials for another threshold.

    Only figures that depend on the threshold are recomputed; intervals, pairs, profiles and curves are reused.
    ``trials`` and ``setting`` must be those of the new threshold.
    """
    variants = [with_gap(one, setting) for one in results.variants]
    changes = {
        "threshold": setting.threshold,
        "verdict": experiment_verdict(
            variants, results.improvements, trials, results.across, tests_hint=setting.tests_hint
        ),
        "variants": variants,
        "forest": forest_plot(variants, setting.threshold),
        "thresholds": steps_to_threshold(trials, setting),
    }
    return results.model_copy(update=changes)


def experiment_results(trials: Sequence[Trial], setting: Setting) -> ExperimentResults:
    """Compute all results. Raises ValueError if a score is not finite."""
    summed_up = variant_scores(trials, setting)
    in_order = best_first(summed_up, lambda one: one.rank)
    together = combine_environments(trials, setting)
    alone = {one.variant: [trial_scores(scored_trials(trials, one.variant))] for one in in_order if one.n}
    scores = alone if together is None else together.strata
    pairs = compare_pairs(scores)
    return ExperimentResults(
        score=setting.score,
        score_definition=score_definition(setting, count_policies([one for one in trials if one.score is not None])),
        threshold=setting.threshold,
        trials=len(trials),
        scored=sum(one.n for one in summed_up),
        failed=sum(one.failed for one in summed_up),
        complete=all(one.ended for one in trials),
        verdict=experiment_verdict(summed_up, pairs, trials, together, tests_hint=setting.tests_hint),
        variants=summed_up,
        forest=forest_plot(summed_up, setting.threshold),
        across=together,
        improvements=pairs,
        profiles=performance_profiles(scores),
        thresholds=steps_to_threshold(trials, setting),
        curves=learning_curves(trials, setting, [one.variant for one in in_order]),
        cost=sum_costs(trials, setting),
    )


DIGEST_DEFINITION = 2
"""Version of digests. Increase it when a digest is computed differently, so that stored ones are recomputed."""


@dataclass(frozen=True, eq=False)
class RunDigest:
    """Digest of a run.

    Attributes:
        training: Moving average of the returns, at most GRID_POINTS points; None without episodes.
        greedy: Evaluations during training, at most GRID_POINTS points; None without any.
        records: Each new maximum of the mean over 100 returns, which gives the first arrival for any threshold.
        evaluations: The same for the run's own evaluations that count.
        every: Median environment steps between evaluations during training; None with fewer than two.
    """

    training: LearningCurve | None
    greedy: LearningCurve | None
    records: LearningCurve
    evaluations: LearningCurve
    every: float | None

    def reached(
        self, threshold: float, asked: Sequence[Evaluated] = (), *, by_own_evaluations: bool = True
    ) -> float | None:
        """Return the step at which the run was solved (``stats/solved.py``); None if it was not.

        Args:
            threshold: The return to reach.
            asked: Evaluations on request that count.
            by_own_evaluations: Whether the run's own evaluations count.
        """
        found = [
            float(curve.step[there[0]])
            for curve in (self.records, *([self.evaluations] if by_own_evaluations else []))
            if len(there := np.flatnonzero(curve.value >= threshold))
        ]
        if (solved := solved_by_evaluations(threshold, asked)) is not None:
            found.append(float(solved.step))
        return min(found, default=None)


def make_digest(episodes: Episodes, greedy: tuple[Floats, Floats], evaluations: Iterable[Evaluated]) -> RunDigest:
    """Return the digest of a run.

    Args:
        episodes: Its episodes.
        greedy: Steps and returns of evaluations during training, each of shape (n,).
        evaluations: Its own evaluations that count.
    """
    means = full_means(episodes.reward)
    ends = episodes.step[len(episodes.step) - len(means) :]
    fresh = np.array(sorted((one.step, one.shown) for one in evaluations), dtype=np.float64).reshape(-1, 2)
    return RunDigest(
        training=_thinned(Episodes(episodes.step, episodes.time, episodes.reward), TRAINING_WINDOW),
        greedy=_thinned(Episodes(greedy[0], greedy[0], greedy[1]), 1),
        records=_records(ends, means),
        evaluations=_records(fresh[:, 0], fresh[:, 1]),
        every=float(np.median(np.diff(greedy[0]))) if len(greedy[0]) > 1 else None,
    )


def _records(step: Floats, value: Floats) -> LearningCurve:
    """Return the points at which a value exceeds all earlier ones."""
    known = np.isfinite(value)
    step, value = step[known], value[known]
    before = np.concatenate([[-np.inf], np.maximum.accumulate(value)[:-1]]) if len(value) else value
    higher = value > before
    return LearningCurve(step[higher], value[higher])


def _thinned(episodes: Episodes, window: int) -> LearningCurve | None:
    if len(episodes.step) == 0:
        return None
    found = aligned_curves({"": episodes}, window=window, max_points=GRID_POINTS)
    return LearningCurve(found.step, found.values[""])
