"""Pace: when the next step is due; TimeShare: when something costly is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Pace:
    """Steps are due at a rate while ``playing``, and at once where they were asked for one by one."""

    def __init__(self, fps: float, monotonic: Callable[[], float], *, playing: bool) -> None:
        """``fps``: steps a second."""
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
        """Until the next step is due; 0 if it is."""
        return 0.0 if self._owed else max(self._due - self._monotonic(), 0.0)

    def play(self) -> None:
        self.playing, self._owed = True, 0
        self.hurry()

    def pause(self, owed: int = 0) -> None:
        """Stop playing. Take ``owed`` more steps, without delay, and then none."""
        self.playing, self._owed = False, owed
        self.hurry()

    def hurry(self) -> None:
        """The next step is due now."""
        self._due = self._monotonic()

    def change(self, fps: float) -> None:
        self.fps = fps
        self._due = min(self._due, self._monotonic() + 1 / fps)

    def step_taken(self, rest: float | None) -> None:
        """``rest``: seconds until the next step, if it does not follow at the rate. A step that was late does not make
        the next ones come faster."""
        self._owed = max(self._owed - 1, 0)
        now = self._monotonic()
        self._due = max(self._due + 1 / self.fps, now) if rest is None else now + rest


class TimeShare:
    """Work that takes at most ``share`` of the time: what takes long is done less often."""

    def __init__(self, share: float, monotonic: Callable[[], float], *, every: float = 0.0) -> None:
        """``every``: seconds between two beginnings, at least."""
        self._share, self._monotonic, self._every = share, monotonic, every
        self._due = float("-inf")

    @property
    def is_due(self) -> bool:
        return self._monotonic() >= self._due

    def hurry(self) -> None:
        """It is due now."""
        self._due = float("-inf")

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Does the work within this block."""
        began = self._monotonic()
        yield
        done = self._monotonic()
        self._due = max(began + self._every, began + (done - began) / self._share)
