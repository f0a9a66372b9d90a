"""Chooses the next action of a session (by the policy, at random, or by a person) and keeps the episode's history.

``History`` has the seed and actions of the episode, to play it again up to any step. ``Pace`` decides when
the next step is due, ``TimeShare`` when something costly is. Imports Gymnasium, so only workers may import it.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import JsonValue

from rlviz.domain.environment import Controls
from rlviz.domain.recording import Actor
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.playing.recording import check_picture
from rlviz.learning.playing.rollout import Env, Episode, Step, as_action

Space = gymnasium.Space[Any]


class PolicyActions:
    """Actions of a policy. ``choose_action`` reads an observation and chooses the action of ``action``, so that
    the reading on screen belongs to the action that is taken."""

    def __init__(self) -> None:
        self.policy: TrainedPolicy | None = None
        self._action: Any = None
        self._state: Any = None

    def begin(self) -> None:
        """Start an episode: reset the exploration noise."""
        self._state = None

    def choose_action(self, observation: Any, *, greedy: bool) -> Reading | None:
        """Choose the next action, and return the policy's reading of ``observation``, or None without a policy."""
        if self.policy is None:
            return None
        batch = np.stack([observation])
        actions, self._state = self.policy.predict(batch, self._state, deterministic=greedy)
        self._action = actions[0]
        return self.policy.read(batch, actions).row(0)

    def action(self) -> Any:
        """Return the action that was chosen last."""
        return self._action


class PersonActions:
    """Actions of a person at the keyboard; None if no key is held. A key that was pressed and released between two
    steps counts for one step."""

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
        """Return the next action, or None to wait: no key is held, and no action does nothing."""
        tapped, self._tapped = self._tapped, None
        if tapped is not None:
            return tapped
        return self._idle if self._held is None else self._held

    @property
    def is_ready(self) -> bool:
        return any(action is not None for action in (self._tapped, self._held, self._idle))


class ActionSources:
    """Knows who acts, and gets the next action from them. Methods raise ValueError with a message for the viewer if
    something is not possible."""

    def __init__(self, space: Space, controls: Controls, actors: tuple[Actor, ...], actor: Actor) -> None:
        self.actors, self.actor = actors, actor
        self.policy = PolicyActions()
        self._space, self._person = space, PersonActions(space, controls)
        self._override: Any = None

    def choose(self, actor: Actor) -> None:
        """Give the controls to ``actor``."""
        if actor not in self.actors:
            raise ValueError("This session has no trained policy. Let a person or random actions act.")
        self.actor = actor
        self._person.let_go()

    def press(self, value: JsonValue, *, playing: bool) -> None:
        """Handle the action ``value`` of a person, or the release of all keys (None).

        While the session plays, it holds until the next call; while it is paused, it only counts for the next step.
        """
        action = None if value is None else parse_action(self._space, value)
        if not playing:
            self._override = action
        elif self.actor is Actor.PERSON:
            self._person.press(action)
        elif action is not None:
            raise ValueError("A person is not acting now. Take over first, or pause.")

    def forget_next(self) -> None:
        """Drop the action that was chosen for the next step during a pause."""
        self._override = None

    @property
    def is_ready(self) -> bool:
        """Return whether there is a next action."""
        if self._override is not None:
            return True
        return self._person.is_ready if self.actor is Actor.PERSON else self.may_begin

    @property
    def may_begin(self) -> bool:
        """Return whether an episode can start; a session of a policy waits until there is one."""
        return self.actor is not Actor.POLICY or self.policy.policy is not None

    def act(self) -> tuple[Actor, Any]:
        """Return who takes the next action, and the action."""
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
    """Return the action while no key is pressed, or None if there is none."""
    if None in controls.neutral:
        return None
    neutral: list[JsonValue] = list(controls.neutral)
    return parse_action(space, int(controls.neutral[0] or 0) if isinstance(space, spaces.Discrete) else neutral)


def parse_action(space: Space, value: JsonValue) -> Any:
    """Convert ``value`` to an action of ``space``. Raises ValueError if it is not one."""
    problem = ValueError(f"{str(value)[:80]} is not an action of {space}.")
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


REMEMBERED_FRAMES = 512
"""Number of frames remembered for steps back."""

REMEMBERED_BYTES = 32 << 20
"""Their largest compressed size: a frame of 600 × 400 pixels takes about 10 kB, but noise cannot be compressed."""


class Taken(NamedTuple):
    """An action, who took it, and how many milliseconds after the reset its result was shown."""

    action: Any
    actor: Actor
    elapsed_ms: float


class Moment(NamedTuple):
    """A step as it was shown, with its compressed frame. Compressing takes a millisecond."""

    step: Step
    shape: tuple[int, ...]
    compressed: bytes

    @property
    def frame(self) -> NDArray[np.uint8]:
        """Return the frame (height, width, 3)."""
        return np.frombuffer(zlib.decompress(self.compressed), np.uint8).reshape(self.shape)


class History:
    """The episode so far. The newest steps are kept with their frames, so that steps back and forward need no replay.

    After such a step back, ``is_behind`` is True: the environment is still at a later step. Call ``replay_to_newest``
    before an action that differs from the remembered one.
    """

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.taken: list[Taken] = []
        self._moments: deque[Moment] = deque(maxlen=REMEMBERED_FRAMES)
        self._ahead: list[tuple[Taken, Moment]] = []
        """Steps that the viewer went back from, the nearest last. The environment is at the farthest of them."""

    @property
    def is_behind(self) -> bool:
        return bool(self._ahead)

    @property
    def newest(self) -> Step:
        return self.episode.newest

    @property
    def last(self) -> Taken | None:
        """What led to the newest step; None at the reset."""
        return self.taken[-1] if self.taken else None

    def take_action(self, action: Any, actor: Actor, elapsed_ms: Callable[[], float]) -> Step:
        step = self.episode.take_action(action)
        self.taken.append(Taken(step.action, actor, elapsed_ms()))
        return step

    def frame(self) -> NDArray[np.uint8]:
        """Return the frame of the newest step (height, width, 3). Raises EnvironmentUnusable if it is not a picture."""
        if not self._moments or self._moments[-1].step.number != self.newest.number:
            frame = check_picture(self.episode.env.render()).copy()
            observation = deepcopy(self.newest.observation)  # some environments change theirs in place
            step = self.newest._replace(observation=observation)
            self._moments.append(Moment(step, frame.shape, zlib.compress(frame.data, 1)))
            while sum(len(one.compressed) for one in self._moments) > REMEMBERED_BYTES and len(self._moments) > 1:
                self._moments.popleft()
            return frame
        return self._moments[-1].frame

    def go_back(self) -> bool:
        """Go back one step if it is remembered. Returns whether it was.

        The reset is never taken from memory: recording an episode needs the environment's generator in that state.
        """
        before = self.newest.number - 1
        if before < 1 or len(self._moments) < 2 or self._moments[-2].step.number != before:
            return False
        self._ahead.append((self.taken.pop(), self._moments.pop()))
        self.episode.newest = self._moments[-1].step
        return True

    def go_forward(self, action: Any, actor: Actor) -> bool:
        """Go to the next remembered step, if the viewer went back from it and the same action led there.

        Returns whether there was one. The environment is deterministic, so the step is what it would return.
        """
        if not self._ahead:
            return False
        taken, moment = self._ahead[-1]
        if not np.array_equal(as_action(self.episode.env.action_space, action), taken.action):
            return False
        self._ahead.pop()
        self._moments.append(moment)
        self.taken.append(taken._replace(actor=actor))
        self.episode.newest = moment.step
        return True

    def replay_to_newest(self, alive: Callable[[], None]) -> History:
        """Return the same history with the environment played up to its newest step; see ``replay``."""
        same = self.replay(self.episode.env, len(self.taken), alive)
        same._moments = self._moments
        return same

    def replay(self, env: Env, steps: int, alive: Callable[[], None]) -> History:
        """Replay the first ``steps`` of the episode in ``env`` from its beginning, calling ``alive`` at every step."""
        earlier = History(Episode(env, self.episode.place, self.episode.seed, start=self.episode.start))
        earlier.episode.begin()
        for taken in self.taken[:steps]:
            alive()
            earlier.episode.take_action(taken.action)
            earlier.taken.append(taken)
        return earlier


class Pace:
    """Decides when steps are due: at a rate while ``playing``, or at once when requested one by one."""

    def __init__(self, fps: float, monotonic: Callable[[], float], *, playing: bool) -> None:
        """Set the rate to ``fps`` steps per second."""
        self.fps, self.playing = fps, playing
        self._monotonic = monotonic
        self._owed = 0
        self._due = 0.0

    @property
    def wants_steps(self) -> bool:
        """Whether a step is wanted, now or later."""
        return self.playing or self._owed > 0

    @property
    def seconds_left(self) -> float:
        """Return the seconds until the next step is due; 0 if it is due."""
        return 0.0 if self._owed else max(self._due - self._monotonic(), 0.0)

    def play(self) -> None:
        self.playing, self._owed = True, 0
        self.hurry()

    def pause(self, owed: int = 0) -> None:
        """Stop playing after ``owed`` more steps, which are due at once."""
        self.playing, self._owed = False, owed
        self.hurry()

    def hurry(self) -> None:
        """Make the next step due now."""
        self._due = self._monotonic()

    def change(self, fps: float) -> None:
        self.fps = fps
        self._due = min(self._due, self._monotonic() + 1 / fps)

    def step_taken(self, rest: float | None) -> None:
        """Plan the next step, ``rest`` seconds later, or by the rate if None. Late steps are not made up for."""
        self._owed = max(self._owed - 1, 0)
        now = self._monotonic()
        self._due = max(self._due + 1 / self.fps, now) if rest is None else now + rest


class TimeShare:
    """Limits slow work to ``share`` of the time: what takes long is done less often."""

    def __init__(self, share: float, monotonic: Callable[[], float], *, every: float = 0.0) -> None:
        """Start with ``every``, the shortest time between two starts in seconds."""
        self._share, self._monotonic, self._every = share, monotonic, every
        self._due = float("-inf")

    @property
    def is_due(self) -> bool:
        return self._monotonic() >= self._due

    def hurry(self) -> None:
        """Make the work due now."""
        self._due = float("-inf")

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Measure the work done within this block."""
        began = self._monotonic()
        yield
        done = self._monotonic()
        self._due = max(began + self._every, began + (done - began) / self._share)


Bounds = tuple[tuple[float | None, float | None], ...]


def bounds_of(space: gymnasium.Space[Any]) -> Bounds | None:
    """Return the lowest and highest value of each number of a Box, flattened, None for unbounded ones.

    Returns None for other spaces.
    """
    if not isinstance(space, gymnasium.spaces.Box):
        return None
    return tuple((_finite(low), _finite(high)) for low, high in zip(space.low.flat, space.high.flat, strict=True))


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
