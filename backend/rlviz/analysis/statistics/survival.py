"""Steps to a threshold over several seeds, some of which have not reached it: the Kaplan-Meier estimate.

A seed that was trained for 50,000 steps and never got there says that it takes *more than* 50,000: it is censored.
Leaving it out, or counting it as 50,000, makes an algorithm look faster the more often it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES


@dataclass(frozen=True, eq=False)
class Survival:
    """Arrays of shape (m,), one entry for each step at which a seed reached the threshold, ascending.

    ``waiting``: estimated share of seeds that have not reached it after that step; before the first it is 1. ``low``
    and ``high``: pointwise interval by Greenwood's formula on the log-log scale; ``high`` is NaN where none is left.
    ``at_risk``: seeds that had neither reached it nor ended before that step.
    """

    step: Floats
    waiting: Floats
    low: Floats
    high: Floats
    at_risk: Floats
    seeds: int
    reached: int

    @property
    def median(self) -> float | None:
        """Steps until half of the seeds have reached it; None if fewer have, as far as they were trained."""
        return self._first_at_half(self.waiting)

    @property
    def median_interval(self) -> tuple[float | None, float | None]:
        """The steps whose interval contains one half (Brookmeyer and Crowley 1982); None: not within the training, or
        of a single seed."""
        if self.seeds < FEWEST_SCORES:
            return None, None
        return self._first_at_half(self.low), self._first_at_half(self.high)

    def _first_at_half(self, share: Floats) -> float | None:
        half = np.flatnonzero(share <= 0.5 + 1e-12)  # a product of fractions may miss one half by its last digit
        return float(self.step[half[0]]) if len(half) else None


def kaplan_meier(steps: Floats, reached: Sequence[bool], *, confidence: float = CONFIDENCE) -> Survival:
    """Of each seed the steps until it ``reached`` the threshold, or, where it did not, the steps that it was trained
    for; both of shape (n,). One that ended at a step at which another reached it still counts there.

    Raises ValueError without seeds, or for steps below 0 or not finite.
    """
    times, events = np.asarray(steps, dtype=np.float64), np.asarray(reached, dtype=bool)
    if times.ndim != 1 or len(times) == 0 or times.shape != events.shape:
        raise ValueError("Give for each seed its steps, and whether it reached the threshold; at least for one.")
    if not (np.isfinite(times).all() and (times >= 0).all()):
        raise ValueError("Steps have to be finite numbers from 0.")
    when, solved = np.unique(times[events], return_counts=True)
    at_risk = (times[:, None] >= when).sum(axis=0).astype(np.float64)
    waiting = np.cumprod(1 - solved / at_risk)
    low, high = _log_log(waiting, at_risk, solved.astype(np.float64), confidence)
    return Survival(when, waiting, low, high, at_risk, seeds=len(times), reached=int(events.sum()))


def _log_log(waiting: Floats, at_risk: Floats, solved: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Pointwise interval that stays between 0 and 1 (Kalbfleisch and Prentice 2002, section 1.4)."""
    quantile = NormalDist().inv_cdf((1 + confidence) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.cumsum(solved / (at_risk * (at_risk - solved)))
        width = quantile * np.sqrt(variance) / np.abs(np.log(waiting))
        low, high = waiting ** np.exp(width), waiting ** np.exp(-width)
    return np.where(waiting > 0, low, 0.0), np.where(waiting > 0, high, np.nan)
