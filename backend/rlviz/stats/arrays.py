"""The array types that analysis works with, and the series of one metric.

Formatting of numbers in sentences, the same as in the front end.

Fewer points that draw the same curve.
"""

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

    Read-only views in journal order; rows appended later do not show in them.
    """

    step: Floats
    time: Floats
    value: Floats

    def __len__(self) -> int:
        return len(self.value)


MIN_POINTS = 4
"""First, last, minimum and maximum; with 3 more there is room for every gap between them."""


def downsample(x: Floats, y: Floats, max_points: int) -> tuple[Floats, Floats]:
    """At most ``max_points`` of the points (``x``, ``y``), in their order; all of them if they are few enough.

    ``x`` (non-decreasing) and ``y`` have shape (n,). The range of x is cut into buckets of equal width, as
    a screen is into columns of pixels, and kept are: the first and the last point, and the minimum and the
    maximum of every bucket; hence those of the whole curve. A value that is not finite is a gap: where there
    was one or more between two points that are kept, one stays, so that no line is drawn across (below
    7 points as far as there is room).

    Raises ValueError if ``max_points`` is below MIN_POINTS or the shapes differ.

    After M4 (Jugel, Jerzak, Hackenbroich and Markl, 2014, https://doi.org/10.14778/2732951.2732953), without
    the first and last point of inner buckets.
    """
    kept = kept_points(x, y, max_points)
    return x[kept], y[kept]


def kept_points(x: Floats, y: Floats, max_points: int) -> Indices:
    """The indices of the points that ``downsample`` keeps, in their order."""
    if max_points < MIN_POINTS:
        raise ValueError(f"max_points is {max_points}; at least {MIN_POINTS} are needed to keep every extreme.")
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must be of one shape (n,), not {x.shape} and {y.shape}.")
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
    """How many buckets fit: b of them give 2b + 2 points, and one gap a run of ``gaps``, at most 2b + 1 in all.

    One at least, even if not every gap finds room.
    """
    runs = int(np.count_nonzero(np.diff(gaps) > 1)) + (1 if len(gaps) else 0)
    return max(1, (max_points - 3) // 4, (max_points - 2 - runs) // 2)


def _extremes(x: Floats, y: Floats, buckets: int) -> Indices:
    """Indices of the minimum and the maximum of each bucket that is not empty. Shape (≤ 2 × buckets,)."""
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
    """For each two neighbours of ``kept`` the first of ``gaps`` that lies between them, if one does."""
    if len(gaps) == 0:
        return gaps
    places = np.searchsorted(gaps, kept[:-1], side="right")
    inside = places < np.searchsorted(gaps, kept[1:])
    return gaps[places[inside]]
