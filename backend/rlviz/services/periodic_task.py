"""PeriodicTask: something that the service does again and again, in a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from rlviz.domain.errors import RlvizError

log = logging.getLogger(__name__)


class PeriodicTask:
    """Calls each step in turn, then waits, until it is closed. A step that fails keeps no other from its turn."""

    def __init__(self, name: str, *steps: Callable[[], None], every: float, at_start: bool = True) -> None:
        """``every``: seconds from the end of a turn to the next. ``at_start``: whether the first comes without them."""
        self.name, self._steps, self._every, self._at_start = name, steps, every, at_start
        self._told: dict[Callable[[], None], str] = {}  # of a step that fails, what was logged last
        self._closing = Event()
        self._thread = Thread(target=self._loop, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Returns once the step that is at work has ended."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def turn(self) -> None:
        """Call each step once. What one raises is logged, and not again as long as it raises the same."""
        for step in self._steps:
            if self._closing.is_set():
                return
            try:
                step()
            except Exception as error:
                self._tell(step, error)
            else:
                self._told.pop(step, None)

    def _tell(self, step: Callable[[], None], error: Exception) -> None:
        if self._told.get(step) == str(error):
            return
        self._told[step] = str(error)
        is_expected = isinstance(error, RlvizError | OSError)
        what = f"{self.name.capitalize()} is tried again in {self._every:g} seconds"
        log.warning("%s: %s", what, error, exc_info=None if is_expected else error)

    def _loop(self) -> None:
        if self._at_start:
            self.turn()
        while not self._closing.wait(self._every):
            self.turn()
