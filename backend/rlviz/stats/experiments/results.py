"""ExperimentResults: everything that an experiment shows, made from its trials.

RunDigest: what results need of one run, in a few kilobytes, whatever threshold is asked for later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from rlviz.stats.arrays import Floats
from rlviz.stats.comparison import Episodes, aligned_curves
from rlviz.stats.experiments.across import Across, across
from rlviz.stats.experiments.curves import GRID_POINTS, TRAINING_WINDOW, Curves, Profiles, learning_curves, profiles
from rlviz.stats.experiments.trials import (
    Cost,
    Forest,
    Frozen,
    LearningCurve,
    ScoreKind,
    Setting,
    Thresholds,
    Trial,
    VariantScores,
    cost,
    forest,
    policies_of,
    score_definition,
    scored,
    steps_to_threshold,
    values,
    variant_scores,
    with_gap,
)
from rlviz.stats.experiments.verdict import ExperimentVerdict, Improvements, experiment_verdict, improvements
from rlviz.stats.returns import best_first, full_means
from rlviz.stats.solved import Evaluated, solved_by_evaluations

DEFINITIONS = 11
"""To be raised whenever a figure is made in another way, so that results that were kept are made again."""


class ExperimentResults(Frozen):
    """Every figure says beside it, in ``made``, how it was made."""

    score: ScoreKind
    score_definition: str
    threshold: float | None = Field(
        description="Return to reach everywhere: the one asked for, or that of all environments; null: none, or in "
        "each environment its own, which its variants have."
    )
    trials: int
    scored: int = Field(description="Trials that have a score.")
    failed: int = Field(description="Trials that ended without any score, but for those that were skipped or pruned.")
    complete: bool = Field(description="Whether every trial has ended.")
    verdict: ExperimentVerdict
    variants: list[VariantScores] = Field(description="In the order of the specification.")
    forest: Forest
    across: Across | None = Field(
        None,
        description="Where variants are trained on several environments: the methods that they are, which verdict, "
        "pairs and profiles are of. null: on one.",
    )
    improvements: Improvements
    profiles: Profiles
    thresholds: Thresholds | None = Field(description="Steps to the threshold; null without any.")
    curves: Curves
    cost: Cost


def for_threshold(results: ExperimentResults, trials: Sequence[Trial], setting: Setting) -> ExperimentResults:
    """The results of the same trials for another threshold: intervals, pairs, profiles and curves know of none, and of
    the verdict its cautions alone do.

    ``trials`` and ``setting`` are those of the other threshold.
    """
    variants = [with_gap(one, setting) for one in results.variants]
    changes = {
        "threshold": setting.threshold,
        "verdict": experiment_verdict(variants, results.improvements, trials, results.across),
        "variants": variants,
        "forest": forest(variants, setting.threshold),
        "thresholds": steps_to_threshold(trials, setting),
    }
    return results.model_copy(update=changes)


def experiment_results(trials: Sequence[Trial], setting: Setting) -> ExperimentResults:
    """Raises ValueError if a score is not finite."""
    summed_up = variant_scores(trials, setting)
    in_order = best_first(summed_up, lambda one: one.rank)
    together = across(trials, setting)
    alone = {one.variant: [values(scored(trials, one.variant))] for one in in_order if one.n}
    scores = alone if together is None else together.strata
    pairs = improvements(scores)
    return ExperimentResults(
        score=setting.score,
        score_definition=score_definition(setting, policies_of([one for one in trials if one.score is not None])),
        threshold=setting.threshold,
        trials=len(trials),
        scored=sum(one.n for one in summed_up),
        failed=sum(one.failed for one in summed_up),
        complete=all(one.ended for one in trials),
        verdict=experiment_verdict(summed_up, pairs, trials, together),
        variants=summed_up,
        forest=forest(summed_up, setting.threshold),
        across=together,
        improvements=pairs,
        profiles=profiles(scores),
        thresholds=steps_to_threshold(trials, setting),
        curves=learning_curves(trials, setting, [one.variant for one in in_order]),
        cost=cost(trials, setting),
    )


DIGEST_DEFINITION = 2
"""To be raised whenever a digest is made in another way, so that those that were kept are made again."""


@dataclass(frozen=True, eq=False)
class RunDigest:
    """``training``: moving average of the returns; ``greedy``: evaluations while it trained; each with GRID_POINTS at
    most, None where there are none.

    ``records``: the mean of 100 returns each time that it was higher than ever before, which says for any threshold
    when it was first reached. ``evaluations``: the same of the evaluations that the run has made itself and that count.
    ``every``: environment steps between the evaluations while it trained, the median; None with fewer than two.
    """

    training: LearningCurve | None
    greedy: LearningCurve | None
    records: LearningCurve
    evaluations: LearningCurve
    every: float | None

    def reached(
        self, threshold: float, asked: Sequence[Evaluated] = (), *, by_own_evaluations: bool = True
    ) -> float | None:
        """The step at which the run was solved (``stats/solved.py``), None if it was not.

        Args:
            threshold: The return to reach.
            asked: The evaluations on request that count.
            by_own_evaluations: Whether those count that the run has made itself.
        """
        found = [
            float(curve.step[there[0]])
            for curve in (self.records, *([self.evaluations] if by_own_evaluations else []))
            if len(there := np.flatnonzero(curve.value >= threshold))
        ]
        if (solved := solved_by_evaluations(threshold, asked)) is not None:
            found.append(float(solved.step))
        return min(found, default=None)


def digest(episodes: Episodes, greedy: tuple[Floats, Floats], evaluations: Iterable[Evaluated]) -> RunDigest:
    """The digest of a run.

    Args:
        episodes: Its episodes.
        greedy: Steps and returns of the evaluations while it trained, each of shape (n,).
        evaluations: Those that the run has made itself and that count.
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
    """Where a value is higher than all before."""
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
