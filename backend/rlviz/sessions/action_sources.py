"""ActionSources: who chooses the next action of a session: the policy, a random choice, or a person.

Imports Gymnasium: only workers import this.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pydantic import JsonValue

from rlviz.algorithms.policy import TrainedPolicy
from rlviz.algorithms.reading import Reading
from rlviz.domain.key_bindings import Controls
from rlviz.domain.step_record import Actor

Space = gymnasium.Space[Any]


class PolicyActions:
    """Actions of a policy. ``consider`` reads an observation and chooses the action that ``action`` then returns, so
    that the reading that is shown belongs to the action that is taken."""

    def __init__(self) -> None:
        self.policy: TrainedPolicy | None = None
        self._action: Any = None
        self._state: Any = None

    def begin(self) -> None:
        """An episode begins: exploration noise starts anew."""
        self._state = None

    def consider(self, observation: Any, *, greedy: bool) -> Reading | None:
        """Choose the next action, and return the policy's reading of ``observation``; None without a policy."""
        if self.policy is None:
            return None
        batch = np.stack([observation])
        actions, self._state = self.policy.predict(batch, self._state, deterministic=greedy)
        self._action = actions[0]
        return self.policy.read(batch, actions).row(0)

    def action(self) -> Any:
        """The action that was chosen last."""
        return self._action


class PersonActions:
    """Actions of a person at the keys; None means that no key is held. A key that was pressed and released between two
    steps acts for one step."""

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
        """The next action; None if no key is held and the environment has no action that does nothing: it waits."""
        tapped, self._tapped = self._tapped, None
        if tapped is not None:
            return tapped
        return self._idle if self._held is None else self._held

    @property
    def is_ready(self) -> bool:
        return any(action is not None for action in (self._tapped, self._held, self._idle))


class ActionSources:
    """Knows who acts, and asks them for the next action. Its methods raise ValueError for what cannot be done; the
    message is meant for the person who asked."""

    def __init__(self, space: Space, controls: Controls, actors: tuple[Actor, ...], actor: Actor) -> None:
        self.actors, self.actor = actors, actor
        self.policy = PolicyActions()
        self._space, self._person = space, PersonActions(space, controls)
        self._override: Any = None

    def choose(self, actor: Actor) -> None:
        """Hand the controls over."""
        if actor not in self.actors:
            raise ValueError("Nobody trained a policy for this session. Let chance or a person act.")
        self.actor = actor
        self._person.let_go()

    def press(self, value: JsonValue, *, playing: bool) -> None:
        """A person chose the action ``value``, or released all keys (None). While the session plays, it holds until the
        next call; while it is paused, it is taken in the next step only, whoever acts."""
        action = None if value is None else parse_action(self._space, value)
        if not playing:
            self._override = action
        elif self.actor is Actor.PERSON:
            self._person.press(action)
        elif action is not None:
            raise ValueError("Somebody else is acting. Take over first, or pause.")

    def forget_next(self) -> None:
        """Drop the action that was chosen for the next step while the session was paused."""
        self._override = None

    @property
    def is_ready(self) -> bool:
        """Whether there is a next action."""
        if self._override is not None:
            return True
        return self._person.is_ready if self.actor is Actor.PERSON else self.may_begin

    @property
    def may_begin(self) -> bool:
        """Whether an episode can begin: a session that a policy plays waits until there is one."""
        return self.actor is not Actor.POLICY or self.policy.policy is not None

    def act(self) -> tuple[Actor, Any]:
        """The next action, and who takes it."""
        action, self._override = self._override, None
        if action is not None:
            return Actor.PERSON, action
        match self.actor:
            case Actor.POLICY:
                return self.actor, self.policy.action()
            case Actor.RANDOM:
                return self.actor, self._space.sample()
        return self.actor, self._person.action()


def neutral_action(space: Space, controls: Controls) -> Any:
    """What is done while no key is pressed; None if there is no such action."""
    if None in controls.neutral:
        return None
    neutral: list[JsonValue] = list(controls.neutral)
    return parse_action(space, int(controls.neutral[0] or 0) if isinstance(space, spaces.Discrete) else neutral)


def parse_action(space: Space, value: JsonValue) -> Any:
    """The action of ``space`` that ``value`` describes. Raises ValueError if it is none."""
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
