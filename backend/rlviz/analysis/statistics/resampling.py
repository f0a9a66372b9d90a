"""Resamples of scores, as the bootstrap draws them, and scores as every statistic takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rlviz.analysis.arrays import Floats

CHUNK_SCORES = 500_000
"""Scores drawn at a time, so that many resamples need little memory and stay in the processor's cache."""

PRODUCT_SIZE = 200_000
"""Multiplications of a matrix product at a time: OpenBLAS shares larger ones among threads, which wait for each other
much longer than such small products take."""


def checked(strata: Sequence[Floats]) -> list[Floats]:
    """The scores of each task as an array of shape (n,). Raises ValueError without scores, or if one is not finite."""
    found = [np.asarray(scores, dtype=np.float64) for scores in strata]
    if not found or any(scores.ndim != 1 or len(scores) == 0 for scores in found):
        raise ValueError("Every task needs at least one score.")
    if not all(np.isfinite(scores).all() for scores in found):
        raise ValueError("Scores have to be finite numbers.")
    return found


def chunks(resamples: int, scores: int) -> Iterator[int]:
    """Sizes of the parts in which ``resamples`` of that many ``scores`` each are drawn. Raises ValueError below 1."""
    if resamples < 1:
        raise ValueError(f"An interval needs at least 1 resample, not {resamples}.")
    size = max(1, CHUNK_SCORES // scores)
    for done in range(0, resamples, size):
        yield min(size, resamples - done)


def draw(strata: Sequence[Floats], resamples: int, rng: np.random.Generator) -> list[Floats]:
    """Resamples with replacement within each task, shapes (resamples, n)."""
    return [scores[rng.integers(len(scores), size=(resamples, len(scores)))] for scores in strata]


def draw_counts(count: int, resamples: int, rng: np.random.Generator) -> Floats:
    """How often each of ``count`` scores is in each resample, shape (resamples, count)."""
    places = rng.integers(count, size=(resamples, count)) + count * np.arange(resamples)[:, None]
    return np.bincount(places.ravel(), minlength=resamples * count).reshape(resamples, count).astype(np.float64)


def product(counts: Floats, values: Floats) -> Floats:
    """``counts @ values`` of shapes (resamples, n) and (n, m)."""
    found = np.empty((len(counts), values.shape[1]))
    rows = max(1, PRODUCT_SIZE // max(values.size, 1))
    for start in range(0, len(counts), rows):
        np.matmul(counts[start : start + rows], values, out=found[start : start + rows])
    return found


def percentile_ends(drawn: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Between which values the middle ``confidence`` of the last axis of ``drawn`` lies, as ``np.percentile`` has it
    by linear interpolation."""
    ordered = np.sort(drawn, axis=-1)
    last = ordered.shape[-1] - 1

    def at(share: float) -> Floats:
        place = share * last
        below = int(place)
        low, high = ordered[..., below], ordered[..., min(below + 1, last)]
        return np.asarray(low + (high - low) * (place - below))

    tail = (1 - confidence) / 2
    return at(tail), at(1 - tail)
