"""Periodic tasks: emptying the trash, inspecting the run folders, and applying the storage rules."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Event, Thread

from rlviz.domain.errors import RlvizError
from rlviz.rundir.trash import Trash

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 3_600.0
DAY_SECONDS = 86_400.0


class Housekeeping:
    """Removes runs that have been in the trash for ``trash_days``, inspects folders, measures and prunes: at the start,
    then hourly."""

    def __init__(
        self,
        trash: Trash,
        trash_days: float,
        *,
        inspect: Callable[[], None] = lambda: None,
        measure: Callable[[], None] = lambda: None,
        prune: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._trash, self._trash_days, self._clock = trash, trash_days, clock
        self._inspect, self._measure, self._prune = inspect, measure, prune
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="housekeeping", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def tidy(self) -> None:
        try:
            purged = self._trash.purge(self._clock() - self._trash_days * DAY_SECONDS)
        except OSError:
            log.exception("The trash could not be emptied; trying again in an hour")
        else:
            if purged:
                log.info("Removed for good, %g days after their deletion: %s", self._trash_days, ", ".join(purged))

    def _loop(self) -> None:
        while not self._closing.is_set():
            self.tidy()
            try:
                self._inspect()
            except Exception:
                log.exception("The run folders could not be looked through; trying again in an hour")
            self._measure()
            try:
                self._prune()
            except RlvizError as error:
                log.warning("%s", error)
            self._closing.wait(INTERVAL_SECONDS)
