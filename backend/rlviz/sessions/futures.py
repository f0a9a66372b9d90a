"""OtherFuture: what comes of an action that was not taken, played beside the episode."""

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
from rlviz.sessions.hands import PolicyHand
from rlviz.sessions.history import History


class Generators:
    """All that actions may be drawn from, as it was when it was last used here."""

    def __init__(self, *spaces: gymnasium.Space[Any]) -> None:
        self._spaces = spaces
        self._keep()

    @contextmanager
    def used(self) -> Iterator[None]:
        """Draw from them where they were left; whoever draws elsewhere is not touched."""
        elsewhere = Generators(*self._spaces)
        self.restore()
        yield
        self._keep()
        elsewhere.restore()

    def _keep(self) -> None:
        self._global = random.getstate(), np.random.get_state(), torch.get_rng_state()
        self._own = [space.np_random.bit_generator.state for space in self._spaces]

    def restore(self) -> None:
        """Let everybody draw from here on what would have been drawn then."""
        python, numpy, torch_state = self._global
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(torch_state)
        for space, state in zip(self._spaces, self._own, strict=True):
            space.np_random.bit_generator.state = state


DRAWS_KEPT = 256
"""Steps back that choose the same actions again; each keeps some 30 kB."""


class Draws:
    """What actions were drawn from at each of the newest steps, for whoever goes back there."""

    def __init__(self) -> None:
        self._kept: dict[int, Generators] = {}

    def clear(self) -> None:
        self._kept.clear()

    def remember(self, number: int, generators: Generators) -> None:
        """Of step ``number``."""
        self._kept[number] = generators
        self._kept.pop(number - DRAWS_KEPT, None)

    def at(self, number: int) -> Generators | None:
        return self._kept.get(number)


class OtherFuture:
    """An episode that is the same up to a step, and goes on with another action.

    It has an environment of its own, and draws what the episode draws: its policy explores with the same numbers.
    """

    def __init__(self, history: History, action: Any, env: Env, policy: PolicyHand, alive: Callable[[], None]) -> None:
        """Play ``history`` again in ``env``; ``action`` comes next. Raises ValueError unless it comes out the same."""
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
        """Whether the next action is the other one, so that nobody need choose one."""
        return self.newest.number == self.parted_at

    def take(self, actor: Actor, action: Any, elapsed_ms: Callable[[], float]) -> None:
        """One step: first the other action, then what the policy here chooses, or, whoever else acts, ``action``, which
        was taken in the episode too."""
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
