"""Custom environments whose state is hard to copy, each for a different reason."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces


class Counting(gymnasium.Env[Any, Any]):
    """Has its whole state in attributes. Episodes end at random."""

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = spaces.Box(-1_000, 1_000, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._count, self._sum = 0, 0.0
        return self._look(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._count += 1
        self._sum += self.np_random.normal() * (1 + int(action))
        return self._look(), self._sum, bool(self.np_random.random() < 0.05), False, {}

    def _look(self) -> Any:
        return np.array([self._count, self._sum], np.float32)


class Iterating(Counting):
    """Has an iterator that cannot be copied; each reset creates a new one."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self._numbers: Iterator[int] = (2 * number for number in itertools.count())
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, *rest = super().step(action)
        return observation, reward + next(self._numbers), *rest  # type: ignore[return-value]


class Haunted(Counting):
    """Depends on the total number of steps of all instances in this process."""

    steps: ClassVar[int] = 0

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        Haunted.steps += 1
        observation, _, *rest = super().step(action)
        return observation, float(Haunted.steps), *rest  # type: ignore[return-value]


class Breaking(Counting):
    """Raises an error at the given step numbers, counted over all instances in this process."""

    steps: ClassVar[int] = 0
    breaks_at: ClassVar[tuple[int, ...]] = ()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        Breaking.steps += 1
        if Breaking.steps in Breaking.breaks_at:
            raise RuntimeError("The simulator has lost its connection.")
        return super().step(action)
