"""Moving averages over the points of a metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats


def moving_average(values: Floats, window: int) -> Floats:
    """Mean of each value and the ``window`` - 1 before it. Shape (n,), as ``values``.

    The first means are over as many values as there are, like Stable-Baselines3's ``rollout/ep_rew_mean``
    (with a window of 100). A NaN makes the means of the windows that hold it NaN, and no others.
    Raises ValueError if ``window`` is below 1.

    Sums of blocks from the left and from the right (van Herk, 1992,
    https://doi.org/10.1016/0167-8655(92)90069-C), since differences of one running sum lose digits.
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
    """``values``: the average at each point, shape (n,), NaN where the point is one.

    ``mean`` is the newest average (NaN before there is a number) and ``weight`` the weight of all numbers together:
    with both, whoever has further points goes on from here.
    """

    values: Floats
    mean: float
    weight: float


_LEAST_WEIGHT = 1e-100
"""Smallest weight of the oldest number in a block: below it, dividing would overflow."""


def exponential_average(values: Floats, smoothing: float) -> ExponentialAverage:
    """Debiased exponential moving average of ``values``, shape (n,), with NaN for a gap, which is passed over.

        a_t = (Σ_{i≤t} s^(t-i) · y_i) / (Σ_{i≤t} s^(t-i)),   s = smoothing

    The browser goes on with it for live rows (``MovingAverage`` in ``frontend/src/lib/stream/series``), so both come to
    the same. In blocks, each a running sum of numbers that are scaled up by s^-i. Raises ValueError unless 0 ≤ s < 1.
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"Smoothing is at least 0 and below 1, not {smoothing}.")
    known = np.isfinite(values)
    numbers = values[known]
    sums, weights = _discounted_sums(numbers, smoothing)
    averages = np.full(len(values), np.nan)
    averages[known] = sums / weights
    if len(numbers) == 0:
        return ExponentialAverage(averages, float("nan"), 0.0)
    return ExponentialAverage(averages, float(sums[-1] / weights[-1]), float(weights[-1] * (1 - smoothing)))


def _discounted_sums(numbers: Floats, discount: float) -> tuple[Floats, Floats]:
    """Σ_{i≤t} discount^(t-i) · y_i, and the same of ones; each of shape (n,)."""
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
    """Σ_{i≤t} discount^(t-i), shape (count,): (1 - discount^t) / (1 - discount), which soon stands still."""
    weights = np.full(count, 1 / (1 - discount))
    changing = min(count, int(np.log(np.finfo(np.float64).eps / 4) / np.log(discount)) + 1)
    weights[:changing] *= 1 - discount ** np.arange(1.0, changing + 1.0)
    return weights
