"""Aggregates: one number from the scores of all tasks and seeds.

Each takes *drawn* scores: for each task an array of shape (…, n), whose leading dimensions, the resamples, are the same
for all tasks. It gives one number for each resample, shape (…).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics.resampling import checked

Statistic = Callable[[Sequence[Floats]], Floats]


def interquartile_mean(drawn: Sequence[Floats]) -> Floats:
    """The mean of the middle half of all scores; of n scores the lowest and the highest n // 4 are left out."""
    scores = np.concatenate(drawn, axis=-1)  # a copy, to be sorted in place
    scores.sort(axis=-1)
    cut = scores.shape[-1] // 4
    return np.asarray(scores[..., cut : scores.shape[-1] - cut].mean(axis=-1))


def mean(drawn: Sequence[Floats]) -> Floats:
    """The mean of the tasks' means: every task counts the same, however many seeds it has."""
    return np.asarray(np.mean([scores.mean(axis=-1) for scores in drawn], axis=0))


def median(drawn: Sequence[Floats]) -> Floats:
    """The median of all scores."""
    return _middle(np.concatenate(drawn, axis=-1))


def task_median(drawn: Sequence[Floats]) -> Floats:
    """The median of the tasks' means, which the literature on many tasks calls the median. Of one task it is the
    mean."""
    return _middle(np.stack([scores.mean(axis=-1) for scores in drawn], axis=-1))


def optimality_gap(goal: float = 1.0) -> Statistic:
    """By how much scores fall short of ``goal`` on average; what lies above it makes up for nothing. Lower is
    better."""

    def gap(drawn: Sequence[Floats]) -> Floats:
        return np.asarray(goal - np.minimum(np.concatenate(drawn, axis=-1), goal).mean(axis=-1))

    return gap


def iqm(scores: Floats) -> float:
    """Interquartile mean of scores of shape (n,). Raises ValueError without scores."""
    return float(interquartile_mean(checked([scores])))


def _middle(values: Floats) -> Floats:
    """The median over the last axis. NumPy's own imports its masked arrays first, which takes longer than all else."""
    ordered = np.sort(values, axis=-1)
    half = ordered.shape[-1] // 2
    return np.asarray((ordered[..., half] + ordered[..., -half - 1]) / 2)
