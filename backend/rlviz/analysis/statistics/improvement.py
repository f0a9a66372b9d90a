"""Probability of improvement: how often one seed of the first does better than one seed of the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, RESAMPLES, Interval, has_interval
from rlviz.analysis.statistics.resampling import checked, chunks, draw_counts, percentile_ends, product


@dataclass(frozen=True, eq=False)
class Improvement:
    """``each``: the probability on each task, shape (tasks,), whose mean is ``probability``. ``drawn``: the latter in
    each resample, shape (resamples,); None where one of the two has one score a task. ``confidence``: of ``interval``.
    """

    probability: float
    each: Floats
    drawn: Floats | None
    confidence: float

    @property
    def interval(self) -> Interval | None:
        return self.interval_of(self.confidence)

    def interval_of(self, confidence: float) -> Interval | None:
        """From the same resamples, for another confidence."""
        if self.drawn is None:
            return None
        low, high = percentile_ends(self.drawn, confidence)
        return Interval(float(low), float(high))


def probability_of_improvement(
    first: Sequence[Floats],
    second: Sequence[Floats],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Improvement:
    """P(X > Y) + P(X = Y) / 2 for one score of each on the same task, averaged over the tasks (Agarwal et al. 2021,
    section 4.3: the Mann-Whitney U over the number of pairs); its percentile interval draws both anew.

    Raises ValueError without scores, or if the two have different numbers of tasks.
    """
    ours, theirs = checked(first), checked(second)
    if len(ours) != len(theirs):
        raise ValueError(f"Both need scores of the same tasks, not of {len(ours)} and {len(theirs)}.")
    wins = [_wins(x, y) for x, y in zip(ours, theirs, strict=True)]
    each = np.array([table.mean() for table in wins])
    probability = float(each.mean())
    if not (has_interval(ours) and has_interval(theirs)):
        return Improvement(probability, each, None, confidence)
    rng = np.random.default_rng(seed)
    largest = sum(len(x) + len(y) for x, y in zip(ours, theirs, strict=True))
    drawn = np.concatenate(
        [np.mean([_drawn(table, size, rng) for table in wins], axis=0) for size in chunks(resamples, largest)]
    )
    return Improvement(probability, each, drawn, confidence)


def _wins(ours: Floats, theirs: Floats) -> Floats:
    """1 where ours is higher, 1/2 where they are level, shape (n, m)."""
    return np.asarray((ours[:, None] > theirs) + (ours[:, None] == theirs) / 2)


def _drawn(wins: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """The probability on one task in each resample, shape (resamples,)."""
    ours, theirs = wins.shape
    x, y = draw_counts(ours, resamples, rng), draw_counts(theirs, resamples, rng)
    return np.asarray(np.einsum("ri,ri->r", product(x, wins), y) / wins.size)
