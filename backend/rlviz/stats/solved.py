"""Solved: when a run's policy was first shown to reach the environment's reward threshold.

The threshold is the return from which Gymnasium counts an environment as learnt, with the run's own options. Every
page, command and export uses this definition. The earliest of these counts:

- *training*: the mean return of the last 100 episodes reaches the threshold, over 100 episodes and not fewer. Gymnasium
  sets its thresholds for this rule. The returns include exploration. The episodes of a fork's parent count before its
  own: the same policy continues to learn.
- *evaluation*: a policy of the run reaches the threshold on episodes that did not choose it. Three kinds count:

  - the fresh episodes that a policy plays again before the run keeps it as its best. The screening before does not
    count by itself: it plays the same few episodes each time, and the largest of many noisy means is too large;
  - an evaluation on request of LEAST_EPISODES episodes or more: as many as a policy plays until it is kept as the best,
    with the default settings, and as many as give a trial of an experiment its score. Fewer may be luck;
  - IN_A_ROW evaluations in a row that all reach it, in a run of the user's own program. Nothing there is played again,
    so that repetition stands for it.

A run stays solved, even if its policy becomes worse. Policies and episodes that a rollback has discarded do not count.
Without a threshold (Pendulum, and options under which no policy comes near one) no run is solved.
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
"""Fewest episodes of an evaluation on request that can show a run to be solved."""

IN_A_ROW = 3
"""Evaluations of a run of the user's own program that have to reach the threshold one after the other."""


class SolvedBy(StrEnum):
    EVALUATION = "evaluation"
    TRAINING = "training"


@dataclass(frozen=True, order=True)
class SolvedAt:
    """``step``: environment steps done by then; ``time``: Unix seconds."""

    step: int
    by: SolvedBy
    time: float


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation says of the policy of ``step``: it reaches every threshold up to ``shown``.

    ``time``: Unix seconds at which the policy had been trained, or, as long as that is not known, at which the
    evaluation was asked for.
    """

    step: int
    time: float
    shown: float


MOST_FOUND = 5_000
"""Entries that EvaluationsInARow keeps: far more than any run has, a bound for journals from elsewhere."""


class EvaluationsInARow:
    """Periodic evaluations whose policies do not play again: what the lowest of IN_A_ROW of them shows.

    ``found`` holds one entry for each time that this is more than ever before, at the last of the evaluations.
    """

    def __init__(self) -> None:
        self.found: list[Evaluated] = []
        self._newest: deque[float] = deque(maxlen=IN_A_ROW)

    def add(self, step: int, time: float, mean: float) -> None:
        """Take the next evaluation: its step, Unix seconds, and mean return (NaN if unknown)."""
        self._newest.append(mean if math.isfinite(mean) else -math.inf)
        shown = min(self._newest)
        if len(self._newest) == IN_A_ROW and shown > (self.found[-1].shown if self.found else -math.inf):
            self.found.append(Evaluated(step, time, shown))
            del self.found[:-MOST_FOUND]


def earlier(first: SolvedAt | None, second: SolvedAt | None) -> SolvedAt | None:
    """The finding with the lower step; at the same step the evaluation counts."""
    return min((found for found in (first, second) if found is not None), default=None)


def shown_by_training(threshold: float | None, returns: Sequence[float]) -> bool:
    """Whether the newest episodes reach ``threshold``. ``returns`` has the last MEAN_EPISODES of them or fewer."""
    return threshold is not None and len(returns) >= MEAN_EPISODES and sum(returns) / len(returns) >= threshold


def shown_by_evaluation(threshold: float | None, evaluated: Evaluated) -> SolvedAt | None:
    """The finding that an evaluation makes; None if it does not reach ``threshold``."""
    if threshold is None or not evaluated.shown >= threshold:
        return None
    return SolvedAt(evaluated.step, SolvedBy.EVALUATION, evaluated.time)


def shown_return(mean: float, episodes: int) -> float:
    """The highest threshold that an evaluation on request shows to be reached; -inf if it is too short to show any.

    Args:
        mean: Mean return of its episodes.
        episodes: How many there are.
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
    """When a whole run reached ``threshold``; None if it did not.

    Args:
        step: Steps at which its episodes ended, shape (n,).
        time: Unix seconds at which they ended, shape (n,).
        returns: Their returns, shape (n,).
        threshold: The return to reach, if there is one.
        evaluations: Those that count.
        before: Returns of the last episodes before the fork, if the run is one.
    """
    found = solved_by_training(step, time, returns, threshold, before=before)
    return earlier(found, solved_by_evaluations(threshold, evaluations))


def solved_by_training(
    step: Floats, time: Floats, returns: Floats, threshold: float | None, *, before: Sequence[float | None] = ()
) -> SolvedAt | None:
    """When the episodes of training reached ``threshold``. Takes the same as ``find_solved``."""
    mean = MeanReturn(threshold)
    mean.extend(np.asarray(before, dtype=np.float64))
    reached = mean.find_threshold(returns)
    return None if reached is None else SolvedAt(int(step[reached]), SolvedBy.TRAINING, float(time[reached]))


def solved_by_evaluations(threshold: float | None, evaluations: Iterable[Evaluated]) -> SolvedAt | None:
    """The first policy that an evaluation shows to reach ``threshold``."""
    found: SolvedAt | None = None
    for evaluated in evaluations:
        found = earlier(found, shown_by_evaluation(threshold, evaluated))
    return found


def what_is_missing(threshold: float | None, mean: float, episodes: int) -> str | None:
    """Why an evaluation on request whose mean reaches ``threshold`` does not show the run to be solved, and what would.

    None if it does, or if its mean lies below.
    """
    if threshold is None or not mean >= threshold or shown_return(mean, episodes) >= threshold:
        return None
    few = "one episode" if episodes == 1 else f"{episodes} episodes"
    return (
        f"The mean return of {decimal(mean)} reaches the threshold of {decimal(threshold)}, but {few} may be luck. "
        f"Evaluate {LEAST_EPISODES} or more to see whether the run is solved."
    )
