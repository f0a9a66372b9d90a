"""How much memory the archive and self-imitation use: their limits, and an estimate before a run starts.

The service imports this module, so it imports neither torch nor NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from rlviz.domain.config import ExplorationPlan
from rlviz.learning.algorithms.base import FLOAT, Hyperparameters, Layout
from rlviz.learning.environments.base import Environment

ARCHIVE_BYTES = 64_000_000
"""Most bytes of all states of the archive; the places that are chosen least often are dropped."""

IMITATION_BYTES = 64_000_000
"""Most bytes of the kept episodes of self-imitation; the worst are dropped."""

UNFINISHED_BYTES = IMITATION_BYTES // 4
"""Most bytes of all its unfinished episodes together; one that is longer than its share is not kept."""

_STATE = 4_000
"""Bytes of a compressed state of the Game Boy. One of MountainCar or of toy text takes about 600."""

_COMPRESSED = 3
"""How much smaller a picture that the agent sees is in the archive: three to seven times in Lamplighter."""


@dataclass(frozen=True)
class ExplorationMemory:
    """Bytes that exploration takes once it is full."""

    archive: int = 0
    imitation: int = 0
    """The kept episodes and the unfinished ones."""

    @property
    def bytes(self) -> int:
        return self.archive + self.imitation

    @classmethod
    def of_run(
        cls,
        plan: ExplorationPlan | None,
        environment: Environment,
        values: Hyperparameters,
        observation: Layout,
        action: Layout,
    ) -> Self:
        """Estimate what the plan of a run needs, at most its limits.

        Args:
            plan: The plan; None: no exploration.
            environment: The environment with its options.
            values: The hyperparameters.
            observation: How an observation is stored.
            action: How an action is stored.
        """
        if plan is None:
            return cls()
        return cls(
            _archive_bytes(environment, observation) if plan.archive is not None else 0,
            _imitation_bytes(plan.imitation, environment.max_episode_steps, values.environments, observation, action)
            if plan.imitation is not None
            else 0,
        )


def _archive_bytes(environment: Environment, observation: Layout) -> int:
    """Return the bytes of a state for each cell in each stage of progress."""
    world = environment.world
    places = world.cells * world.stages if world is not None else 0
    return min(ARCHIVE_BYTES, places * (_STATE + observation.nbytes // _COMPRESSED))


def _imitation_bytes(episodes: int, longest: int | None, n_envs: int, observation: Layout, action: Layout) -> int:
    """Return the bytes of ``episodes`` kept episodes and ``n_envs`` unfinished ones, all of ``longest`` steps."""
    if longest is None:
        return IMITATION_BYTES + UNFINISHED_BYTES
    episode = longest * (observation.nbytes + action.nbytes + FLOAT)
    return min(IMITATION_BYTES, episodes * episode) + min(UNFINISHED_BYTES, n_envs * episode)
