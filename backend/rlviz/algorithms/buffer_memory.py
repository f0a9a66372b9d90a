"""How much memory a run's buffers will take: pure arithmetic on shapes, before anything is built.

The figures are those of Stable-Baselines3's ``ReplayBuffer`` and ``RolloutBuffer``, which allocate all
at the start. Networks and optimizers come on top; beside a buffer that does not fit they are small.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

FLOAT = 4
"""Bytes of the rewards, values and flags that buffers hold."""


@dataclass(frozen=True)
class Layout:
    """An observation or an action as a buffer stores it: an array of ``shape``, ``itemsize`` bytes a number.

    ``values`` is how many different ones there are; 0 if they cannot be counted.
    """

    shape: tuple[int, ...]
    itemsize: int
    values: int = 0

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.itemsize

    def __str__(self) -> str:
        return "×".join(map(str, self.shape)) if self.shape else "1"


@dataclass(frozen=True)
class MemoryNeed:
    """``bytes`` that grow in proportion to the hyperparameter ``field``, now ``value``; None: to none."""

    field: str | None
    value: int
    bytes: int

    def largest(self, limit: int) -> int:
        """The largest value of ``field`` that needs at most ``limit`` bytes."""
        return self.value * limit // self.bytes


def replay_buffer(size: int, observation: Layout, action: Layout, *, store_once: bool) -> MemoryNeed:
    """``size`` transitions: observation, next observation (unless ``store_once``), action, reward, two flags."""
    transition = observation.nbytes * (1 if store_once else 2) + action.nbytes + 3 * FLOAT
    return MemoryNeed("buffer_size", size, size * transition)


def rollout_buffer(n_steps: int, n_envs: int, observation: Layout, action: Layout) -> MemoryNeed:
    """``n_steps × n_envs`` steps: observation, action and six numbers, twice while an update shuffles them."""
    step = observation.nbytes + action.nbytes + 6 * FLOAT
    return MemoryNeed("n_steps", n_steps, 2 * n_steps * n_envs * step)
