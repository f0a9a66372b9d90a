"""A wrapper for training: values that an environment counts in its own way, as Stable-Baselines3 counts them.

Imports Gymnasium: only workers import this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rlviz.algorithms.numbering import Numbering, library_space
from rlviz.environments.wrappers import Env, Outcome, Wrapper


class CountedFromZero(Wrapper):
    """Shows observations and takes actions as the library counts them. Policies undo this when they play: see
    ``rlviz.algorithms.policy``."""

    def __init__(self, env: Env, numbering: Numbering) -> None:
        super().__init__(env)
        self.agent_numbering = numbering
        self.observation_space = library_space(env.observation_space, is_action=False)
        self.action_space = library_space(env.action_space, is_action=True)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return self._seen(observation), info

    def step(self, action: Any) -> Outcome:
        own = self.agent_numbering.actions(np.asarray(action)[np.newaxis])[0]
        observation, reward, terminated, truncated, info = self.env.step(own)
        return self._seen(observation), float(reward), terminated, truncated, info

    def _seen(self, observation: Any) -> Any:
        return self.agent_numbering.observations(np.asarray(observation)[np.newaxis])[0]


def counted_from_zero(env: Env) -> Env:
    """``env`` itself if the library takes its observations and actions as they are."""
    numbering = Numbering.of_spaces(env.observation_space, env.action_space)
    return env if numbering is None else CountedFromZero(env, numbering)
