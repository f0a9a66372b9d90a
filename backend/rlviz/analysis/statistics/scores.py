"""Scores as statistics take them, and the resamples that the bootstrap draws of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rlviz.analysis.arrays import Floats

CHUNK_SCORES = 500_000
"""Scores drawn at a time, so that many resamples need little memory and stay in the processor's cache."""


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
