"""Test environments, each registered with one registry entry."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from rlviz.learning.environments.base import Environment, Family, Space

_FAMILY = Family("test", "Test")

MOUNTAIN_CAR = Environment(
    id="MountainCar-v0",
    name="Mountain Car",
    family=_FAMILY,
    summary="Rock a car out of a valley.",
    observation_space=Space("Box", shape=(2,)),
    action_space=Space("Discrete", n=3),
    reward_threshold=-110.0,
    max_episode_steps=200,
    render_fps=30,
)

FRAGILE = Environment(
    id="Fragile-v0",
    name="Fragile",
    family=_FAMILY,
    summary="Breaks at its fiftieth step.",
    observation_space=Space("Box", shape=(1,)),
    action_space=Space("Discrete", n=2),
    reward_threshold=None,
    max_episode_steps=None,
    render_fps=30,
)


class Fragile(gymnasium.Env[Any, Any]):
    """Raises an error after some steps."""

    def __init__(self, render_mode: str | None = None) -> None:
        self.observation_space = spaces.Box(-1, 1, (1,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        if self.steps == 50:
            raise RuntimeError("the pole snapped")
        return np.zeros(1, np.float32), 1.0, False, self.steps % 10 == 0, {}


gymnasium.register(FRAGILE.id, entry_point=Fragile)
