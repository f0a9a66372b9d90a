"""Run tasks of the service at intervals, each in its own thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Event, Thread

from rlviz.domain.errors import RlvizError

log = logging.getLogger(__name__)

Step = Callable[[], Iterable[None] | None]
"""A function to call. If it returns an iterator, the task pauses after each item and can be closed there."""

PAUSE_SECONDS = 0.0005
"""Pause between the items of a step, so that threads that answer requests can run."""


class PeriodicTask:
    """Calls all steps at intervals until it is closed. If a step fails, the others still run."""

    def __init__(self, name: str, *steps: Step, every: float, at_start: bool = True) -> None:
        """Create a task; ``start`` starts it.

        Args:
            name: Name of the thread and in log messages.
            steps: Functions to call, in order.
            every: Seconds from the end of one pass to the start of the next.
            at_start: Whether the first pass starts at once.
        """
        self.name, self._steps, self._every, self._at_start = name, steps, every, at_start
        self._logged: dict[Step, str] = {}  # the last logged error of each failing step
        self._closing = Event()
        self._thread = Thread(target=self._loop, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop the task. Returns when the current step, or its current item, has ended."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def run_once(self) -> None:
        """Call each step once. An error is logged once, until the step succeeds or raises another one."""
        for step in self._steps:
            if self._closing.is_set():
                return
            try:
                for _ in step() or ():
                    if self._closing.wait(PAUSE_SECONDS):
                        return
            except Exception as error:
                self._log(step, error)
            else:
                self._logged.pop(step, None)

    def _log(self, step: Step, error: Exception) -> None:
        if self._logged.get(step) == str(error):
            return
        self._logged[step] = str(error)
        is_expected = isinstance(error, RlvizError | OSError)
        what = f"{self.name.capitalize()} ({step.__name__}) is tried again in {self._every:g} seconds"
        log.warning("%s: %s", what, error, exc_info=None if is_expected else error)

    def _loop(self) -> None:
        if self._at_start:
            self.run_once()
        while not self._closing.wait(self._every):
            self.run_once()
