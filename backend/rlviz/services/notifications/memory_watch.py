"""MemoryWatch: tells when the memory of the machine, or of its container, is nearly full."""

from __future__ import annotations

import logging
from collections.abc import Callable

from rlviz.machine import MemoryUse, memory_use
from rlviz.services.notifications.notification import News, NotificationKind

log = logging.getLogger(__name__)

EVERY_SECONDS = 15.0

RELIEF = 0.05
"""So far below a level memory has to fall before reaching it again is news."""


class MemoryWatch:
    """Each level is told once, until memory has fallen clearly below it."""

    def __init__(self, notify: Callable[[News], None], *, use: Callable[[], MemoryUse] = memory_use) -> None:
        self._notify, self._use = notify, use
        self._reached = 0.0

    def look(self) -> None:
        """Raises OSError where it cannot be found out."""
        use = self._use()
        if use.level > self._reached:
            self._reached = use.level
            log.warning("%s %s", use.words, use.to_do)
            title = f"Memory is {use.share:.0%} full"
            self._notify(News(NotificationKind.MEMORY, None, None, title, f"{use.words} {use.to_do}", None))
        elif use.share < self._reached - RELIEF:
            self._reached = use.level
