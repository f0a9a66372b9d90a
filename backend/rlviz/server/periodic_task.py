"""PeriodicTask: something that the service does again and again, in a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Event, Thread

from rlviz.domain.errors import RlvizError

log = logging.getLogger(__name__)

Step = Callable[[], Iterable[None] | None]
"""Done as a whole, or item by item: between two of them there is a pause, in which the task can end too."""

PAUSE_SECONDS = 0.0005
"""Between the items of a step, so that the threads that answer requests have their turn."""


class PeriodicTask:
    """Calls each step in turn, then waits, until it is closed. A step that fails keeps no other from its turn."""

    def __init__(self, name: str, *steps: Step, every: float, at_start: bool = True) -> None:
        """``every``: seconds from the end of a turn to the next. ``at_start``: whether the first comes without them."""
        self.name, self._steps, self._every, self._at_start = name, steps, every, at_start
        self._told: dict[Step, str] = {}  # of a step that fails, what was logged last
        self._closing = Event()
        self._thread = Thread(target=self._loop, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Returns once the step that is at work has ended, or its item."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def run_once(self) -> None:
        """Call each step once. What one raises is logged, and not again as long as it raises the same."""
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
                self._told.pop(step, None)

    def _log(self, step: Step, error: Exception) -> None:
        if self._told.get(step) == str(error):
            return
        self._told[step] = str(error)
        is_expected = isinstance(error, RlvizError | OSError)
        what = f"{self.name.capitalize()} ({step.__name__}) is tried again in {self._every:g} seconds"
        log.warning("%s: %s", what, error, exc_info=None if is_expected else error)

    def _loop(self) -> None:
        if self._at_start:
            self.run_once()
        while not self._closing.wait(self._every):
            self.run_once()
