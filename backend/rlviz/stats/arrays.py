"""The array types of the analysis, ``Series`` (one metric over a run), and thinning of curves to fewer points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Series:
    """One metric over a run: ``step``, ``time`` (Unix seconds) and ``value`` (NaN for null), each of shape (n,).

    Read-only views in journal order; rows appended later are not included.
    """

    step: Floats
    time: Floats
    value: Floats

    def __len__(self) -> int:
        return len(self.value)


MIN_POINTS = 4
"""Minimum number of points: first, last, minimum and maximum, with room for the 3 gaps between them."""


def downsample(x: Floats, y: Floats, max_points: int) -> tuple[Floats, Floats]:
    """Reduce the points (``x``, ``y``) to at most ``max_points`` that draw the same curve, in order.

    The range of x is divided into buckets of equal width, like the pixel columns of a screen. Kept are the first and
    last point, and the minimum and maximum of each bucket. A value that is not finite is a gap; one gap stays
    between kept points that have gaps between them, so no line is drawn across (below 7 points, as far as space
    allows).

    After M4 (Jugel, Jerzak, Hackenbroich and Markl, 2014, https://doi.org/10.14778/2732951.2732953), without the
    first and last point of inner buckets.

    Args:
        x: Non-decreasing positions, shape (n,).
        y: Values, shape (n,).
        max_points: Maximum number of points to return.

    Raises:
        ValueError: ``max_points`` is below MIN_POINTS, or the shapes differ.
    """
    kept = kept_points(x, y, max_points)
    return x[kept], y[kept]


def kept_points(x: Floats, y: Floats, max_points: int) -> Indices:
    """Return the indices of the points that ``downsample`` keeps, in order."""
    if max_points < MIN_POINTS:
        raise ValueError(f"max_points is {max_points}, but must be at least {MIN_POINTS} to keep every extreme.")
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must have the same shape (n,), not {x.shape} and {y.shape}.")
    if len(x) <= max_points:
        return np.arange(len(x))
    finite = np.isfinite(y)
    gaps = np.flatnonzero(~finite)
    buckets = _bucket_count(gaps, max_points)
    if len(gaps):
        numbers = np.flatnonzero(finite)
        extremes = numbers[_extremes(x[numbers], y[numbers], buckets)]
    else:
        extremes = _extremes(x, y, buckets)
    kept = np.union1d(extremes, [0, len(x) - 1])
    return np.union1d(kept, _gaps_between(kept, gaps)[: max_points - len(kept)])


def _bucket_count(gaps: Indices, max_points: int) -> int:
    """Return how many buckets fit: b buckets give 2b + 2 points, plus one gap per run of ``gaps``, at most 2b + 1 gaps.

    At least one, even if not every gap fits.
    """
    runs = int(np.count_nonzero(np.diff(gaps) > 1)) + (1 if len(gaps) else 0)
    return max(1, (max_points - 3) // 4, (max_points - 2 - runs) // 2)


def _extremes(x: Floats, y: Floats, buckets: int) -> Indices:
    """Return the indices of the minimum and maximum of each non-empty bucket, shape (≤ 2 × buckets,)."""
    if len(x) == 0:
        return np.empty(0, dtype=np.intp)
    edges = np.linspace(x[0], x[-1], buckets, endpoint=False)
    starts = np.unique(np.searchsorted(x, edges))
    ends = np.append(starts[1:], len(x))
    found = [
        begin + extreme(y[begin:end])
        for extreme in (np.argmin, np.argmax)
        for begin, end in zip(starts, ends, strict=True)
    ]
    return np.array(found, dtype=np.intp)


def _gaps_between(kept: Indices, gaps: Indices) -> Indices:
    """Return, for each pair of neighbours in ``kept``, the first of ``gaps`` between them, if any."""
    if len(gaps) == 0:
        return gaps
    places = np.searchsorted(gaps, kept[:-1], side="right")
    inside = places < np.searchsorted(gaps, kept[1:])
    return gaps[places[inside]]
