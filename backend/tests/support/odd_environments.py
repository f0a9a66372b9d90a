"""Custom environments that are hard to record. Name them in RLVIZ_ENVIRONMENTS: ``SOURCE:Slow``."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

SOURCE = __file__


class Slow(gymnasium.Env[Any, Any]):
    """Renders slowly, so that a test can interrupt the recording."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012  (as Gymnasium wants it)
    observation_space: spaces.Space[Any] = spaces.Box(-1, 1, (2,), np.float32)
    action_space: spaces.Space[Any] = spaces.Discrete(2)
    length = 150
    seconds = 0.02

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode, self.steps = render_mode, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return self.seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return self.seen(), 1.0, False, self.steps >= self.length, {}

    def seen(self) -> Any:
        return np.full(2, self.steps / self.length, np.float32)

    def render(self) -> Any:
        time.sleep(self.seconds)
        return np.full((20, 20, 3), self.steps % 256, np.uint8)


class Blind(Slow):
    """Returns non-finite observations from its third step."""

    length, seconds = 10, 0.0

    def seen(self) -> Any:
        return np.full(2, np.nan if self.steps >= 3 else 0.5, np.float32)


class Switches(Slow):
    """Takes several choices at once."""

    length, seconds = 10, 0.0
    action_space = spaces.MultiDiscrete([3, 2])


class Crane(Slow):
    """Has nested observations of several kinds and two continuous actions."""

    length, seconds = 10, 0.0
    observation_space = spaces.Dict(
        {
            "load": spaces.Discrete(3, start=1),
            "hook": spaces.Tuple([spaces.Box(-1, 1, (), np.float32), spaces.MultiBinary(2)]),
            "speed": spaces.Box(-5, 5, (2,), np.float32),
        }
    )
    action_space = spaces.MultiDiscrete([3, 2])

    def seen(self) -> Any:
        height = np.float32(self.steps / self.length)
        return {
            "load": 1 + self.steps % 3,
            "hook": (np.array(height), np.array([self.steps % 2, 1], np.int8)),
            "speed": np.array([height, -height], np.float32),
        }


class Endless(Slow):
    """Never terminates."""

    length, seconds = 10**9, 0.0

    def seen(self) -> Any:
        return np.full(2, np.sin(self.steps), np.float32)
