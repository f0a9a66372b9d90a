"""RandomPolicy: chance as a policy, so that its episodes are played, filmed and recorded as those of any other."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np

from rlviz.algorithms.reading import Reading

SEEDS = 2**31
"""Number of different seeds that an episode's actions can be drawn with."""


class RandomPolicy:
    """Draws each action from ``action_space``, asked to be deterministic or not, and makes nothing of what it sees.

    At the beginning of an episode its generator is seeded from NumPy's global one, which the rollout seeds with the
    episode's seed: so the actions repeat, whichever episodes were played before. The generator is the state of the
    episode, so that a prediction without a state, which nobody acts on, takes no number from the episode under way.
    """

    def __init__(self, action_space: gymnasium.Space[Any]) -> None:
        self.action_space = deepcopy(action_space)

    def predict(
        self,
        observation: Any,
        state: gymnasium.Space[Any] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, gymnasium.Space[Any]]:
        """``state`` is the action space of the episode, whose generator draws; None at its beginning."""
        begins = episode_start is not None and np.any(episode_start)
        if begins or state is None:
            state = deepcopy(self.action_space)
            state.seed(int(np.random.randint(SEEDS)) if begins else 0)
        return np.stack([state.sample() for _ in observation]), state

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading()
