"""Computes extras for a viewer of a session: another future, the agent's pictures with saliency, and value slices.

Each is computed only while the viewer asks for it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

import gymnasium
import numpy as np
import torch

from rlviz.domain.clips import SlicePlan
from rlviz.domain.errors import NotSliceable
from rlviz.domain.recording import Actor
from rlviz.domain.sessions import ShowSeen, SliceMessage
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.playing.rollout import Env, Step, layout_of, numbers_of
from rlviz.learning.playing.rollout import element_hash as hash_of
from rlviz.learning.playing.seen import Seen, see
from rlviz.learning.playing.value_slice import Ranges, value_slice
from rlviz.learning.sessions.actions import History, PolicyActions, TimeShare

SEEN_SHARE = 0.25
"""Largest share of time for saliency, so that frames keep coming."""


class LiveSeen:
    """Sends pictures of what the agent saw. With saliency, steps without a map are left out, so that the picture and
    the map on screen always belong to the same step."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._time = TimeShare(SEEN_SHARE, monotonic)
        self._wanted = ShowSeen(type="seen", on=False)
        self.is_owed = False

    def choose(self, wanted: ShowSeen) -> None:
        self._wanted = wanted
        self._time.hurry()

    def choose_pictures(self, observation: Any, policy: PolicyActions, *, hurried: bool) -> Seen | None:
        """Return the pictures of a step, or None if none are wanted or this step is left out.

        Args:
            hurried: Whether more steps follow, so that this one may be left out to save time. ``is_owed`` is set then,
                and the caller should ask again when playing stops.
        """
        self.is_owed = False
        if not self._wanted.on:
            return None
        if not self._wanted.saliency or policy.policy is None:
            return see(observation)
        if hurried and not self._time.is_due:
            self.is_owed = True
            return None
        with self._time.spent():
            return see(observation, policy.policy, policy.action())


EVERY_SECONDS = 0.4
"""Shortest time between two slices."""

Hold = Sequence[tuple[int, float]]

SLICE_SHARE = 0.1
"""Largest share of time for slices: the longer one takes, the rarer they are."""


class LiveSlice:
    """Draws value slices. Call ``note`` with every step that is shown; ``draw`` may be called at any time."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._over: tuple[int, int] | None = None
        self._hold: Hold = ()
        self._step: Step | None = None
        self._seen: Ranges | None = None
        self._is_stale = False
        self._time = TimeShare(SLICE_SHARE, monotonic, every=EVERY_SECONDS)

    def choose(self, over: tuple[int, int] | None, hold: Hold = ()) -> None:
        """Choose the components to vary; None: no slice is wanted.

        Args:
            over: The indices of the two components.
            hold: Indices of other components with values to use instead of the observed ones.
        """
        self._over, self._hold = over, hold
        self._time.hurry()
        self.renew()

    def renew(self) -> None:
        """Discard the drawn slice, because another policy plays."""
        self._is_stale = True

    def note(self, step: Step) -> None:
        """Use the observation of ``step`` for components that are not varied, and widen the ranges to include it."""
        self._step, self._is_stale = step, True
        if not _is_numbers(step.observation):
            return
        numbers = np.asarray(step.observation, np.float64).reshape(-1)
        if np.isfinite(numbers).all():
            low, high = self._seen or (numbers, numbers)
            self._seen = np.minimum(low, numbers), np.maximum(high, numbers)

    def draw(self, policy: TrainedPolicy | None) -> SliceMessage | None:
        """Return a new slice, or None if none is wanted or due, or nothing has changed.

        Raises NotSliceable; no slice is wanted after that.
        """
        if self._over is None or policy is None or self._step is None or not self._is_stale or not self._time.is_due:
            return None
        self._is_stale = False
        try:
            with self._time.spent():
                found = value_slice(policy, self._plan(self._over, self._step.observation), self._seen)
        except NotSliceable:
            self._over = None
            raise
        return SliceMessage(
            policy_step=policy.step, episode=self._step.episode, index=self._step.number, over=self._over, slice=found
        )

    def _plan(self, over: tuple[int, int], observation: Any) -> SlicePlan:
        if not _is_numbers(observation):
            return SlicePlan(x=over[0], y=over[1])
        at = np.array(observation, np.float64).reshape(-1)
        for place, value in self._hold:
            if place >= at.size:
                raise NotSliceable(f"There is no component {place} to hold: the policy sees {at.size} numbers.")
            at[place] = value
        return SlicePlan(x=over[0], y=over[1], at=at.tolist())


def _is_numbers(observation: Any) -> bool:
    return isinstance(observation, np.ndarray) and observation.dtype.kind in "fiu"


class Generators:
    """The states of the random generators that actions are drawn from: Python, NumPy, torch and the spaces.

    They are as they were when this object was made, or at the end of the last ``used`` block.
    """

    def __init__(self, *spaces: gymnasium.Space[Any]) -> None:
        self._spaces = spaces
        self._keep()

    @contextmanager
    def used(self) -> Iterator[None]:
        """Within this block, draw from the stored states, and store how far they came. The generators outside of the
        block are not affected."""
        elsewhere = Generators(*self._spaces)
        self.restore()
        yield
        self._keep()
        elsewhere.restore()

    def _keep(self) -> None:
        self._global = random.getstate(), np.random.get_state(), torch.get_rng_state()
        self._own = [space.np_random.bit_generator.state for space in self._spaces]

    def restore(self) -> None:
        """Set all generators to the stored states, so that the same numbers are drawn again."""
        python, numpy, torch_state = self._global
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(torch_state)
        for space, state in zip(self._spaces, self._own, strict=True):
            space.np_random.bit_generator.state = state


STEPS_KEPT = 256
"""Number of steps back that can restore the generators, so that the same actions are drawn. A step's states take about
30 kB."""


class GeneratorHistory:
    """The states of the generators at each of the newest steps, to restore when the viewer goes back."""

    def __init__(self) -> None:
        self._kept: dict[int, Generators] = {}

    def clear(self) -> None:
        self._kept.clear()

    def remember(self, number: int, generators: Generators) -> None:
        """Store ``generators`` as those of step ``number``."""
        self._kept[number] = generators
        self._kept.pop(number - STEPS_KEPT, None)

    def at(self, number: int) -> Generators | None:
        return self._kept.get(number)


class OtherFuture:
    """An episode that is the same up to a step and continues with another action.

    It has a separate environment. Its random generators start in the same states, so that an exploring policy draws
    the same numbers in both.
    """

    def __init__(
        self, history: History, action: Any, env: Env, policy: PolicyActions, alive: Callable[[], None]
    ) -> None:
        """Replay ``history`` in ``env``; the next step takes ``action``.

        Raises:
            ValueError: The replay ends in another state, because the seed does not determine the environment.
        """
        self.parted_at = history.newest.number
        self.history = history.replay(env, self.parted_at, alive)
        if not _same(history.newest, self.history.newest, env):
            raise ValueError("This environment does not repeat exactly, so two continuations cannot be compared.")
        self._action = action
        self.policy = copy(policy)
        self.generators = Generators(*([policy.policy.action_space] if policy.policy is not None else []))

    @property
    def newest(self) -> Step:
        return self.history.newest

    @property
    def is_decided(self) -> bool:
        """Whether the next action is known already: the first one of this future."""
        return self.newest.number == self.parted_at

    def take_action(self, actor: Actor, action: Any, elapsed_ms: Callable[[], float]) -> None:
        """Take one step. The first takes the other action. Later ones take the policy's action for this future if
        ``actor`` is the policy, else ``action``, the same as in the episode."""
        if self.is_decided:
            actor, action = Actor.PERSON, self._action
        elif actor is Actor.POLICY:
            action = self.policy.action()
        with self.generators.used():
            self.history.take_action(action, actor, elapsed_ms)


def _same(one: Step, other: Step, env: Env) -> bool:
    layout = layout_of(env.observation_space)
    numbers, others = (numbers_of(layout, step.observation) for step in (one, other))
    return np.array_equal(numbers, others, equal_nan=True) and hash_of(layout, one.observation) == hash_of(
        layout, other.observation
    )
