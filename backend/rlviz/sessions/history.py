"""History: the episode that is played, with its seed and actions, so that it can be played again up to any step."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.step_record import Actor
from rlviz.recording.pictures import check_picture
from rlviz.rollout.episode import Env, Episode, Step, as_action

REMEMBERED_FRAMES = 512
"""Frames that are remembered for steps back, at most."""

REMEMBERED_BYTES = 32 << 20
"""What they may take, compressed: one of 600 × 400 pixels takes about 10 kB, but one of noise all that it is."""


class Taken(NamedTuple):
    """An action, who took it, and how many milliseconds after the reset what it led to was seen."""

    action: Any
    actor: Actor
    elapsed_ms: float


class Moment(NamedTuple):
    """A step as it was shown, its frame compressed, which takes a millisecond."""

    step: Step
    shape: tuple[int, ...]
    compressed: bytes

    @property
    def frame(self) -> NDArray[np.uint8]:
        """(height, width, 3)."""
        return np.frombuffer(zlib.decompress(self.compressed), np.uint8).reshape(self.shape)


class History:
    """The newest steps are kept with their frames, so that a step back, and one forward again, is shown at once, with
    no replay.

    ``is_behind``: after such a step back the environment itself is still at a later step. ``caught_up`` must be called
    before an action then that leads elsewhere than before.
    """

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.taken: list[Taken] = []
        self._moments: deque[Moment] = deque(maxlen=REMEMBERED_FRAMES)
        self._ahead: list[tuple[Taken, Moment]] = []
        """Steps that were gone back from, the nearest last. The environment is at the farthest of them."""

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

    def take(self, action: Any, actor: Actor, elapsed_ms: Callable[[], float]) -> Step:
        step = self.episode.take(action)
        self.taken.append(Taken(step.action, actor, elapsed_ms()))
        return step

    def frame(self) -> NDArray[np.uint8]:
        """The frame of the newest step (height, width, 3). Raises EnvironmentUnusable if it is no picture."""
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
        """Go to the step before, if it is remembered; return whether it was.

        The reset is never taken from memory: recording an episode needs the environment's generator as it is there.
        """
        before = self.newest.number - 1
        if before < 1 or len(self._moments) < 2 or self._moments[-2].step.number != before:
            return False
        self._ahead.append((self.taken.pop(), self._moments.pop()))
        self.episode.newest = self._moments[-1].step
        return True

    def go_forward(self, action: Any, actor: Actor) -> bool:
        """Go to the step after, which ``actor`` takes, if somebody went back from it and the same action led there;
        return whether it was. An episode repeats itself, so this is where the environment would get to."""
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

    def caught_up(self, alive: Callable[[], None]) -> History:
        """The same history, with the environment played up to its newest step; see ``again``."""
        same = self.again(self.episode.env, len(self.taken), alive)
        same._moments = self._moments
        return same

    def again(self, env: Env, steps: int, alive: Callable[[], None]) -> History:
        """The first ``steps`` of the same episode, played again in ``env`` from its seed; ``alive`` is called at every
        step."""
        earlier = History(Episode(env, self.episode.place, self.episode.seed))
        earlier.episode.begin()
        for taken in self.taken[:steps]:
            alive()
            earlier.episode.take(taken.action)
            earlier.taken.append(taken)
        return earlier
