"""Intervals by stratified bootstrap: seeds are drawn anew within each task, so that no task weighs more in one resample
than in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics.aggregates import Statistic, interquartile_mean
from rlviz.analysis.statistics.resampling import checked, chunks, draw, percentile_ends

RESAMPLES = 10_000
CONFIDENCE = 0.95

FEWEST_SCORES = 2
"""Of one task, for an interval: one score says nothing about what others would be."""

_NORMAL = NormalDist()


class Method(StrEnum):
    """How an interval is read off the resamples.

    *percentile*: between their percentiles. *bca*: bias-corrected and accelerated (Efron 1987), which shifts these
    percentiles for a statistic that is biased or whose spread depends on its value; it takes more resamples to settle.
    """

    PERCENTILE = "percentile"
    BCA = "bca"


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


def has_interval(strata: Sequence[Floats]) -> bool:
    """Whether the bootstrap has anything to draw from: with one score a task, every resample is the same."""
    return any(len(scores) >= FEWEST_SCORES for scores in strata)


def bootstrap_interval(
    strata: Sequence[Floats],
    statistic: Statistic = interquartile_mean,
    *,
    method: Method = Method.PERCENTILE,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Interval of ``statistic`` over the scores of each task, arrays of shape (n,); None of tasks with one score each.

    The same ``seed`` gives the same interval. Raises ValueError without scores, or if one is not finite.
    """
    scores = checked(strata)
    if not has_interval(scores):
        return None
    found = resampled(scores, statistic, resamples, np.random.default_rng(seed))
    if method is Method.PERCENTILE:
        low, high = percentile_ends(found, confidence)
    else:
        tail = (1 - confidence) / 2
        low, high = np.quantile(found, _bca_shares(scores, statistic, found, (tail, 1 - tail)))
    return Interval(float(low), float(high))


def resampled(strata: Sequence[Floats], statistic: Statistic, resamples: int, rng: np.random.Generator) -> Floats:
    """``statistic`` of each resample, shape (resamples,)."""
    count = sum(map(len, strata))
    return np.concatenate([statistic(draw(strata, size, rng)) for size in chunks(resamples, count)])


def _bca_shares(
    strata: Sequence[Floats], statistic: Statistic, found: Floats, shares: tuple[float, float]
) -> tuple[float, float]:
    """The percentiles that BCa takes in place of ``shares`` (Efron and Tibshirani 1993, equation 14.10)."""
    estimate = float(statistic(strata))
    below = float(np.mean(found < estimate) + np.mean(found == estimate) / 2)
    if not 0 < below < 1:  # every resample is on one side: there is nothing to correct by
        return shares
    bias, acceleration = _NORMAL.inv_cdf(below), _acceleration(strata, statistic)

    def moved(share: float) -> float:
        shifted = bias + _NORMAL.inv_cdf(share)
        return _NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))

    return moved(shares[0]), moved(shares[1])


def _acceleration(strata: Sequence[Floats], statistic: Statistic) -> float:
    """From the jackknife within each task (Davison and Hinkley 1997, section 5.3.2). A task with one score has no
    influence: without it there is no task."""
    cubes = squares = 0.0
    for place, scores in enumerate(strata):
        count = len(scores)
        if count < 2:
            continue
        rest = np.broadcast_to(scores, (count, count))[~np.eye(count, dtype=bool)].reshape(count, count - 1)
        others = [np.broadcast_to(other, (count, len(other))) for other in strata]
        left_out = statistic([*others[:place], rest, *others[place + 1 :]])
        influence = (count - 1) * (left_out.mean() - left_out)
        cubes += float(np.sum(influence**3)) / count**3
        squares += float(np.sum(influence**2)) / count**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0
