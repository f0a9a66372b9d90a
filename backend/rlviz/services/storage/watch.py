"""StorageWatch: measures the runs folder while runs train, and has the rules applied once a quota is exceeded."""

from __future__ import annotations

import logging
from collections.abc import Callable

from rlviz.services.storage.use_cases import StorageService

log = logging.getLogger(__name__)

EVERY_SECONDS = 120.0
"""With ten thousand runs a look takes half a second of processor time."""


class StorageWatch:
    """Where nothing trains, housekeeping measures often enough."""

    def __init__(self, storage: StorageService, trains: Callable[[], bool]) -> None:
        """``trains``: whether a run trains just now."""
        self._storage, self._trains = storage, trains
        self._warned = False

    def look(self) -> None:
        """Warnings are logged when there are some after there were none. Raises what ``keep_within`` does."""
        if not self._trains():
            return
        self._storage.keep_within()
        warnings = self._storage.warnings()
        if warnings and not self._warned:
            log.warning("Room for runs comes to its end. %s", " ".join(warnings))
        self._warned = bool(warnings)
