"""An environment as a user would write it; tests copy this file elsewhere."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Lights(gymnasium.Env[Any, Any]):
    """Switch on the light that is dark."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012
    max_episode_steps = 20
    reward_threshold = 18.0

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = spaces.MultiBinary(3)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._dark = int(self.np_random.integers(3))
        return self._lights(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward = float(action == self._dark)
        self._dark = int(self.np_random.integers(3))
        return self._lights(), reward, False, False, {}

    def render(self) -> Any:
        return np.repeat(self._lights().astype(np.uint8) * 255, 30 * 30 * 3).reshape(90, 30, 3)

    def _lights(self) -> Any:
        lights = np.ones(3, np.int8)
        lights[self._dark] = 0
        return lights
