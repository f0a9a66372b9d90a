"""NotificationBuffer: the newest notifications, numbered, for streams that come and go."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

from rlviz.services.notifications.notification import News, Notification

MOST_NOTIFICATIONS = 100


class NotificationBuffer:
    """For every thread.

    Numbers are milliseconds of the clock, so that they go on growing after a restart, and a client that was told of one
    can ask for those after it.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._kept: deque[Notification] = deque(maxlen=MOST_NOTIFICATIONS)
        self._last = int(clock() * 1_000)
        self._lock = Lock()

    @property
    def last(self) -> int:
        """Number after which the next one comes."""
        return self._last

    def post(self, news: News) -> Notification:
        with self._lock:
            now = self._clock()
            self._last = max(self._last + 1, int(now * 1_000))
            notification = Notification(self._last, round(now, 3), news)
            self._kept.append(notification)
        return notification

    def after(self, number: int) -> list[Notification]:
        """Those with greater numbers, oldest first, as far as they are kept."""
        if number >= self._last:
            return []
        with self._lock:
            return [one for one in self._kept if one.number > number]
