"""Learning curves of several seeds as one: the interquartile mean at each step, with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rlviz.analysis.arrays import Floats, Indices
from rlviz.analysis.statistics.aggregates import interquartile_mean
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES
from rlviz.analysis.statistics.resampling import chunks, percentile_ends

BAND_RESAMPLES = 500
"""Enough to draw by: a line of the band moves by less than a pixel or two."""


@dataclass(frozen=True, eq=False)
class BandedCurve:
    """Arrays of shape (m,) over the grid of the curves; NaN where no seed has a value.

    ``low`` and ``high``: pointwise interval of ``iqm``, NaN where fewer than two seeds have a value. ``count``: seeds
    that do: where it is below the number of seeds, the others had not begun there, or had ended.
    """

    iqm: Floats
    low: Floats
    high: Floats
    count: Indices


def banded_curve(
    values: Floats, *, confidence: float = CONFIDENCE, resamples: int = BAND_RESAMPLES, seed: int = 0
) -> BandedCurve:
    """From the curves of n seeds on one grid, shape (n, m), NaN where a seed has no value: nothing is put in its place.

    The same seeds are drawn at every step, as a bootstrap of whole curves does. Raises ValueError without seeds.
    """
    if len(values) == 0:
        raise ValueError("A curve over seeds needs at least one.")
    known = np.isfinite(values)
    iqm, low, high = np.full((3, values.shape[1]), np.nan)
    rng = np.random.default_rng(seed)
    for which, columns in _alike(known):
        curves = values[np.ix_(which, columns)]
        count = len(curves)
        if count == 0:
            continue
        iqm[columns] = interquartile_mean([curves.T])
        if count < FEWEST_SCORES:
            continue
        drawn = rng.integers(count, size=(resamples, count))
        done = 0
        for size in chunks(len(columns), resamples * count):
            part = slice(done, done + size)
            found = interquartile_mean([curves.T[part][:, drawn]])
            low[columns[part]], high[columns[part]] = percentile_ends(found, confidence)
            done += size
    return BandedCurve(iqm, low, high, known.sum(axis=0))


def _alike(known: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.bool_], Indices]]:
    """Which seeds have values, with the steps at which just these do: one bootstrap does for all of them."""
    columns: dict[bytes, list[int]] = {}
    for column, which in enumerate(np.ascontiguousarray(known.T)):
        columns.setdefault(which.tobytes(), []).append(column)
    for which_bytes, found in sorted(columns.items()):
        yield np.frombuffer(which_bytes, dtype=np.bool_), np.array(found)
