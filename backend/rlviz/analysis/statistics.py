"""Statistics over seeds, as Agarwal et al. recommend (2021, https://arxiv.org/abs/2108.13264)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats

RESAMPLES = 10_000
CONFIDENCE = 0.95

Statistic = Callable[[Floats], Floats]
"""From scores of shape (resamples, n) to one number for each row, shape (resamples,)."""


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """Summary of several scores. ``interval``: of the interquartile mean. ``std``: of the sample (n - 1); None for a
    single score."""

    count: int
    iqm: float
    interval: Interval
    median: float
    mean: float
    std: float | None


def interquartile_means(scores: Floats) -> Floats:
    """The mean of the middle half of each row; of n scores the lowest and the highest n // 4 are left out."""
    cut = scores.shape[-1] // 4
    means: Floats = np.sort(scores, axis=-1)[..., cut : scores.shape[-1] - cut].mean(axis=-1)
    return means


def iqm(scores: Floats) -> float:
    """Interquartile mean of scores of shape (n,). Raises ValueError without scores."""
    return float(interquartile_means(_checked([scores])[0]))


def bootstrap_interval(
    strata: Sequence[Floats],
    statistic: Statistic = interquartile_means,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Percentile interval of ``statistic`` over all scores, by stratified bootstrap.

    ``strata``: the scores of each task, arrays of shape (n,); drawn anew within each task, so that no task weighs more
    in one sample than in another. The same ``seed`` gives the same interval. Raises ValueError without scores.
    """
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(scores, (resamples, len(scores))) for scores in _checked(strata)]
    tail = 50 * (1 - confidence)
    low, high = np.percentile(statistic(np.concatenate(drawn, axis=1)), [tail, 100 - tail])
    return Interval(float(low), float(high))


def summarize(strata: Sequence[Floats], *, resamples: int = RESAMPLES, seed: int = 0) -> Summary:
    """Sum up the scores of one task or of several. Raises ValueError without scores, or if one is not finite."""
    scores = np.concatenate(_checked(strata))
    return Summary(
        count=len(scores),
        iqm=iqm(scores),
        interval=bootstrap_interval(strata, resamples=resamples, seed=seed),
        median=float(np.median(scores)),
        mean=float(scores.mean()),
        std=float(scores.std(ddof=1)) if len(scores) > 1 else None,
    )


def _checked(strata: Sequence[Floats]) -> list[Floats]:
    found = [np.asarray(scores, dtype=np.float64) for scores in strata]
    if not found or any(scores.ndim != 1 or len(scores) == 0 for scores in found):
        raise ValueError("Every task needs at least one score.")
    if not all(np.isfinite(scores).all() for scores in found):
        raise ValueError("Scores have to be finite numbers.")
    return found
