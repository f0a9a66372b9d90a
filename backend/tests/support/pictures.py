"""Environments with image observations, and policies that look at a known part of them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from rlviz.domain.registry import load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy

SHAPE = (4, 36, 48)
ROWS, COLUMNS = slice(20, 26), slice(6, 12)
"""The part of the newest picture that ``Looking`` looks at."""


class Pictures(gymnasium.Env[Any, Any]):
    """Random pictures that ignore the actions."""

    def __init__(self, actions: spaces.Space[Any], shape: tuple[int, ...] = SHAPE) -> None:
        self.observation_space = spaces.Box(0, 255, shape, np.uint8)
        self.action_space = actions

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self._seen(), 0.0, False, False, {}

    def _seen(self) -> Any:
        return self.np_random.integers(0, 256, self.observation_space.shape, np.uint8)


class Looking(BaseFeaturesExtractor):
    """Uses only the mean of a part of the newest picture."""

    def __init__(self, space: spaces.Box) -> None:
        super().__init__(space, 1)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return seen[:, -1, ROWS, COLUMNS].mean(dim=(1, 2), keepdim=False)[:, None]


def looking_policy(algo: str, actions: spaces.Space[Any], shape: tuple[int, ...] = SHAPE) -> TrainedPolicy:
    """Return an untrained policy of ``algo`` that uses only a part of the newest picture."""
    algorithm = ALGORITHMS.get(algo)
    kwargs = {"features_extractor_class": Looking, "net_arch": []}
    if algo in ("sac", "td3"):
        kwargs["net_arch"] = [8]
    arguments = {} if algo in ("ppo", "a2c", "trpo") else {"buffer_size": 1}
    env = Pictures(actions, shape)
    model = load(algorithm.model_class)("CnnPolicy", env, seed=3, device="cpu", policy_kwargs=kwargs, **arguments)
    return TrainedPolicy(algorithm, model, None)
