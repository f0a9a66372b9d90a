"""What the supervisor needs to follow and end any worker.

``TerminationPolicy`` ends a worker: ask it to stop, then SIGTERM, then SIGKILL. ``Monitors`` polls a set of monitors.
``RetryThrottle`` limits how often a failing operation is retried and logged.
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
    log_at: float


class RetryThrottle:
    """Limits retries and log lines of operations that fail twenty times a second."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failures: dict[str, _Failure] = {}

    def may_try(self, what: str) -> bool:
        """Return whether ``what`` succeeded last time or failed long enough ago."""
        failure = self._failures.get(what)
        return failure is None or self._monotonic() >= failure.retry_at

    def note_failure(self, what: str, error: Exception) -> None:
        """Note that ``what`` failed, and log it unless that happened recently."""
        now = self._monotonic()
        failure = self._failures.setdefault(what, _Failure(now, now))
        failure.retry_at = now + RETRY_SECONDS
        if now < failure.log_at:
            return
        failure.log_at = now + REPEAT_SECONDS
        expected = isinstance(error, OSError | DatabaseError)
        reason = getattr(error, "orig", None) or error
        log.error("%s failed: %s. Trying again.", what, reason, exc_info=None if expected else error)

    def note_success(self, what: str) -> None:
        """Note that ``what`` succeeded; log it only if it had failed."""
        if self._failures.pop(what, None) is not None:
            log.info("%s works again", what)


class Monitor(Protocol):
    """Follows one run or evaluation."""

    @property
    def worker(self) -> Worker | None:
        """The worker; None while the run or evaluation waits for one."""

    def poll(self) -> bool:
        """Process changes. Returns False when there is nothing more to follow."""


Key = TypeVar("Key", bound=Hashable)
M = TypeVar("M", bound=Monitor)


class Monitors(Generic[Key, M]):
    """Monitors by key, removed when they have nothing more to follow. Only ``in`` is thread-safe."""

    def __init__(self, name: Callable[[Key], str]) -> None:
        """``name`` returns what a key refers to, for the log."""
        self._name = name
        self._monitors: dict[Key, M] = {}
        self._throttle = RetryThrottle()

    def __contains__(self, key: Key) -> bool:
        return key in self._monitors

    def __len__(self) -> int:
        return len(self._monitors)

    def __iter__(self) -> Iterator[M]:
        """Iterate over a copy, since the supervisor may add a monitor meanwhile."""
        return iter(list(self._monitors.values()))

    def get(self, key: Key) -> M | None:
        return self._monitors.get(key)

    def add(self, key: Key, monitor: M) -> None:
        self._monitors[key] = monitor

    def workers(self) -> list[Worker]:
        """Return the workers of the monitors that have one."""
        return [monitor.worker for monitor in self if monitor.worker is not None]

    def poll(self) -> bool:
        """Poll each monitor; return whether one has ended."""
        ended = [key for key, monitor in self._monitors.items() if not self._poll_one(key, monitor)]
        for key in ended:
            del self._monitors[key]
        return bool(ended)

    def _poll_one(self, key: Key, monitor: M) -> bool:
        """Poll a monitor and return whether to keep it. One that raises is kept and polled again later."""
        what = f"Following {self._name(key)}"
        if not self._throttle.may_try(what):
            return True
        try:
            keep = monitor.poll()
        except Exception as error:
            self._throttle.note_failure(what, error)
            return True
        self._throttle.note_success(what)
        return keep


@dataclass(frozen=True)
class GracePeriod:
    """Seconds that a worker may take to end after a request, and then after SIGTERM.

    When you stop a run, the settings ``terminate_after_seconds`` and ``kill_after_seconds`` apply.
    """

    ask: float
    terminate: float


CLOSING_GRACE = GracePeriod(ask=6.0, terminate=2.0)
"""For workers that end with the service, which has ten seconds in all."""

SESSION_GRACE = GracePeriod(ask=4.0, terminate=1.0)
"""For the worker of a session, which exits when its connection closes. It first ends a run that was played by hand,
which takes a little longer than the wait for its last videos."""

LINGERING_GRACE = GracePeriod(ask=15.0, terminate=3.0)
"""For a worker that has recorded its end and only closes its environments, which may hang."""

LOST_FOLDER_GRACE = GracePeriod(ask=0.0, terminate=5.0)
"""For a worker whose folder is gone: a request to stop cannot reach it."""


class TerminationStep(Enum):
    ASKED = "asked"
    TERMINATED = "terminated"
    KILLED = "killed"


class TerminationPolicy:
    """Ends one worker, whether it responds or not. Call ``advance`` often, from one thread."""

    def __init__(
        self, name: str, worker: Worker, grace: GracePeriod, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._name, self._worker, self._monotonic = name, worker, monotonic
        self._grace = grace
        self._since = monotonic()
        self.step = TerminationStep.ASKED

    def shorten_grace(self, grace: GracePeriod) -> None:
        """Wait no longer than ``grace`` for each step from now on."""
        self._grace = GracePeriod(min(grace.ask, self._grace.ask), min(grace.terminate, self._grace.terminate))

    def advance(self) -> None:
        """Take the next step if it is due."""
        waited = self._monotonic() - self._since
        if self.step is TerminationStep.ASKED and waited >= self._grace.ask:
            log.warning("%s did not stop within %g s of being asked: terminating it", self._name, waited)
            self._take_step(TerminationStep.TERMINATED, self._worker.terminate)
        elif self.step is TerminationStep.TERMINATED and waited >= self._grace.terminate:
            log.warning("%s did not end within %g s of SIGTERM: killing it", self._name, waited)
            self._take_step(TerminationStep.KILLED, self._worker.kill)

    def cause(self) -> str:
        """Return a sentence on a worker that was terminated or killed without recording how it ended."""
        asked = f"The worker did not stop within {self._grace.ask:g} s of being asked"
        if self.step is TerminationStep.KILLED:
            return (
                f"{asked}, nor within {self._grace.terminate:g} s of being terminated, and was killed: it hung, "
                "perhaps in a step of its environment. See worker.log."
            )
        return f"{asked}, and was terminated."

    def _take_step(self, step: TerminationStep, act: Callable[[], None]) -> None:
        self.step, self._since = step, self._monotonic()
        act()
