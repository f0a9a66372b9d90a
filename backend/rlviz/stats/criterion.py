"""Criterion: when a run has reached a return, judged the same way for all compared runs.

A run counts as solved by the earliest evidence (``stats/solved.py``). That is unfair in comparisons: a run with
evaluations shows success long before the mean over 100 exploring episodes does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rlviz.domain.config import EvaluationPlan
from rlviz.stats.number_text import brief_number, decimal
from rlviz.stats.returns import MEAN_EPISODES


class Source(StrEnum):
    """The data that a criterion uses."""

    TRAINING = "training"
    EVALUATION = "evaluation"


@dataclass(frozen=True)
class Criterion:
    """How reaching a return is detected.

    ``resolution`` is the number of environment steps between checks; 0: every episode. ``deterministic``: whether
    evaluations take the most likely actions.
    """

    source: Source
    resolution: int = 0
    deterministic: bool = True

    def names(self, threshold: float) -> str:
        """Return what is reached as text, to follow *reached* or *first to*: ``a mean return of 475.0 over …``."""
        goal = f"a mean return of {decimal(threshold)}"
        if self.source is Source.TRAINING:
            return f"{goal} over {MEAN_EPISODES} episodes of training"
        evaluations = "greedy evaluations" if self.deterministic else "evaluations with sampled actions"
        return f"{goal} in {evaluations} (one every {brief_number(self.resolution)} steps)"


BY_TRAINING = Criterion(Source.TRAINING)


def common_criterion(plans: Sequence[EvaluationPlan | None], episodes: Sequence[int]) -> Criterion | None:
    """Return a criterion that treats all runs alike; None if there is none.

    Evaluations if all runs make them by the same plan, because each judges a single policy; otherwise the training
    episodes, if all runs have some.

    Args:
        plans: Evaluation plan of each run; None if unknown.
        episodes: Number of finished training episodes of each run.
    """
    first = plans[0] if plans else None
    if first is not None and first.every_steps is not None and all(_alike(first, plan) for plan in plans):
        return Criterion(Source.EVALUATION, first.every_steps, first.is_greedy)
    return BY_TRAINING if episodes and all(episodes) else None


def _alike(first: EvaluationPlan, other: EvaluationPlan | None) -> bool:
    return other is not None and (first.every_steps, first.episodes, first.is_greedy) == (
        other.every_steps,
        other.episodes,
        other.is_greedy,
    )
