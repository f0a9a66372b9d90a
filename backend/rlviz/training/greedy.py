"""Playing the greedy policy beside training, without a trace in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

import gymnasium
import numpy as np
import torch

from rlviz.algorithms.policy import Policy

SIDE_BY_SIDE = 16
"""Environments played together at most: one prediction then serves them all."""

MAX_EPISODE_STEPS = 27_000
"""An episode of an environment without a step limit is cut off here, as in every evaluation."""

Env = gymnasium.Env[Any, Any]


@dataclass(frozen=True)
class Score:
    """Returns and lengths of some episodes, in the order of their seeds."""

    returns: tuple[float, ...]
    lengths: tuple[int, ...]

    @property
    def mean(self) -> float:
        return fmean(self.returns)

    @property
    def std(self) -> float:
        """Population standard deviation."""
        return pstdev(self.returns)


class GreedyPlayer:
    """Plays episodes in environments of its own, which are made when first needed. ``close`` after use."""

    def __init__(self, make: Callable[[], Env]) -> None:
        self._make = make
        self._envs: list[Env] = []

    def play(self, policy: Policy, seeds: Sequence[int], interrupted: Callable[[], bool]) -> Score | None:
        """An episode for each seed; None if ``interrupted`` came true, which is asked at every step.

        The generators that training draws from are afterwards as they were before.
        """
        returns, lengths = [0.0] * len(seeds), [0] * len(seeds)
        with undisturbed():
            for begin in range(0, len(seeds), SIDE_BY_SIDE):
                part = range(begin, min(begin + SIDE_BY_SIDE, len(seeds)))
                if not self._play_part(policy, {index: seeds[index] for index in part}, returns, lengths, interrupted):
                    return None
        return Score(tuple(returns), tuple(lengths))

    def close(self) -> None:
        for env in self._envs:
            env.close()
        self._envs.clear()

    def _play_part(
        self,
        policy: Policy,
        seeds: dict[int, int],
        returns: list[float],
        lengths: list[int],
        interrupted: Callable[[], bool],
    ) -> bool:
        while len(self._envs) < len(seeds):
            self._envs.append(self._make())
        playing = {
            index: (env, env.reset(seed=seed)[0])
            for env, (index, seed) in zip(self._envs[: len(seeds)], seeds.items(), strict=True)
        }
        while playing:
            if interrupted():
                return False
            observations = np.stack([observation for _, observation in playing.values()])
            actions, _ = policy.predict(observations, deterministic=True)
            for (index, (env, _)), action in zip(list(playing.items()), actions, strict=True):
                observation, reward, terminated, truncated, _ = env.step(_as_action(env.action_space, action))
                returns[index] += float(reward)
                lengths[index] += 1
                if terminated or truncated or lengths[index] >= MAX_EPISODE_STEPS:
                    del playing[index]
                else:
                    playing[index] = env, observation
        return True


def _as_action(space: gymnasium.Space[Any], action: Any) -> Any:
    return int(action) if isinstance(space, gymnasium.spaces.Discrete) else action


@contextmanager
def undisturbed() -> Iterator[None]:
    """Leave Python's, NumPy's and torch's global generators as they were found."""
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])
