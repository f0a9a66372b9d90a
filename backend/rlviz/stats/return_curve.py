"""ReturnCurve: a summary of a run's returns, updated per episode in constant memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rlviz.domain.limits import DEFAULT_WINDOW
from rlviz.stats.arrays import Floats
from rlviz.stats.returns import MeanReturn, RecentMean
from rlviz.stats.solved import SolvedAt, SolvedBy

WINDOW = DEFAULT_WINDOW
"""Episodes in the moving average."""

SPARKLINE_POINTS = 32


class ReturnCurve:
    """Mean return, best average, sparkline, and when training reached the threshold.

    The result is identical to the last digit however the episodes are split into batches, so a run followed live
    equals one read from its journal.

    Attributes:
        best: Best mean return of WINDOW consecutive episodes; None with fewer episodes.
        best_step: Environment step at which it was first reached.
        mean: Mean return of the last 100 episodes; ``mean_length`` likewise.
        solved: When that mean reached ``threshold``; None: never.
        count: Number of episodes.

    The last 100 episodes include ``before``, the returns and lengths of the parent's episodes before a fork;
    everything else only covers the run's own episodes.
    """

    def __init__(
        self, threshold: float | None = None, before: tuple[Sequence[float | None], Sequence[float | None]] = ((), ())
    ) -> None:
        self.best: float | None = None
        self.best_step: int | None = None
        self.solved: SolvedAt | None = None
        self._mean, self._mean_length = MeanReturn(threshold), RecentMean()
        for mean, values in zip((self._mean, self._mean_length), before, strict=True):
            mean.extend(np.asarray(values, dtype=np.float64))
        self.count = 0
        self._newest = np.zeros(WINDOW - 1)
        self._sparkline = _Sparkline()

    @property
    def has_mean(self) -> bool:
        """Whether any episode is known, including those before a fork."""
        return len(self._mean) > 0

    @property
    def mean(self) -> float | None:
        return self._mean.value

    @property
    def mean_length(self) -> float | None:
        return self._mean_length.value

    def extend(self, steps: ArrayLike, times: ArrayLike, returns: ArrayLike, lengths: ArrayLike) -> None:
        """Add episodes in order, as arrays of shape (n,): step and Unix time of each end, return, and length (NaN if
        unknown)."""
        step, value = np.asarray(steps, dtype=np.float64), np.asarray(returns, dtype=np.float64)
        if len(value) == 0:
            return
        reached = self._mean.find_threshold(value)
        if reached is not None:
            time = float(np.asarray(times, dtype=np.float64)[reached])
            self.solved = SolvedAt(int(step[reached]), SolvedBy.TRAINING, time)
        self._mean_length.extend(np.asarray(lengths, dtype=np.float64))
        averages = self._averages(value)
        self._note_best(step, averages)
        finite = np.isfinite(averages)
        self._sparkline.extend(step[finite], averages[finite])
        self._newest = np.concatenate([self._newest, value])[-(WINDOW - 1) :]
        self.count += len(value)

    def sparkline(self) -> list[float]:
        """Return at most SPARKLINE_POINTS moving averages, evenly spaced over the steps, with 6 significant digits. The
        first averages use fewer episodes."""
        return [float(f"{value:.6g}") for value in self._sparkline.values()]

    def _averages(self, value: Floats) -> Floats:
        """Return moving averages, summed in a fixed order, so that batches do not matter."""
        padded = np.concatenate([self._newest, value])
        sums = np.zeros(len(value))
        for lag in range(WINDOW):
            sums += padded[lag : lag + len(value)]
        averages: Floats = sums / np.minimum(self.count + np.arange(1, len(value) + 1), WINDOW)
        return averages

    def _note_best(self, step: Floats, averages: Floats) -> None:
        first_full = max(0, WINDOW - 1 - self.count)
        full = np.where(np.isfinite(averages[first_full:]), averages[first_full:], -np.inf)
        if len(full) == 0 or full.max() == -np.inf:
            return
        found = int(full.argmax())
        if self.best is None or full[found] > self.best:
            self.best, self.best_step = float(full[found]), int(step[first_full + found])


def thin_sparkline(values: Sequence[float], most: int) -> list[float]:
    """Return at most ``most`` (≥ 2) of ``values``, evenly spaced, including the first and last, with 4 significant
    digits."""
    kept = values
    if len(values) > most:
        kept = [values[round(place)] for place in np.linspace(0, len(values) - 1, most)]
    return [float(f"{value:.4g}") for value in kept]


class _Sparkline:
    """The last value in each of up to SPARKLINE_POINTS buckets; their common width doubles when there are more."""

    def __init__(self) -> None:
        self._length = 1
        self._step = 0.0
        self._values: list[float] = []  # NaN before the first episode

    def extend(self, step: Floats, value: Floats) -> None:
        if len(step) == 0:
            return
        step = np.maximum.accumulate(np.append(self._step, step))[1:]  # steps in a damaged journal may decrease
        self._step = float(step[-1])
        while step[-1] >= self._length * SPARKLINE_POINTS:
            self._double()
        stretch = (step // self._length).astype(np.intp)
        last = np.flatnonzero(np.append(np.diff(stretch) != 0, True))
        for index, newest in zip(stretch[last].tolist(), value[last].tolist(), strict=True):
            latest = self._values[-1] if self._values else np.nan
            self._values += [latest] * (index + 1 - len(self._values))
            self._values[index] = newest

    def values(self) -> list[float]:
        return [value for value in self._values if not np.isnan(value)]

    def _double(self) -> None:
        """Merge pairs of buckets, keeping the later value."""
        pairs = [self._values[start : start + 2] for start in range(0, len(self._values), 2)]
        self._values = [pair[-1] for pair in pairs]
        self._length *= 2
