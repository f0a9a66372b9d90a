"""Telling every open stream that something changed. Published from any thread, received on an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from rlviz.catalog.models import EvaluationRow, RunRow


class Subscription:
    """What changed since the last ``take``, at most one entry a run and evaluation: it cannot grow without end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.wake = asyncio.Event()
        self._loop = loop
        self._lock = Lock()
        self._runs: dict[str, RunRow] = {}
        self._evaluations: dict[tuple[str, str], EvaluationRow] = {}
        self._deleted: set[str] = set()

    def take(self) -> tuple[list[RunRow], list[EvaluationRow], set[str]]:
        """Changed runs, changed evaluations and deleted run ids, each handed out once."""
        with self._lock:
            taken = list(self._runs.values()), list(self._evaluations.values()), self._deleted
            self._runs, self._evaluations, self._deleted = {}, {}, set()
        return taken

    def offer_run(self, row: RunRow) -> None:
        with self._lock:
            self._runs[row.id] = row

    def offer_evaluation(self, row: EvaluationRow) -> None:
        with self._lock:
            self._evaluations[row.run_id, row.id] = row

    def offer_deletion(self, run_id: str) -> None:
        with self._lock:
            self._runs.pop(run_id, None)
            self._deleted.add(run_id)

    def notify(self) -> None:
        with suppress(RuntimeError):  # the loop has closed: nobody listens any more
            self._loop.call_soon_threadsafe(self.wake.set)


class Broadcast:
    """Hands every change to every subscription."""

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()
        self._lock = Lock()

    @contextmanager
    def subscription(self) -> Iterator[Subscription]:
        """Subscribe, on the running event loop, for the length of the block."""
        subscription = Subscription(asyncio.get_running_loop())
        with self._lock:
            self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            with self._lock:
                self._subscriptions.discard(subscription)

    def run_changed(self, row: RunRow) -> None:
        for subscription in self._all():
            subscription.offer_run(row)
            subscription.notify()

    def evaluation_changed(self, row: EvaluationRow) -> None:
        for subscription in self._all():
            subscription.offer_evaluation(row)
            subscription.notify()

    def run_deleted(self, run_id: str) -> None:
        for subscription in self._all():
            subscription.offer_deletion(run_id)
            subscription.notify()

    def metrics_grew(self) -> None:
        """Some feed has new rows; each stream looks at the feeds it follows."""
        for subscription in self._all():
            subscription.notify()

    def _all(self) -> list[Subscription]:
        with self._lock:
            return list(self._subscriptions)
