"""Outcome: what training with one seed came to, and what several of them amount to."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from rlviz.analysis.statistics import bootstrap_interval, iqm
from rlviz.domain.presets import MeasuredPreset

IN_A_ROW = 3
"""Evaluations that have to reach the threshold before a seed counts as solved."""


class Outcome(BaseModel):
    """Evaluations of the greedy policy along the way, and the final policy's mean return on fresh episodes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int
    steps: list[int]
    returns: list[float]
    seconds: list[float]
    """Of processor time in training, without evaluations, up to each of them: the same beside other work."""
    final_return: float

    def solved_at(self, threshold: float | None) -> int | None:
        """Index of the first of IN_A_ROW evaluations that reach ``threshold``; None if there are none."""
        if threshold is None:
            return None
        for index in range(len(self.returns) - IN_A_ROW + 1):
            if min(self.returns[index : index + IN_A_ROW]) >= threshold:
                return index
        return None


def summarize(outcomes: Sequence[Outcome], threshold: float | None) -> MeasuredPreset:
    finals = np.array([outcome.final_return for outcome in outcomes])
    interval = bootstrap_interval([finals])
    solved = [(outcome, index) for outcome in outcomes if (index := outcome.solved_at(threshold)) is not None]
    return MeasuredPreset(
        seeds=len(outcomes),
        solved=len(solved),
        held=None if threshold is None else sum(outcome.final_return >= threshold for outcome in outcomes),
        return_iqm=round(iqm(finals), 3),
        return_low=round(interval.low, 3),
        return_high=round(interval.high, 3),
        steps_to_threshold=round(statistics.median(o.steps[i] for o, i in solved)) if solved else None,
        seconds_to_threshold=round(statistics.median(o.seconds[i] for o, i in solved), 1) if solved else None,
        seconds=round(statistics.median(outcome.seconds[-1] for outcome in outcomes), 1),
    )
