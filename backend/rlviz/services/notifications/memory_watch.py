"""MemoryWatch: tells when the memory of the machine, or of its container, is nearly full."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from rlviz.machine import MemoryUse, memory_use
from rlviz.services.notifications.notification import News, NotificationKind

log = logging.getLogger(__name__)

EVERY_SECONDS = 15.0

RELIEF = 0.05
"""So far below a level memory has to fall before reaching it again is news."""


class MemoryWatch:
    """Looks in a thread of its own. Each level is told once, until memory has fallen clearly below it."""

    def __init__(self, tell: Callable[[News], None], *, use: Callable[[], MemoryUse] = memory_use) -> None:
        self._tell, self._use = tell, use
        self._reached = 0.0
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="memory-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        use = self._use()
        if use.level > self._reached:
            self._reached = use.level
            log.warning("%s %s", use.words, use.to_do)
            title = f"Memory is {use.share:.0%} full"
            self._tell(News(NotificationKind.MEMORY, None, None, title, f"{use.words} {use.to_do}", None))
        elif use.share < self._reached - RELIEF:
            self._reached = use.level

    def _loop(self) -> None:
        while not self._closing.is_set():
            try:
                self.look()
            except OSError as error:
                log.debug("How much memory is taken is looked up later: %s", error)
            self._closing.wait(EVERY_SECONDS)
