"""StorageWatch: measures the runs folder while runs train, and has the rules applied once a quota is exceeded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from rlviz.services.storage.use_cases import StorageService

log = logging.getLogger(__name__)

EVERY_SECONDS = 120.0
"""With ten thousand runs a look takes half a second of processor time."""


class StorageWatch:
    """Looks in a thread of its own. Where nothing trains, housekeeping measures often enough."""

    def __init__(self, storage: StorageService, trains: Callable[[], bool], *, every: float = EVERY_SECONDS) -> None:
        self._storage, self._trains, self._every = storage, trains, every
        self._warned = False
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="storage-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        """Warnings are logged when there are some after there were none. Raises what ``keep_within`` does."""
        if not self._trains():
            return
        self._storage.keep_within()
        warnings = self._storage.warnings()
        if warnings and not self._warned:
            log.warning("Room for runs comes to its end. %s", " ".join(warnings))
        self._warned = bool(warnings)

    def _loop(self) -> None:
        while not self._closing.wait(self._every):
            try:
                self.look()
            except Exception as error:  # a measurement that fails now may not fail the next time
                log.warning("What the runs take could not be looked at: %s", error)
