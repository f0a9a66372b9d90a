"""LiveSlice: a value slice that is drawn anew as the policy and the observation change, while it is wanted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rlviz.algorithms.policy import TrainedPolicy
from rlviz.domain.errors import NotSliceable
from rlviz.domain.session_messages import SliceMessage
from rlviz.domain.value_slice import SlicePlan
from rlviz.evaluation.value_slice import Ranges, value_slice
from rlviz.rollout.episode import Step
from rlviz.sessions.pace import TimeShare

EVERY_SECONDS = 0.4
"""The least time between two slices."""

Hold = Sequence[tuple[int, float]]

LARGEST_SHARE = 0.1
"""Slices take at most this share of the time: the longer one takes, the rarer they are."""


class LiveSlice:
    """``note`` must be called with every step that is shown. ``draw`` may be called at any time."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._over: tuple[int, int] | None = None
        self._hold: Hold = ()
        self._step: Step | None = None
        self._seen: Ranges | None = None
        self._is_stale = False
        self._time = TimeShare(LARGEST_SHARE, monotonic, every=EVERY_SECONDS)

    def choose(self, over: tuple[int, int] | None, hold: Hold = ()) -> None:
        """Which components are varied; None: no slice is wanted. ``hold``: places of others, and values that they are
        held at instead of what was seen."""
        self._over, self._hold = over, hold
        self._time.hurry()
        self.renew()

    def renew(self) -> None:
        """Another policy plays: what was drawn is out of date."""
        self._is_stale = True

    def note(self, step: Step) -> None:
        """Remember ``step``, whose observation holds the components that are not varied, and widen the ranges that
        slices cover to include it."""
        self._step, self._is_stale = step, True
        if not _is_numbers(step.observation):
            return
        numbers = np.asarray(step.observation, np.float64).reshape(-1)
        if np.isfinite(numbers).all():
            low, high = self._seen or (numbers, numbers)
            self._seen = np.minimum(low, numbers), np.maximum(high, numbers)

    def draw(self, policy: TrainedPolicy | None) -> SliceMessage | None:
        """A new slice; None if none is wanted, none is due, or nothing has changed since the last. Raises NotSliceable,
        after which no slice is wanted any more."""
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
                raise NotSliceable(f"The policy sees {at.size} numbers; there is none at place {place} to be held.")
            at[place] = value
        return SlicePlan(x=over[0], y=over[1], at=at.tolist())


def _is_numbers(observation: Any) -> bool:
    return isinstance(observation, np.ndarray) and observation.dtype.kind in "fiu"
