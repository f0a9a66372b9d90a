"""Notifier: notices what is worth telling when a run changes, and passes it on."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from rlviz.catalog.models import RunRow
from rlviz.services.notifications.notification import Known, News, news_of
from rlviz.services.notifications.notification_buffer import NotificationBuffer
from rlviz.services.notifications.webhook import Webhook


class Notifier:
    """Tells of each thing once. All methods are for every thread, and return at once."""

    def __init__(self, webhook_url: str | None) -> None:
        self.buffer = NotificationBuffer()
        self.webhook = Webhook(webhook_url) if webhook_url is not None else None
        self._known: dict[str, Known] = {}
        self._lock = Lock()

    def start(self, known: Iterable[RunRow]) -> None:
        """``known``: runs as an earlier service knew them last; what happened to them since then is news."""
        self._known.update((row.id, Known.of(row)) for row in known)
        if self.webhook is not None:
            self.webhook.start()

    def consider(self, row: RunRow, *, is_trial: bool = False) -> None:
        """A run has changed. Of one that was never heard of, nothing that it says is news.

        ``is_trial``: it belongs to an experiment that goes on.
        """
        with self._lock:
            now = Known.of(row)
            known = self._known.setdefault(row.id, now)
            self._known[row.id] = known.with_all(now)
        for news in news_of(row, known, is_trial=is_trial):
            self.notify(news)

    def notify(self, news: News) -> None:
        notification = self.buffer.post(news)
        if self.webhook is not None:
            self.webhook.send(notification)

    def close(self) -> None:
        if self.webhook is not None:
            self.webhook.close()
