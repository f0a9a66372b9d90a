"""Solved: when a run's policy was first shown to reach the environment's reward threshold.

The threshold is the return from which Gymnasium counts an environment as solved, with the run's own options. Every
page, command and export uses this definition. The earliest of these counts:

- *training*: the mean return of the last 100 episodes (and not fewer) reaches the threshold, the rule for which
  Gymnasium sets its thresholds. The returns include exploration. In a fork, the parent's episodes count first, because
  the same policy continues to learn.
- *evaluation*: a policy of the run reaches the threshold on episodes that did not select it. Three kinds count:

  - the fresh episodes that a policy plays before the run keeps it as its best. The screening before does not count: it
    repeats the same few episodes, and the largest of many noisy means is too large;
  - an evaluation on request of LEAST_EPISODES episodes or more: as many as select a best policy with default settings,
    and as many as score a trial of an experiment. Fewer may be luck;
  - IN_A_ROW consecutive evaluations that all reach it, in a run of a foreign program. Its policies are not played
    again, so repetition replaces fresh episodes.

A run stays solved even if its policy becomes worse. Policies and episodes that a rollback discarded do not count.
Without a threshold (Pendulum, and options that make the original one unreachable) no run is solved.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rlviz.stats.arrays import Floats
from rlviz.stats.number_text import decimal
from rlviz.stats.returns import MEAN_EPISODES, MeanReturn

LEAST_EPISODES = 20
"""Minimum episodes of an evaluation on request that can show that a run is solved."""

IN_A_ROW = 3
"""Consecutive evaluations of a foreign run that must reach the threshold."""


class SolvedBy(StrEnum):
    EVALUATION = "evaluation"
    TRAINING = "training"


@dataclass(frozen=True, order=True)
class SolvedAt:
    """When a run was solved. ``step``: environment steps done by then; ``time``: Unix seconds."""

    step: int
    by: SolvedBy
    time: float


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation shows about the policy of ``step``: it reaches every threshold up to ``shown``.

    ``time``: Unix seconds when the policy had been trained; if unknown, when the evaluation was requested.
    """

    step: int
    time: float
    shown: float


MOST_FOUND = 5_000
"""Maximum entries of EvaluationsInARow: far more than any run has, a bound for journals from elsewhere."""


class EvaluationsInARow:
    """Periodic evaluations without fresh episodes: the lowest of IN_A_ROW consecutive results counts.

    ``found`` has an entry each time that minimum exceeds all earlier ones, at the last evaluation.
    """

    def __init__(self) -> None:
        self.found: list[Evaluated] = []
        self._newest: deque[float] = deque(maxlen=IN_A_ROW)

    def add(self, step: int, time: float, mean: float) -> None:
        """Add the next evaluation: its step, Unix seconds, and mean return (NaN if unknown)."""
        self._newest.append(mean if math.isfinite(mean) else -math.inf)
        shown = min(self._newest)
        if len(self._newest) == IN_A_ROW and shown > (self.found[-1].shown if self.found else -math.inf):
            self.found.append(Evaluated(step, time, shown))
            del self.found[:-MOST_FOUND]


def earlier_of(first: SolvedAt | None, second: SolvedAt | None) -> SolvedAt | None:
    """Return the result with the lower step; at the same step the evaluation wins."""
    return min((found for found in (first, second) if found is not None), default=None)


def shown_by_training(threshold: float | None, returns: Sequence[float]) -> bool:
    """Whether the newest episodes reach ``threshold``. ``returns`` are the last MEAN_EPISODES returns, or fewer."""
    return threshold is not None and len(returns) >= MEAN_EPISODES and sum(returns) / len(returns) >= threshold


def shown_by_evaluation(threshold: float | None, evaluated: Evaluated) -> SolvedAt | None:
    """Return the result of one evaluation; None if it does not reach ``threshold``."""
    if threshold is None or not evaluated.shown >= threshold:
        return None
    return SolvedAt(evaluated.step, SolvedBy.EVALUATION, evaluated.time)


def shown_return(mean: float, episodes: int) -> float:
    """Return the highest threshold that an evaluation on request can show; -inf if it has too few episodes.

    Args:
        mean: Mean return of its episodes.
        episodes: Number of episodes.
    """
    return mean if episodes >= LEAST_EPISODES and math.isfinite(mean) else -math.inf


def find_solved(
    step: Floats,
    time: Floats,
    returns: Floats,
    threshold: float | None,
    evaluations: Iterable[Evaluated],
    *,
    before: Sequence[float | None] = (),
) -> SolvedAt | None:
    """Return when a run reached ``threshold``; None if it did not.

    Args:
        step: Steps at which its episodes ended, shape (n,).
        time: Unix seconds at which they ended, shape (n,).
        returns: Their returns, shape (n,).
        threshold: The return to reach; None for none.
        evaluations: Evaluations that count.
        before: For a fork, returns of the last episodes before it.
    """
    found = solved_by_training(step, time, returns, threshold, before=before)
    return earlier_of(found, solved_by_evaluations(threshold, evaluations))


def solved_by_training(
    step: Floats, time: Floats, returns: Floats, threshold: float | None, *, before: Sequence[float | None] = ()
) -> SolvedAt | None:
    """Return when training episodes reached ``threshold``. Same arguments as ``find_solved``."""
    mean = MeanReturn(threshold)
    mean.extend(np.asarray(before, dtype=np.float64))
    reached = mean.find_threshold(returns)
    return None if reached is None else SolvedAt(int(step[reached]), SolvedBy.TRAINING, float(time[reached]))


def solved_by_evaluations(threshold: float | None, evaluations: Iterable[Evaluated]) -> SolvedAt | None:
    """Return the first policy that an evaluation shows to reach ``threshold``."""
    found: SolvedAt | None = None
    for evaluated in evaluations:
        found = earlier_of(found, shown_by_evaluation(threshold, evaluated))
    return found


def missing_evidence(threshold: float | None, mean: float, episodes: int) -> str | None:
    """Return why an evaluation whose mean reaches ``threshold`` does not show that the run is solved, and what would.

    None if it does show it, or if its mean is below the threshold.
    """
    if threshold is None or not mean >= threshold or shown_return(mean, episodes) >= threshold:
        return None
    few = "one episode" if episodes == 1 else f"{episodes} episodes"
    return (
        f"The mean return of {decimal(mean)} reaches the threshold of {decimal(threshold)}, but {few} may be luck. "
        f"Evaluate {LEAST_EPISODES} or more to see whether the run is solved."
    )
