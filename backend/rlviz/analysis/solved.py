"""Solved: when a run's policy was first shown to reach the environment's reward threshold.

Gymnasium calls the reward threshold that from which an environment counts as learnt. Two things show it, whichever
comes first:

- *training*: the mean return of the last 100 episodes reaches the threshold, over 100 episodes and not fewer. This is
  the leaderboard's rule that the thresholds were set for; exploration is part of these returns. Of a fork, the
  episodes of its parent before it are among them: it is the same policy that learns on.
- *evaluation*: the greedy policy reaches it on fresh episodes, those that a policy plays again before it is kept as the
  best. The evaluation before, always on the same episodes, does not count by itself: of many noisy means the largest
  is too large, so that a policy may be lucky once.

A run stays solved, even if its policy is lost again. Without a threshold (Pendulum, and options under which no policy
comes near one) no run is solved. The threshold is that of the environment with the run's own options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.mean_return import MEAN_EPISODES, MeanReturn


class SolvedBy(StrEnum):
    EVALUATION = "evaluation"
    TRAINING = "training"


@dataclass(frozen=True, order=True)
class SolvedAt:
    """``step``: environment steps done by then; ``time``: Unix seconds."""

    step: int
    by: SolvedBy
    time: float


def earlier(first: SolvedAt | None, second: SolvedAt | None) -> SolvedAt | None:
    """Of two findings the one that came at the lower step; at one step the evaluation counts."""
    return min((found for found in (first, second) if found is not None), default=None)


def shown_by_training(threshold: float | None, returns: Sequence[float]) -> bool:
    """Whether the newest episodes show it, of which ``returns`` has the last MEAN_EPISODES or fewer."""
    return threshold is not None and len(returns) >= MEAN_EPISODES and sum(returns) / len(returns) >= threshold


def shown_by_evaluation(threshold: float | None, step: int, time: float, mean_return: float) -> SolvedAt | None:
    """What a greedy evaluation on fresh episodes shows."""
    if threshold is None or not mean_return >= threshold:
        return None
    return SolvedAt(step, SolvedBy.EVALUATION, time)


def find_solved(
    step: Floats,
    time: Floats,
    returns: Floats,
    threshold: float | None,
    evaluations: Iterable[tuple[int, float, float]],
    *,
    before: Sequence[float | None] = (),
) -> SolvedAt | None:
    """When a whole run reached ``threshold``. Episodes come as arrays of shape (n,); ``evaluations`` are those on fresh
    episodes, each with its step, its time and its mean return. ``before``: returns of the last episodes before the
    fork, if it is one."""
    found = None
    mean = MeanReturn(threshold)
    mean.extend(np.asarray(before, dtype=np.float64))
    if (reached := mean.find_threshold(returns)) is not None:
        found = SolvedAt(int(step[reached]), SolvedBy.TRAINING, float(time[reached]))
    for evaluation in evaluations:
        found = earlier(found, shown_by_evaluation(threshold, *evaluation))
    return found
