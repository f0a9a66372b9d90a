"""Summary: several scores in the figures that a table shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics.aggregates import interquartile_mean, mean, median
from rlviz.analysis.statistics.bootstrap import RESAMPLES, Interval, bootstrap_interval
from rlviz.analysis.statistics.resampling import checked


@dataclass(frozen=True)
class Summary:
    """``interval``: of the interquartile mean. ``std``: of the sample (n - 1). Both are None for a single score."""

    count: int
    iqm: float
    interval: Interval | None
    median: float
    mean: float
    std: float | None


def summarize(strata: Sequence[Floats], *, resamples: int = RESAMPLES, seed: int = 0) -> Summary:
    """Sum up the scores of one task or of several. Raises ValueError without scores, or if one is not finite."""
    tasks = checked(strata)
    scores = np.concatenate(tasks)
    return Summary(
        count=len(scores),
        iqm=float(interquartile_mean(tasks)),
        interval=bootstrap_interval(tasks, resamples=resamples, seed=seed),
        median=float(median(tasks)),
        mean=float(mean(tasks)),
        std=float(scores.std(ddof=1)) if len(scores) > 1 else None,
    )
