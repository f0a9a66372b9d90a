"""Ending a worker: it is asked to stop, then terminated (SIGTERM), then killed.

RetryThrottle: limits how often an operation that keeps failing is retried, and how often that is logged.

Monitors: a set of monitors, each of which follows a run or an evaluation with a worker.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar

from sqlalchemy.exc import DatabaseError

from rlviz.launchers.base import Worker

log = logging.getLogger(__name__)


RETRY_SECONDS = 1.0
"""Seconds before an operation that failed (the catalogue is locked, the disk is full) is tried again."""

REPEAT_SECONDS = 60.0


@dataclass
class _Failure:
    retry_at: float
    tell_at: float


class RetryThrottle:
    """Without it, a loop that fails twenty times a second would flood the log."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failures: dict[str, _Failure] = {}

    def may_try(self, what: str) -> bool:
        """Whether ``what`` succeeded the last time, or failed long enough ago."""
        failure = self._failures.get(what)
        return failure is None or self._monotonic() >= failure.retry_at

    def note_failure(self, what: str, error: Exception) -> None:
        """Log that ``what`` failed, unless that was logged a short while ago."""
        now = self._monotonic()
        failure = self._failures.setdefault(what, _Failure(now, now))
        failure.retry_at = now + RETRY_SECONDS
        if now < failure.tell_at:
            return
        failure.tell_at = now + REPEAT_SECONDS
        expected = isinstance(error, OSError | DatabaseError)
        reason = getattr(error, "orig", None) or error
        log.error("%s failed: %s. Trying again.", what, reason, exc_info=None if expected else error)

    def note_success(self, what: str) -> None:
        """Note that ``what`` succeeded; logged only if it had failed."""
        if self._failures.pop(what, None) is not None:
            log.info("%s works again", what)


class Monitor(Protocol):
    """Follows one run or evaluation."""

    @property
    def worker(self) -> Worker | None:
        """Its worker; None while it waits for one."""

    def poll(self) -> bool:
        """Process what is new. Returns False once there is nothing more to follow."""


Key = TypeVar("Key", bound=Hashable)
M = TypeVar("M", bound=Monitor)


class Monitors(Generic[Key, M]):
    """Monitors by key, removed when they have nothing more to follow. All methods but ``in`` are called from one
    thread."""

    def __init__(self, name: Callable[[Key], str]) -> None:
        """``name``: what is followed, for the log."""
        self._name = name
        self._monitors: dict[Key, M] = {}
        self._throttle = RetryThrottle()

    def __contains__(self, key: Key) -> bool:
        return key in self._monitors

    def __len__(self) -> int:
        return len(self._monitors)

    def __iter__(self) -> Iterator[M]:
        """Over a copy, since others may ask while the supervisor adds one."""
        return iter(list(self._monitors.values()))

    def get(self, key: Key) -> M | None:
        return self._monitors.get(key)

    def add(self, key: Key, monitor: M) -> None:
        self._monitors[key] = monitor

    def workers(self) -> list[Worker]:
        """The workers of the monitors that have one."""
        return [monitor.worker for monitor in self if monitor.worker is not None]

    def poll(self) -> bool:
        """Poll each; return whether one has ended."""
        ended = [key for key, monitor in self._monitors.items() if not self._goes_on(key, monitor)]
        for key in ended:
            del self._monitors[key]
        return bool(ended)

    def _goes_on(self, key: Key, monitor: M) -> bool:
        """Whether it is still to be followed. One that raises is, and is not polled again for a while."""
        what = f"Following {self._name(key)}"
        if not self._throttle.may_try(what):
            return True
        try:
            goes_on = monitor.poll()
        except Exception as error:
            self._throttle.note_failure(what, error)
            return True
        self._throttle.note_success(what)
        return goes_on


@dataclass(frozen=True)
class GracePeriod:
    """Seconds that a worker may take to end after it was asked, and then after SIGTERM.

    For a run that its user stops, they are the settings ``terminate_after_seconds`` and ``kill_after_seconds``.
    """

    ask: float
    terminate: float


CLOSING_GRACE = GracePeriod(ask=6.0, terminate=2.0)
"""For workers that end with the service: together less than the ten seconds that its end may take."""

SESSION_GRACE = GracePeriod(ask=4.0, terminate=1.0)
"""A session's worker ends by itself when its connection does; a run played by hand is brought to its end meanwhile.
That takes a little longer than its last videos are waited for."""

LINGERING_GRACE = GracePeriod(ask=15.0, terminate=3.0)
"""For a worker that has written its ending: it has no more to do than to close its environments, which may hang."""

LOST_FOLDER_GRACE = GracePeriod(ask=0.0, terminate=5.0)
"""A worker without its folder cannot be asked: the request would lie in that folder."""


class TerminationStep(Enum):
    ASKED = "asked"
    TERMINATED = "terminated"
    KILLED = "killed"


class TerminationPolicy:
    """Ends one worker, whether it responds or not. Call ``tick`` often; all calls from one thread."""

    def __init__(
        self, name: str, worker: Worker, grace: GracePeriod, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._name, self._worker, self._monotonic = name, worker, monotonic
        self._grace = grace
        self._since = monotonic()
        self.step = TerminationStep.ASKED

    def shorten_grace(self, grace: GracePeriod) -> None:
        """From now on, wait no longer than ``grace`` for each step."""
        self._grace = GracePeriod(min(grace.ask, self._grace.ask), min(grace.terminate, self._grace.terminate))

    def advance(self) -> None:
        """Take the next step if it is due."""
        waited = self._monotonic() - self._since
        if self.step is TerminationStep.ASKED and waited >= self._grace.ask:
            log.warning("%s did not stop within %g s of being asked: terminating it", self._name, waited)
            self._go_on(TerminationStep.TERMINATED, self._worker.terminate)
        elif self.step is TerminationStep.TERMINATED and waited >= self._grace.terminate:
            log.warning("%s did not end within %g s of SIGTERM: killing it", self._name, waited)
            self._go_on(TerminationStep.KILLED, self._worker.kill)

    def cause(self) -> str:
        """One sentence for a worker that was terminated or killed and did not record how it ended."""
        asked = f"The worker did not stop within {self._grace.ask:g} s of being asked"
        if self.step is TerminationStep.KILLED:
            return (
                f"{asked}, nor within {self._grace.terminate:g} s of being terminated, and was killed: it hung, "
                "perhaps in a step of its environment. See worker.log."
            )
        return f"{asked}, and was terminated."

    def _go_on(self, step: TerminationStep, act: Callable[[], None]) -> None:
        self.step, self._since = step, self._monotonic()
        act()
