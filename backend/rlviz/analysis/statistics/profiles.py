"""Performance profiles: which share of all scores lies above each value (Agarwal et al. 2021, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, has_interval
from rlviz.analysis.statistics.resampling import checked, chunks, draw_counts, percentile_ends, product

PROFILE_RESAMPLES = 2_000


@dataclass(frozen=True, eq=False)
class Profile:
    """Arrays of shape (m,). ``share``: of the scores that are greater than ``value``; ``low`` and ``high``: its band,
    at each value by itself, NaN for one score a task."""

    value: Floats
    share: Floats
    low: Floats
    high: Floats


def performance_profile(
    strata: Sequence[Floats],
    values: Floats,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = PROFILE_RESAMPLES,
    seed: int = 0,
) -> Profile:
    """The profile at ``values``, with percentile bands by stratified bootstrap. Raises ValueError without scores."""
    tasks = checked(strata)
    count = sum(map(len, tasks))
    above = [(scores[:, None] > values).astype(np.float64) for scores in tasks]
    share = np.concatenate(above).mean(axis=0)
    if not has_interval(tasks):
        return Profile(values, share, np.full_like(share, np.nan), np.full_like(share, np.nan))
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            sum(product(draw_counts(len(task), size, rng), task) for task in above) / count
            for size in chunks(resamples, max(count, len(values)))
        ]
    )
    low, high = percentile_ends(drawn.T, confidence)
    return Profile(values, share, low, high)
