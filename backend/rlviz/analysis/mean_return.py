"""MeanReturn: the mean return of a run as every page shows it, and where it reached the threshold."""

from __future__ import annotations

import numpy as np

from rlviz.analysis.arrays import Floats

MEAN_EPISODES = 100
"""Episodes in the mean return, as in Stable-Baselines3's ``rollout/ep_rew_mean`` and in Gymnasium's thresholds."""


class RecentMean:
    """The mean of the newest MEAN_EPISODES values, or of all while there are fewer; updated incrementally.

    ``value`` is that mean, None before the first value and while one of the values is not finite. It is the same to the
    last digit however the values are split into batches.
    """

    def __init__(self) -> None:
        self._newest = np.empty(0)

    def __len__(self) -> int:
        return len(self._newest)

    @property
    def value(self) -> float | None:
        if len(self._newest) == 0:
            return None
        mean = float(np.cumsum(self._newest)[-1] / len(self._newest))  # summed in one order, as in MeanReturn
        return mean if np.isfinite(mean) else None

    def extend(self, values: Floats) -> None:
        """Add ``values`` of shape (n,), in order; NaN if unknown."""
        self._newest = np.concatenate([self._newest, values[-MEAN_EPISODES:]])[-MEAN_EPISODES:]


class MeanReturn(RecentMean):
    """As RecentMean, and finds the value that completes the first full mean at or above ``threshold``.

    A mean over fewer than MEAN_EPISODES values does not count: the first episodes may be lucky.
    """

    def __init__(self, threshold: float | None = None) -> None:
        super().__init__()
        self._threshold = threshold
        self._searching = threshold is not None

    def find_threshold(self, values: Floats) -> int | None:
        """Add ``values``; return the index of the one at which the threshold was reached, only the first time."""
        found = self._search(values) if self._searching else None
        self.extend(values)
        return found

    def _search(self, values: Floats) -> int | None:
        assert self._threshold is not None
        known = np.concatenate([self._newest[-(MEAN_EPISODES - 1) :], values])
        means = full_means(known)
        reached = np.flatnonzero(means >= self._threshold)
        if len(reached) == 0:
            return None
        self._searching = False
        return int(reached[0]) + len(values) - len(means)


def full_means(values: Floats) -> Floats:
    """The mean of each value and the MEAN_EPISODES - 1 before it, where there are as many; of n values n - 99 means."""
    count = max(len(values) - MEAN_EPISODES + 1, 0)
    sums = np.zeros(count)
    for lag in range(MEAN_EPISODES):
        sums += values[lag : lag + count]
    means: Floats = sums / MEAN_EPISODES
    return means
