"""An episode in an environment, played by a policy, a person, or random actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rlviz.algorithms.reading import Reading
from rlviz.environments.conforming import own_action

MAX_EPISODE_STEPS = 27_000
"""Step limit for environments without one: half an hour of Atari, as in the Arcade Learning Environment (108,000
frames, four a step)."""

Env = gymnasium.Env[Any, Any]


class Step(NamedTuple):
    """The state of an episode after ``number`` actions, the last of which was ``action``; step 0, the reset, has none.

    ``episode`` is the place of the episode among those that are played, from 0; ``episode_return`` the sum of rewards
    so far. ``reading`` is what the policy makes of ``observation``, from which it chooses the next action; None unless
    it was asked for (docs/decisions/019).
    """

    episode: int
    number: int
    observation: Any
    action: Any = None
    reward: float = 0.0
    episode_return: float = 0.0
    terminated: bool = False
    truncated: bool = False
    reading: Reading | None = None

    @property
    def is_last(self) -> bool:
        return self.terminated or self.truncated


class Episode:
    """Call ``begin``, then ``take`` until a step is the last. ``newest`` is the newest step."""

    def __init__(self, env: Env, place: int, seed: int, max_steps: int = MAX_EPISODE_STEPS) -> None:
        self.env, self.place, self.seed = env, place, seed
        self._max_steps = max_steps
        self.newest = Step(place, 0, None)

    def begin(self) -> Step:
        observation, _ = self.env.reset(seed=self.seed)
        self.newest = Step(self.place, 0, observation)
        return self.newest

    def take(self, action: Any) -> Step:
        """Take an action, given in any form that ``as_action`` accepts."""
        before = self.newest
        action = as_action(self.env.action_space, action)
        observation, reward, terminated, truncated, _ = self.env.step(action)
        reward, number = float(reward), before.number + 1
        self.newest = Step(
            self.place,
            number,
            observation,
            action,
            reward,
            before.episode_return + reward,
            bool(terminated),
            bool(truncated or (number >= self._max_steps and not terminated)),
        )
        return self.newest


def batch_of(observations: Sequence[Any]) -> NDArray[Any]:
    """``observations`` along a new first axis; those without a shape (dictionaries, tuples, text) as objects."""
    if not isinstance(observations[0], dict | tuple | str):
        return np.stack(observations)
    batch = np.empty(len(observations), dtype=object)
    for place, observation in enumerate(observations):
        batch[place] = observation
    return batch


def as_action(space: gymnasium.Space[Any], action: Any) -> Any:
    """``action``, as a policy gives it, in the form ``space`` contains: an int, or an array of its shape and type."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(np.asarray(action).item())
    return own_action(space, action)
