"""Criterion: what tells when a run has reached a return, the same for all runs that are compared.

A run counts as solved by whatever shows it first (``stats/solved.py``). Two runs must not be compared by that: one
that plays greedy evaluations is shown to have got there long before the mean over 100 exploring episodes says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rlviz.domain.config import EvaluationPlan
from rlviz.stats.number_text import brief, decimal
from rlviz.stats.returns import MEAN_EPISODES


class Source(StrEnum):
    """What a criterion looks at."""

    TRAINING = "training"
    EVALUATION = "evaluation"


@dataclass(frozen=True)
class Criterion:
    """``resolution``: environment steps between two looks; 0 where every episode is one."""

    source: Source
    resolution: int = 0

    def names(self, threshold: float) -> str:
        """What is reached, to be put behind *reached* or *first to*: ``a mean return of 475.0 over …``."""
        goal = f"a mean return of {decimal(threshold)}"
        if self.source is Source.TRAINING:
            return f"{goal} over {MEAN_EPISODES} episodes of training"
        return f"{goal} in greedy evaluations, one every {brief(self.resolution)} steps"


BY_TRAINING = Criterion(Source.TRAINING)


def common_criterion(plans: Sequence[EvaluationPlan | None], episodes: Sequence[int]) -> Criterion | None:
    """The criterion that treats all runs alike; None if there is none.

    Greedy evaluations, if all runs make them by the same plan: exploration does not hide what a policy can do there.
    Otherwise the episodes of training, if all runs have some.

    Args:
        plans: How each run is evaluated while it trains; None if it is not known.
        episodes: How many episodes of training each run has finished.
    """
    first = plans[0] if plans else None
    if first is not None and first.every_steps is not None and all(_alike(first, plan) for plan in plans):
        return Criterion(Source.EVALUATION, first.every_steps)
    return BY_TRAINING if episodes and all(episodes) else None


def _alike(first: EvaluationPlan, other: EvaluationPlan | None) -> bool:
    return other is not None and (first.every_steps, first.episodes) == (other.every_steps, other.episodes)
