"""Warns about training that has too few rounds of updates to learn.

Single runs and the trials of an experiment give the same warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from rlviz.learning.algorithms import ALGORITHMS

FEWEST_UPDATES = 5
"""Rounds of updates below which training learns almost nothing, whatever the other hyperparameters."""


@dataclass(frozen=True, order=True)
class UpdateCount:
    """The rounds of updates in a training.

    Args:
        updates: Number of rounds; one follows each rollout.
        rollout: Environment steps in a rollout.
        is_linear: Whether the learning rate falls linearly: it is 0 in the last round, which may be the only one.
    """

    updates: int
    rollout: int
    is_linear: bool

    def warning(self, subject: str) -> str | None:
        """Return a warning in two sentences if the rounds are too few, else None. ``subject``: "run" or "trial"."""
        if self.updates >= FEWEST_UPDATES:
            return None
        few = f"{self.updates} rounds of updates, too few to learn much"
        if self.updates < 2:
            few = "a single round of updates" + (
                ", at a learning rate of 0: it learns nothing" if self.is_linear else ""
            )
        return (
            f"A {subject} whose rollouts have {self.rollout:,} steps has {few}. Give "
            f"{FEWEST_UPDATES * self.rollout:,} steps or more, or smaller rollouts."
        )


def count_updates(hyperparameters: Mapping[str, JsonValue], end: int, rollout: int) -> UpdateCount:
    """Return the rounds of updates of a training that ends at step ``end`` with rollouts of ``rollout`` steps."""
    return UpdateCount(end // rollout, rollout, hyperparameters.get("learning_rate_schedule") == "linear")


def learns_from_rollouts(algo: str) -> bool:
    """Return whether an algorithm updates after each rollout; others learn from a replay buffer or from each step."""
    return algo in ALGORITHMS.names() and "n_steps" in ALGORITHMS.get(algo).hyperparameters.rollout_factors


def warn_of_few_updates(algo: str, hyperparameters: Mapping[str, JsonValue], total_timesteps: int) -> str | None:
    """Return a warning if a run of ``total_timesteps`` is too short to learn, else None.

    ``hyperparameters`` must be complete.
    """
    if not learns_from_rollouts(algo):
        return None
    algorithm = ALGORITHMS.get(algo)
    rollout = algorithm.training_end(1, hyperparameters)
    return count_updates(hyperparameters, algorithm.training_end(total_timesteps, hyperparameters), rollout).warning(
        "run"
    )
