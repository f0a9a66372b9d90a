"""At whose hands the controls are: a policy's, chance's, a person's. Imports Gymnasium: only workers import this."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pydantic import JsonValue

from rlviz.algorithms.policy import TrainedPolicy
from rlviz.algorithms.reading import Reading
from rlviz.domain.controls import Controls

Space = gymnasium.Space[Any]


class PolicyHand:
    """A policy at the controls. What it says of an observation and what it then does belong together."""

    def __init__(self) -> None:
        self.policy: TrainedPolicy | None = None
        self._action: Any = None

    def consider(self, observation: Any, *, greedy: bool) -> Reading | None:
        """Choose the next action; return what it makes of ``observation``. None without a policy."""
        if self.policy is None:
            return None
        batch = np.stack([observation])
        actions, _ = self.policy.predict(batch, deterministic=greedy)
        self._action = actions[0]
        return self.policy.read(batch, actions).row(0)

    def action(self) -> Any:
        """The action that was chosen last."""
        return self._action


class PersonHand:
    """A person at the keys: ``None`` for no key. An action that came and went between two steps counts for one."""

    def __init__(self, space: Space, controls: Controls) -> None:
        self._idle = neutral_action(space, controls)
        self._held: Any = None
        self._tapped: Any = None

    def press(self, action: Any) -> None:
        self._held = action
        if action is not None:
            self._tapped = action

    def let_go(self) -> None:
        self._held = self._tapped = None

    def action(self) -> Any:
        """The next action; None if the environment has none that does nothing, and has to wait for a key."""
        tapped, self._tapped = self._tapped, None
        if tapped is not None:
            return tapped
        return self._idle if self._held is None else self._held

    @property
    def is_ready(self) -> bool:
        return any(action is not None for action in (self._tapped, self._held, self._idle))


def neutral_action(space: Space, controls: Controls) -> Any:
    """What is done while no key is pressed; None if there is no such action."""
    if None in controls.neutral:
        return None
    neutral: list[JsonValue] = list(controls.neutral)
    return parse_action(space, int(controls.neutral[0] or 0) if isinstance(space, spaces.Discrete) else neutral)


def parse_action(space: Space, value: JsonValue) -> Any:
    """The action that JSON says. Raises ValueError if ``space`` does not hold it."""
    problem = ValueError(f"{str(value)[:80]} is no action of {space}.")
    if isinstance(space, spaces.Discrete):
        if not isinstance(value, int) or isinstance(value, bool):
            raise problem
        action: Any = value
    else:
        try:
            action = np.asarray(value, dtype=space.dtype).reshape(space.shape or ())
        except (TypeError, ValueError, OverflowError):
            raise problem from None
    if not space.contains(action):
        raise problem
    return action
