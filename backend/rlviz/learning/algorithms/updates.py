"""Warns about training that has too few rounds of updates to learn.

Single runs, the trials of an experiment and the form for a new run use the same sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from rlviz.learning.algorithms import ALGORITHMS

FEWEST_UPDATES = 5
"""With fewer rounds of updates, training learns almost nothing, regardless of the other hyperparameters."""

_WARNING = (
    "With {rollout} steps per rollout, a {subject} has {few}. "
    "Train for at least {enough} steps, or use smaller rollouts."
)

_FEW = "only {updates} rounds of updates, too few to learn much"
_SINGLE = "only one round of updates"
_NOTHING = f"{_SINGLE}, with a learning rate of 0, so it learns nothing"


@dataclass(frozen=True)
class LengthWarnings:
    """Templates of warnings with the fields ``{rollout}``, ``{enough}`` and, in ``few``, ``{updates}``.

    Args:
        few: For several rounds of updates, but fewer than FEWEST_UPDATES.
        single: For a single round of updates.
        nothing: For a single round of updates with a linear schedule, whose learning rate is 0.
    """

    few: str
    single: str
    nothing: str


def warnings_for(subject: str) -> LengthWarnings:
    """Return the templates for a "run" or a "trial"."""
    start, end = _WARNING.replace("{subject}", subject).split("{few}")
    return LengthWarnings(*(f"{start}{few}{end}" for few in (_FEW, _SINGLE, _NOTHING)))


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
        templates = warnings_for(subject)
        template = templates.few if self.updates > 1 else templates.nothing if self.is_linear else templates.single
        return template.format(
            updates=self.updates, rollout=f"{self.rollout:,}", enough=f"{FEWEST_UPDATES * self.rollout:,}"
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
    end = algorithm.training_end(total_timesteps, hyperparameters)
    return count_updates(hyperparameters, end, rollout).warning("run")
