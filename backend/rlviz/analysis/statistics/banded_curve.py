"""Learning curves of several seeds as one: the interquartile mean at each step, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rlviz.analysis.arrays import Floats, Indices
from rlviz.analysis.numbers import brief
from rlviz.analysis.statistics.aggregates import interquartile_mean
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES
from rlviz.analysis.statistics.resampling import chunks, percentile_ends

AS_LONG = 0.98
"""What trained for at least this share of the steps of another trained for as long: runs end with whole rollouts."""

BAND_RESAMPLES = 500
"""Enough to draw by: a line of the band moves by less than a pixel or two."""


@dataclass(frozen=True, eq=False)
class BandedCurve:
    """Arrays of shape (m,) over the grid of the curves; NaN where not all seeds have a value.

    ``low`` and ``high``: pointwise interval of ``iqm``, NaN for fewer than two seeds. ``count``: seeds that the value
    is of, 0 where there is none.
    """

    iqm: Floats
    low: Floats
    high: Floats
    count: Indices


def banded_curve(
    values: Floats, *, confidence: float = CONFIDENCE, resamples: int = BAND_RESAMPLES, seed: int = 0
) -> BandedCurve:
    """One curve from the curves of n seeds on one grid.

    It stops where the first seed does: of fewer seeds it would leap to what those that are left have reached. The same
    seeds are drawn at every step, as a bootstrap of whole curves does.

    Args:
        values: Shape (n, m), NaN where a seed has no value.
        confidence: Of the interval.
        resamples: Of the bootstrap.
        seed: Of its draws.

    Raises:
        ValueError: Without seeds.
    """
    if len(values) == 0:
        raise ValueError("A curve over seeds needs at least one.")
    known = np.isfinite(values).all(axis=0)
    columns = np.flatnonzero(known)
    iqm, low, high = np.full((3, values.shape[1]), np.nan)
    curves = values[:, columns]
    count = len(curves)
    if len(columns):
        iqm[columns] = interquartile_mean([curves.T])
    if count >= FEWEST_SCORES and len(columns):
        drawn = np.random.default_rng(seed).integers(count, size=(resamples, count))
        done = 0
        for size in chunks(len(columns), resamples * count):
            part = slice(done, done + size)
            found = interquartile_mean([curves.T[part][:, drawn]])
            low[columns[part]], high[columns[part]] = percentile_ends(found, confidence)
            done += size
    return BandedCurve(iqm, low, high, np.where(known, count, 0))


def why_not_all(
    ends: Floats,
    left_out: int,
    place: Callable[[float], str] = lambda step: f"step {brief(step)}",
    one: str = "seed",
) -> list[str]:
    """Sentences that say why a curve is not of all seeds, or stops before some of its seeds do.

    Args:
        ends: The last step of each seed that the curve is of, shape (n,).
        left_out: Seeds that still train and have not come far enough.
        place: Says where a step is.
        one: What one of them is called.
    """
    sentences = []
    if left_out:
        train, them = (f"{one} still trains and is", "it") if left_out == 1 else (f"{one}s still train and are", "them")
        sentences.append(f"{left_out} {train} left out until the curve would not be shorter with {them}.")
    longer = int((AS_LONG * ends > ends.min()).sum()) if len(ends) else 0
    if longer:
        more = "one of them goes" if longer == 1 else f"{longer} of them go"
        sentences.append(
            f"The curve stops at {place(float(ends.min()))}, the last that all {len(ends)} {one}s reached; {more} on."
        )
    return sentences


def far_enough(ends: Sequence[float], trains: Sequence[bool]) -> NDArray[np.bool_]:
    """Which seeds make up one curve, shape (n,): all that have ended, and of those that still train the ones that have
    come far enough not to hold the others back.

    As a curve stops where the first of its seeds does, a seed that has just begun would leave nothing of it. So those
    are left out with which the curve would be of less: fewer seeds times steps.

    Args:
        ends: The last step of each seed, shape (n,).
        trains: Whether it still trains, shape (n,).
    """
    steps, still = np.asarray(ends, dtype=np.float64), np.asarray(trains, dtype=bool)
    furthest_first = np.flatnonzero(still)[np.argsort(-steps[still], kind="stable")]
    best, most = ~still, -1.0
    for taken in range(len(furthest_first) + 1):
        chosen = ~still
        chosen[furthest_first[:taken]] = True
        if chosen.any() and (area := float(chosen.sum() * steps[chosen].min())) >= most:
            best, most = chosen, area
    return best
