"""ExperimentResults: everything that an experiment shows, made from its trials."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from rlviz.analysis.best_first import best_first
from rlviz.analysis.experiments.across import Across, across
from rlviz.analysis.experiments.cost import Cost, cost
from rlviz.analysis.experiments.curves import Curves, learning_curves
from rlviz.analysis.experiments.made import Frozen
from rlviz.analysis.experiments.pairs import Improvements, improvements
from rlviz.analysis.experiments.profiles import Profiles, profiles
from rlviz.analysis.experiments.scores import (
    Forest,
    VariantScores,
    forest,
    policies_of,
    score_definition,
    values,
    variant_scores,
    with_gap,
)
from rlviz.analysis.experiments.threshold import Thresholds, steps_to_threshold
from rlviz.analysis.experiments.trials import ScoreKind, Setting, Trial, scored
from rlviz.analysis.experiments.verdict import ExperimentVerdict, experiment_verdict

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
