"""Measure the runs folder in a background thread, and keep the result."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock, Thread

from rlviz.rundir.usage import Usage, measure_usage, write_usage

log = logging.getLogger(__name__)

FRESH_SECONDS = 60.0
"""Age in seconds at which reading a measurement starts a new one."""


@dataclass(frozen=True)
class Measured:
    """A measurement. ``at``: its start in Unix seconds; ``seconds``: its duration."""

    usage: Usage
    at: float
    seconds: float


class StorageMeter:
    """Runs one measurement at a time. ``latest`` never waits, since ten thousand runs take some seconds."""

    def __init__(self, runs_dir: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._runs_dir, self._clock = runs_dir, clock
        self._lock, self._measuring = Lock(), Lock()
        self._closing = Event()
        self._latest: Measured | None = None
        self._thread: Thread | None = None

    def latest(self) -> Measured | None:
        """Return the newest measurement, None before the first has ended. Starts another if it is too old."""
        found = self._latest
        if found is None or self._clock() - found.at > FRESH_SECONDS:
            self.refresh()
        return found

    @property
    def known(self) -> Measured | None:
        """Return the newest measurement, however old."""
        return self._latest

    @property
    def is_measuring(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def refresh(self) -> None:
        """Start a measurement unless one is running. Returns at once."""
        with self._lock:
            if not self.is_measuring and not self._closing.is_set():
                self._thread = Thread(target=self._measure_and_log, name="storage-meter", daemon=True)
                self._thread.start()

    def measure(self) -> Measured:
        """Measure now and return the result. Raises OSError."""
        with self._measuring:
            began, clock = self._clock(), time.monotonic()
            usage = measure_usage(self._runs_dir, self._yield_to_requests)
            self._latest = Measured(usage, began, time.monotonic() - clock)
            write_usage(self._runs_dir, usage)
            return self._latest

    def close(self) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _measure_and_log(self) -> None:
        try:
            self.measure()
        except _Closing:
            return
        except OSError as error:
            log.warning("The size of the runs folder could not be measured or saved: %s", error)

    def _yield_to_requests(self) -> None:
        """Let the threads that answer requests run."""
        if self._closing.wait(0.0005):
            raise _Closing


class _Closing(Exception):
    """Raised in a measurement when the service ends."""
