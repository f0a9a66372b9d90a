"""Which of several settings is better, when each was trained with several seeds: the verdict of an experiment on runs
that belong to none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlviz.analysis.arrays import Floats
from rlviz.analysis.best_first import best_first
from rlviz.analysis.experiments.pairs import improvements
from rlviz.analysis.experiments.scores import values, variant_scores
from rlviz.analysis.experiments.trials import ScoreKind, Setting, Trial, scored
from rlviz.analysis.experiments.verdict import experiment_verdict


@dataclass(frozen=True, eq=False)
class SeedScores:
    """``scores``: the final return of each seed, shape (n,); at least one."""

    label: str
    scores: Floats


def seed_verdict(groups: Sequence[SeedScores], window: int) -> tuple[str, list[str]]:
    """A headline on the one with the highest interquartile mean, and the reasons. Takes two groups at least, all of
    one environment. ``window``: episodes that a final return is the mean of."""
    labels = {str(place): group.label for place, group in enumerate(groups)}
    setting = Setting(labels, dict.fromkeys(labels, ""), ScoreKind.TRAINING)
    trials = [
        Trial(str(place), seed, run_id="", score=float(score), ended=True)
        for place, group in enumerate(groups)
        for seed, score in enumerate(group.scores)
    ]
    summed_up = variant_scores(trials, setting)
    in_order = best_first(summed_up, lambda one: one.rank)
    pairs = improvements({one.variant: [values(scored(trials, one.variant))] for one in in_order})
    found = experiment_verdict(summed_up, pairs, trials)
    score = f"A score is the mean return of the last {window} episodes of training, exploration included."
    return found.headline, [*found.reasons, score]
