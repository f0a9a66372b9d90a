"""RunFollower: watches one live run and keeps its row of the catalogue true."""

from __future__ import annotations

import time
from collections.abc import Callable

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import get_run
from rlviz.domain.errors import IllegalTransition
from rlviz.domain.records import EventKind, EventRecord
from rlviz.domain.status import RunStatus, check_transition
from rlviz.launchers.base import Worker
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, JournalWriter, Line
from rlviz.services.broadcast import Broadcast
from rlviz.services.feeds import MetricsFeed
from rlviz.services.folding import ENDINGS, fold_event, fold_metrics, parse_events, warn

PROGRESS_SECONDS = 1.0
"""How often step, reward and rate of a live run are written to the catalogue and told to clients."""


class RunFollower:
    """One live run: its worker, and the tails of its journals. All methods are called from one thread."""

    def __init__(
        self,
        folder: RunFolder,
        worker: Worker,
        feed: MetricsFeed,
        database: Database,
        broadcast: Broadcast,
        *,
        events_offset: int = 0,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self.worker, self.feed = folder, worker, feed
        self._database, self._broadcast = database, broadcast
        self._clock, self._monotonic = clock, monotonic
        self._events = JournalTail(folder.events_path, events_offset)
        self._pending: list[Line] = []
        self._progress_at = monotonic()
        self.answered_checkpoint = 0
        self.ended = False

    def poll(self) -> bool:
        """Carry over what is new. Returns False once the worker is gone and everything it wrote is booked."""
        gone = self.worker.poll()  # before the journals are read: what it wrote is then there to be read
        events, broken = parse_events(self._events.read())
        rows = self.feed.poll()
        self._pending.extend(rows)
        if rows:
            self._broadcast.metrics_grew()
        if gone is not None and not self.ended and not any(event.event in ENDINGS for event in events):
            events.append(self._interruption(gone.cause()))
        progress_due = self._pending and self._monotonic() - self._progress_at >= PROGRESS_SECONDS
        if events or broken or progress_due:
            self._book(events, broken)
        return gone is None

    def _book(self, events: list[EventRecord], broken: list[Line]) -> None:
        with self._database.write() as session:
            row = get_run(session, self.folder.run_id)
            fold_metrics(row, self.folder.metrics_path.name, self._pending)
            for line in broken:
                warn(row, f"{self.folder.events_path.name}: the line at byte {line.start} is not an event.")
            for event in events:
                fold_event(row, event)
                self._note(row, event)
            session.add(row)
        self._pending.clear()
        self._progress_at = self._monotonic()
        self._broadcast.run_changed(row)

    def _note(self, row: RunRow, event: EventRecord) -> None:
        if event.event is EventKind.CHECKPOINT:
            number = event.data.get("request")
            self.answered_checkpoint = number if isinstance(number, int) else 0
        if event.event in ENDINGS:
            self._end(row, ENDINGS[event.event])

    def _end(self, row: RunRow, status: RunStatus) -> None:
        self.ended = True
        try:
            check_transition(row.state, status)
        except IllegalTransition as error:
            warn(row, f"{self.folder.events_path.name} has two endings: {error}")
        else:
            row.status = status.value

    def _interruption(self, cause: str) -> EventRecord:
        return journal_interruption(self.folder, cause, self._clock)


def journal_interruption(folder: RunFolder, cause: str, clock: Callable[[], float] = time.time) -> EventRecord:
    """Write, for a worker that is gone, how it went; return the event. The folder then tells the whole story."""
    journal = JournalWriter(folder.events_path, clock=clock)
    try:
        data = {"cause": cause}
        now = round(clock(), 3)
        seq = journal.append({"event": EventKind.INTERRUPTED.value, "step": 0, "data": data})
    finally:
        journal.close()
    return EventRecord(seq=seq, time=now, event=EventKind.INTERRUPTED, step=0, data=dict(data))
