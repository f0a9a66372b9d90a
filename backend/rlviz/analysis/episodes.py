"""The episode axis: how many episodes had ended when a row was logged."""

from __future__ import annotations

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.columns import Series


def episodes_done(series: Series, ends: Series) -> Floats:
    """For each row of ``series``, shape (n,), the episodes that had ended at its step.

    ``ends`` is the metric ``episode/index``: its value counts the episodes, from 1. A metric that is logged with
    each episode (as many rows, at the same steps) is given that episode's own index, even where parallel
    environments end several at one step. Steps are non-decreasing in both.
    """
    index: Floats = np.fmax.accumulate(ends.value)  # never goes back, whatever a journal says
    if len(series) == len(ends) and np.array_equal(series.step, ends.step):
        return index
    done = np.searchsorted(ends.step, series.step, side="right")
    return np.concatenate([np.zeros(1), index])[done]
