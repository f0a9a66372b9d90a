"""Averages of returns: ``MeanReturn`` (shown on every page, detects the threshold), moving and exponential averages.
Also the best-first order of variants, and ``TrainingClock``, which converts times of day into seconds of training."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import TypeVar

import numpy as np

from rlviz.stats.arrays import Floats

MEAN_EPISODES = 100
"""Episodes in the mean return, as in Stable-Baselines3's ``rollout/ep_rew_mean`` and Gymnasium's thresholds."""


class RecentMean:
    """The mean of the newest MEAN_EPISODES values (or all if fewer), updated incrementally.

    ``value`` is None without values, and while one of them is not finite. It is identical to the last digit however
    the values are split into batches.
    """

    def __init__(self) -> None:
        self._newest = np.empty(0)

    def __len__(self) -> int:
        return len(self._newest)

    @property
    def value(self) -> float | None:
        if len(self._newest) == 0:
            return None
        mean = float(np.cumsum(self._newest)[-1] / len(self._newest))  # summed in a fixed order, as in MeanReturn
        return mean if np.isfinite(mean) else None

    def extend(self, values: Floats) -> None:
        """Add ``values`` of shape (n,), in order; NaN if unknown."""
        self._newest = np.concatenate([self._newest, values[-MEAN_EPISODES:]])[-MEAN_EPISODES:]


class MeanReturn(RecentMean):
    """A RecentMean that also finds the value which completes the first full mean at or above ``threshold``.

    A mean over fewer than MEAN_EPISODES values does not count, because the first episodes may be lucky.
    """

    def __init__(self, threshold: float | None = None) -> None:
        super().__init__()
        self._threshold = threshold
        self._searching = threshold is not None

    def find_threshold(self, values: Floats) -> int | None:
        """Add ``values``; return the index of the value that first reaches the threshold, or None. Only reports it
        once."""
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
    """Return the means of each MEAN_EPISODES consecutive values; n values give n - 99 means."""
    count = max(len(values) - MEAN_EPISODES + 1, 0)
    sums = np.zeros(count)
    for lag in range(MEAN_EPISODES):
        sums += values[lag : lag + count]
    means: Floats = sums / MEAN_EPISODES
    return means


def moving_average(values: Floats, window: int) -> Floats:
    """Return the mean of each value and the ``window`` - 1 values before it, shape (n,).

    The first means use fewer values, like Stable-Baselines3's ``rollout/ep_rew_mean`` (with a window of 100). A NaN
    only affects the windows that contain it.

    Sums blocks from the left and from the right (van Herk, 1992, https://doi.org/10.1016/0167-8655(92)90069-C),
    because differences of one running sum lose digits.

    Args:
        values: Shape (n,).
        window: Values per mean.

    Raises:
        ValueError: ``window`` is below 1.
    """
    if window < 1:
        raise ValueError(f"A moving average needs a window of at least 1, not {window}.")
    if window == 1:
        return np.array(values, dtype=np.float64)
    count = len(values)
    window = min(window, max(count, 1))
    padded = np.zeros(-(-count // window) * window)
    padded[:count] = values
    blocks = padded.reshape(-1, window)
    sums = np.cumsum(blocks, axis=1).ravel()[:count]
    tails = np.cumsum(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    starts = np.arange(count) - window + 1
    split = (starts > 0) & (starts % window > 0)
    sums[split] += tails[starts[split]]
    averages: Floats = sums / np.minimum(np.arange(1, count + 1), window)
    return averages


@dataclass(frozen=True)
class ExponentialAverage:
    """An exponential average. ``values``: the average at each point, shape (n,), NaN at gaps.

    ``mean`` is the newest average (NaN without numbers) and ``weight`` the total weight of all numbers: a client can
    continue with both when points are added.
    """

    values: Floats
    mean: float
    weight: float


_LEAST_WEIGHT = 1e-100
"""Smallest weight of the oldest number in a block; below it, the division would overflow."""


def exponential_average(values: Floats, smoothing: float) -> ExponentialAverage:
    """Return the debiased exponential moving average of ``values``, shape (n,); NaN marks gaps, which are skipped.

        a_t = (Σ_{i≤t} s^(t-i) · y_i) / (Σ_{i≤t} s^(t-i)),   s = smoothing

    The browser continues it for live rows (``MovingAverage`` in ``frontend/src/lib/stream/series``), so both must
    agree. Computed in blocks, each a running sum of numbers scaled by s^-i. Raises ValueError unless 0 ≤ s < 1.
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"Smoothing must be at least 0 and below 1, not {smoothing}.")
    known = np.isfinite(values)
    numbers = values[known]
    sums, weights = _discounted_sums(numbers, smoothing)
    averages = np.full(len(values), np.nan)
    averages[known] = sums / weights
    if len(numbers) == 0:
        return ExponentialAverage(averages, float("nan"), 0.0)
    return ExponentialAverage(averages, float(sums[-1] / weights[-1]), float(weights[-1] * (1 - smoothing)))


def _discounted_sums(numbers: Floats, discount: float) -> tuple[Floats, Floats]:
    """Return Σ_{i≤t} discount^(t-i) · y_i, and the same sum of ones; each of shape (n,)."""
    count = len(numbers)
    if discount == 0:
        return numbers.copy(), np.ones(count)
    size = max(1, min(count, int(np.log(_LEAST_WEIGHT) / np.log(discount))))
    powers = discount ** np.arange(1.0, size + 1.0)
    weights = _weights(count, discount)
    sums = np.empty(count)
    before = 0.0
    for start in range(0, count, size):
        block = numbers[start : start + size]
        scale = powers[: len(block)]
        found = scale * (np.cumsum(block / scale) + before)
        sums[start : start + size] = found
        before = float(found[-1])
    return sums, weights


def _weights(count: int, discount: float) -> Floats:
    """Return Σ_{i≤t} discount^(t-i) = (1 - discount^t) / (1 - discount), shape (count,), which soon becomes
    constant."""
    weights = np.full(count, 1 / (1 - discount))
    changing = min(count, int(np.log(np.finfo(np.float64).eps / 4) / np.log(discount)) + 1)
    weights[:changing] *= 1 - discount ** np.arange(1.0, changing + 1.0)
    return weights


Ranked = TypeVar("Ranked")


def best_first(variants: Iterable[Ranked], rank: Callable[[Ranked], int | None]) -> list[Ranked]:
    """Sort by ``rank``, from 1. Equal ranks keep their order; items without a rank come last."""

    def standing(one: Ranked) -> tuple[bool, int]:
        place = rank(one)
        return place is None, place or 0

    return sorted(variants, key=standing)


@dataclass(frozen=True)
class TrainingClock:
    """Counts seconds while an attempt trains, and stops between attempts.

    ``attempts``: start and end of each in Unix seconds, in order; the end of a running one is None. Without
    attempts, the clock starts at the first requested time.
    """

    attempts: tuple[tuple[float, float | None], ...] = ()

    def seconds(self, time: Floats) -> Floats:
        """Return the seconds of training at each ``time`` (Unix seconds), both of shape (n,); the result never
        decreases.

        If the machine's clock was set back, time stands still until it has caught up.
        """
        if len(time) == 0:
            return time
        steady: Floats = np.maximum.accumulate(time)
        if not self.attempts:
            elapsed: Floats = steady - steady[0]
            return elapsed
        ticks = list(self._ticks(until=float(steady[-1])))
        at, trained = np.array(ticks).T
        found: Floats = np.interp(steady, at, trained)
        return found

    def at(self, time: float) -> float:
        """Return the seconds of training at ``time``; 0 without attempts."""
        return float(self.seconds(np.array([time]))[0])

    def _ticks(self, until: float) -> Iterable[tuple[float, float]]:
        """Yield the start and end of each attempt, each with the seconds trained by then."""
        trained, after = 0.0, -inf
        for start, end in self.attempts:
            begin = max(start, after)
            after = max(begin, until if end is None else end)
            yield begin, trained
            trained += after - begin
            yield after, trained
