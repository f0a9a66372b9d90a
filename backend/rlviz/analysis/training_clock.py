"""TrainingClock: how many seconds a run had trained at a time of day, over all of its attempts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import numpy as np

from rlviz.analysis.arrays import Floats


@dataclass(frozen=True)
class TrainingClock:
    """It runs while an attempt trains and stands still between two of them.

    ``attempts``: when each began and ended, Unix seconds, in order; the end of one that trains is None. Without any the
    clock starts with the first of the times that it is asked for.
    """

    attempts: tuple[tuple[float, float | None], ...] = ()

    def seconds(self, time: Floats) -> Floats:
        """Seconds of training by each of ``time`` (Unix seconds), both of shape (n,) and the answer non-decreasing:
        where the clock of the machine was set back, time stands still until it has caught up."""
        if len(time) == 0:
            return time
        steady: Floats = np.maximum.accumulate(time)
        if not self.attempts:
            begun: Floats = steady - steady[0]
            return begun
        ticks = list(self._ticks(until=float(steady[-1])))
        at, trained = np.array(ticks).T
        found: Floats = np.interp(steady, at, trained)
        return found

    def at(self, time: float) -> float:
        """Seconds of training by ``time``; 0 without any attempt."""
        return float(self.seconds(np.array([time]))[0])

    def _ticks(self, until: float) -> Iterable[tuple[float, float]]:
        """The beginning and the end of each attempt, and the seconds trained by then."""
        trained, after = 0.0, -inf
        for start, end in self.attempts:
            begin = max(start, after)
            after = max(begin, until if end is None else end)
            yield begin, trained
            trained += after - begin
            yield after, trained
