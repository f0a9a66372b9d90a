"""Learning curves of several seeds as one: the interquartile mean at each step, with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats, Indices
from rlviz.analysis.statistics.aggregates import interquartile_mean
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES
from rlviz.analysis.statistics.scores import chunks

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
    tail = 50 * (1 - confidence)
    for which in np.unique(known.T, axis=0):  # one bootstrap for all steps at which the same seeds have values
        columns = np.flatnonzero((which == known.T).all(axis=1))
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
            low[columns[part]], high[columns[part]] = np.percentile(found, [tail, 100 - tail], axis=-1)
            done += size
    return BandedCurve(iqm, low, high, known.sum(axis=0))
