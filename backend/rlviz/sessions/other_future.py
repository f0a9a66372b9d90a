"""OtherFuture: a second copy of the episode, which takes another action and is played beside it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import gymnasium
import numpy as np
import torch

from rlviz.domain.step_record import Actor
from rlviz.rollout.episode import Env, Step
from rlviz.rollout.numbers import hash_of, layout_of, numbers_of
from rlviz.sessions.action_sources import PolicyActions
from rlviz.sessions.history import History


class Generators:
    """The states of the random generators that actions are drawn from: those of Python, NumPy, torch and the spaces.

    They are remembered as they were when this object was made, or at the end of the last ``used`` block.
    """

    def __init__(self, *spaces: gymnasium.Space[Any]) -> None:
        self._spaces = spaces
        self._keep()

    @contextmanager
    def used(self) -> Iterator[None]:
        """Within this block, draw from the remembered states; afterwards remember how far they came. Outside of the
        block the generators go on as if it had not been there."""
        elsewhere = Generators(*self._spaces)
        self.restore()
        yield
        self._keep()
        elsewhere.restore()

    def _keep(self) -> None:
        self._global = random.getstate(), np.random.get_state(), torch.get_rng_state()
        self._own = [space.np_random.bit_generator.state for space in self._spaces]

    def restore(self) -> None:
        """Set all generators to the remembered states, so that the same numbers are drawn again."""
        python, numpy, torch_state = self._global
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(torch_state)
        for space, state in zip(self._spaces, self._own, strict=True):
            space.np_random.bit_generator.state = state


STEPS_KEPT = 256
"""For so many steps a step back restores the generators, so that the same actions are drawn again. The states of one
step take about 30 kB."""


class GeneratorHistory:
    """The states of the generators at each of the newest steps, to be restored when somebody goes back to one."""

    def __init__(self) -> None:
        self._kept: dict[int, Generators] = {}

    def clear(self) -> None:
        self._kept.clear()

    def remember(self, number: int, generators: Generators) -> None:
        """Keep ``generators`` as those of step ``number``."""
        self._kept[number] = generators
        self._kept.pop(number - STEPS_KEPT, None)

    def at(self, number: int) -> Generators | None:
        return self._kept.get(number)


class OtherFuture:
    """An episode that is the same up to a step, and goes on with another action.

    It has an environment of its own. Its random generators begin in the same states, so that a policy that explores
    draws the same numbers in both.
    """

    def __init__(
        self, history: History, action: Any, env: Env, policy: PolicyActions, alive: Callable[[], None]
    ) -> None:
        """Play ``history`` again in ``env``; the next step takes ``action``. Raises ValueError if the replay ends in
        another state: the environment is not determined by its seed."""
        self.parted_at = history.newest.number
        self.history = history.again(env, self.parted_at, alive)
        if not _same(history.newest, self.history.newest, env):
            raise ValueError("This environment does not repeat itself, so that there is nothing to compare.")
        self._action = action
        self.policy = copy(policy)
        self.generators = Generators(*([policy.policy.action_space] if policy.policy is not None else []))

    @property
    def newest(self) -> Step:
        return self.history.newest

    @property
    def is_decided(self) -> bool:
        """Whether the next action is already known: the one with which this future begins."""
        return self.newest.number == self.parted_at

    def take(self, actor: Actor, action: Any, elapsed_ms: Callable[[], float]) -> None:
        """Take one step. The first takes the other action. After that, if ``actor`` is the policy, it takes what the
        policy chooses here; otherwise it takes ``action``, the same as in the episode."""
        if self.is_decided:
            actor, action = Actor.PERSON, self._action
        elif actor is Actor.POLICY:
            action = self.policy.action()
        with self.generators.used():
            self.history.take(action, actor, elapsed_ms)


def _same(one: Step, other: Step, env: Env) -> bool:
    layout = layout_of(env.observation_space)
    numbers, others = (numbers_of(layout, step.observation) for step in (one, other))
    return np.array_equal(numbers, others, equal_nan=True) and hash_of(layout, one.observation) == hash_of(
        layout, other.observation
    )
