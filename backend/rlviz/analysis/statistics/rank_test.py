"""Rank test: how likely ranks are that lie as far apart as these, if both come from the same distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, erfc, lcm, sqrt

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics.resampling import checked

MOST_EXACT = 40
"""Scores of both on one task. With more the statistic is as good as normal."""

MOST_STEPS = 20_000
"""Values that the sum over all tasks can take: those of tasks with different numbers of scores are many."""


def rank_test(first: Sequence[Floats], second: Sequence[Floats]) -> float:
    """The two-sided p-value of Mann and Whitney (1947), with ties, of the probability of improvement averaged over the
    tasks: the share of all ways to deal the scores of each task to the two in which it lies as far from one half.

    ``first``, ``second``: for each task scores of shape (n,). Exact for up to 40 scores a task, from the normal
    distribution, with its variance corrected for ties, above. Raises ValueError without scores, or if the two have
    different numbers of tasks.
    """
    ours, theirs = checked(first), checked(second)
    tasks = list(zip(ours, theirs, strict=True))
    steps = lcm(*(2 * len(x) * len(y) for x, y in tasks))
    if max(len(x) + len(y) for x, y in tasks) > MOST_EXACT or steps * len(tasks) > MOST_STEPS:
        return _by_normal(tasks)
    wins = sum(_twice_u(x, y) * (steps // (2 * len(x) * len(y))) for x, y in tasks)
    shares = np.ones(1)
    for x, y in tasks:
        shares = np.convolve(shares, _spread(_twice_u_shares(x, y), steps // (2 * len(x) * len(y))))
    middle = steps * len(tasks) / 2
    far = np.abs(np.arange(len(shares)) - middle) >= abs(wins - middle)
    return min(1.0, float(shares[far].sum()))


def _twice_u(x: Floats, y: Floats) -> int:
    """Twice the number of pairs in which x is higher; a tie counts one."""
    return int(2 * (x[:, None] > y).sum() + (x[:, None] == y).sum())


def _twice_u_shares(x: Floats, y: Floats) -> Floats:
    """Of all ways to deal the scores to the two the share that has each value of ``_twice_u``, shape (2 n m + 1,)."""
    n, m = len(x), len(y)
    _, ties = np.unique(np.concatenate([x, y]), return_counts=True)
    ways = np.zeros((n + 1, 2 * n * m + 1))
    ways[0, 0] = 1
    dealt = 0
    for tied in ties.tolist():  # from the lowest score on: those dealt before lie below
        after = np.zeros_like(ways)
        for had in range(max(0, dealt - m), min(n, dealt) + 1):
            for more in range(max(0, dealt + tied - m - had), min(tied, n - had) + 1):
                gain = more * (2 * (dealt - had) + tied - more)
                after[had + more, gain:] += comb(tied, more) * ways[had, : ways.shape[1] - gain]
        ways, dealt = after, dealt + tied
    return np.asarray(ways[n] / comb(n + m, n))


def _spread(shares: Floats, apart: int) -> Floats:
    """The same with ``apart`` steps from one to the next."""
    wide = np.zeros((len(shares) - 1) * apart + 1)
    wide[::apart] = shares
    return wide


def _by_normal(tasks: Sequence[tuple[Floats, Floats]]) -> float:
    away, variance = 0.0, 0.0
    for x, y in tasks:
        n, m = len(x), len(y)
        _, ties = np.unique(np.concatenate([x, y]), return_counts=True)
        away += _twice_u(x, y) / (2 * n * m) - 0.5
        variance += (n + m + 1 - float((ties**3 - ties).sum()) / ((n + m) * (n + m - 1))) / (12 * n * m)
    return erfc(abs(away) / sqrt(2 * variance)) if variance > 0 else 1.0
