"""RunMonitor: watches one live run and keeps its row of the catalogue true."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import closing

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import get_run
from rlviz.domain.errors import IllegalTransition, RunFolderError, RunIsActive
from rlviz.domain.events import CheckpointData, Ending, EventRecord, InterruptedData, StoppedData, event_line
from rlviz.domain.status import RunStatus, check_transition
from rlviz.launchers.base import Exit, Worker
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, JournalWriter, Line
from rlviz.rundir.lock import training_lock
from rlviz.services.projection.run_projection import (
    cause_of_stop,
    curve_of_journal,
    extend_curve,
    fold_best,
    fold_curve,
    fold_event,
    fold_metrics,
    parse_events,
    warn,
    warn_of_broken_events,
)
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.streaming.feeds import MetricsFeed
from rlviz.services.supervision.termination import GracePeriod, TerminationPolicy, TerminationStep

log = logging.getLogger(__name__)

PROGRESS_SECONDS = 1.0
"""How often step, reward and rate of a live run are written to the catalogue and told to clients."""

FOLDER_SECONDS = 1.0
"""How often it is looked whether the run still has its folder."""

STOP_GRACE = GracePeriod(ask=30.0, terminate=10.0)
AT_ONCE = GracePeriod(ask=0.0, terminate=5.0)

FOLDER_LOST = (
    "The folder of this run was deleted, moved or renamed while it trained, so that nothing it did could be followed; "
    "its worker was ended. If you still have the folder, give it its old name again and run `rlviz rebuild`."
)


class RunMonitor:
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
        grace: GracePeriod = STOP_GRACE,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self.worker, self.feed = folder, worker, feed
        self._database, self._broadcast = database, broadcast
        self._clock, self._monotonic = clock, monotonic
        self._tail = JournalTail(folder.events_path, events_offset)
        with database.read() as session:
            threshold = get_run(session, folder.run_id).reward_threshold
        self._curve = curve_of_journal(folder.metrics_path, threshold, feed.end)
        # What was read and is not booked yet: it stays if the catalogue cannot be written now.
        self._events: list[EventRecord] = []
        self._broken: list[Line] = []
        self._rows: list[Line] = []
        self._progress_at = self._looked_at = monotonic()
        self._grace = grace
        self._ending: TerminationPolicy | None = None
        self._lost = False
        self._began = events_offset > 0
        self.answered_checkpoint = 0
        self.ended = False

    def end(self, grace: GracePeriod | None = None) -> None:
        """The worker was asked to stop: see to it that it does, in the time of a stop or in ``grace`` if shorter."""
        if self._ending is None:
            name = f"Run {self.folder.run_id}"
            self._ending = TerminationPolicy(name, self.worker, grace or self._grace, self._monotonic)
        elif grace is not None:
            self._ending.hurry(grace)

    def poll(self) -> bool:
        """Carry over what is new. Returns False once the worker is gone and everything it wrote is booked."""
        gone = self.worker.poll()  # before the journals are read: what it wrote is then there to be read
        if gone is None:
            self._look_after()
        self._read()
        if gone is not None and not self._has_ending() and not self._interrupt(gone):
            gone = None
        progress_due = self._rows and self._monotonic() - self._progress_at >= PROGRESS_SECONDS
        if self._events or self._broken or progress_due:
            self._book()
        if gone is not None:
            self.folder.tidy()
        return gone is None

    def _look_after(self) -> None:
        """End a worker that lost its folder; take the next step with one that shall end."""
        now = self._monotonic()
        if not self._lost and now - self._looked_at >= FOLDER_SECONDS:
            self._looked_at = now
            self._lost = not self.folder.is_there() and self.folder.path.parent.exists()
            if self._lost:
                log.warning("Run %s: %s", self.folder.run_id, FOLDER_LOST)
                self.end(AT_ONCE)
        if self._ending is not None:
            self._ending.tick()

    def _cause(self, gone: Exit) -> str:
        if self._lost or not self.folder.is_there():
            return FOLDER_LOST
        if self._ending is not None and self._ending.step is not TerminationStep.ASKED:
            return self._ending.cause()
        return gone.cause()

    def _interrupt(self, gone: Exit) -> bool:
        """Speak for a worker that went without a word. Returns False if somebody trains in the folder after all."""
        data: Ending = InterruptedData(cause=self._cause(gone))
        if self._ending is not None and not self._lost and not self._began:  # stopped while it was importing
            data = StoppedData()
        try:
            self._events.append(journal_ending(self.folder, data, self._clock))
        except RunIsActive as error:
            log.debug("Looking again: %s", error)
            return False
        self._tail.read()  # that line
        return True

    def _read(self) -> None:
        events, broken = parse_events(self._tail.read())
        rows = self.feed.poll()
        self._events += events
        self._began = self._began or bool(events)
        self._broken += broken
        self._rows += rows
        extend_curve(self._curve, [line.record for line in rows])
        if rows:
            self._broadcast.metrics_grew(self.folder.run_id)

    def _has_ending(self) -> bool:
        return self.ended or any(isinstance(event.data, Ending) for event in self._events)

    def _book(self) -> None:
        with self._database.write() as session:
            row = get_run(session, self.folder.run_id)
            fold_metrics(row, self.folder.metrics_path.name, self._rows)
            fold_curve(row, self._curve)
            warn_of_broken_events(row, self.folder.events_path.name, self._broken)
            for event in self._events:
                fold_event(row, event)
                self._note(row, event)
            session.add(row)
        self._events, self._broken, self._rows = [], [], []
        self._progress_at = self._monotonic()
        self._broadcast.run_changed(row)

    def _note(self, row: RunRow, event: EventRecord) -> None:
        if isinstance(event.data, CheckpointData):
            self.answered_checkpoint = event.data.request
        if isinstance(event.data, Ending):
            self._end(row, event.data.leads_to)

    def _end(self, row: RunRow, status: RunStatus) -> None:
        self.ended = True
        try:
            check_transition(row.state, status)
        except IllegalTransition as error:
            warn(row, f"{self.folder.events_path.name} has two endings: {error}")
        else:
            row.status = status.value
            fold_best(row, self.folder)
            if status in (RunStatus.STOPPED, RunStatus.COMPLETED):
                row.cause = cause_of_stop(status, self.folder)


def journal_interruption(folder: RunFolder, cause: str, clock: Callable[[], float] = time.time) -> EventRecord:
    """Write, for a worker that is gone, how it went; return the event. Raises RunIsActive."""
    return journal_ending(folder, InterruptedData(cause=cause), clock)


def journal_ending(folder: RunFolder, data: Ending, clock: Callable[[], float] = time.time) -> EventRecord:
    """Write, for a worker that cannot, how the run ended; return the event. The folder then tells the whole story.

    If nothing can be written there (it was removed, the disk is full) the event is good for the catalogue at least.
    Raises RunIsActive while a worker trains in the folder: two writers never share a journal.
    """
    now = round(clock(), 3)
    event = EventRecord(seq=1, time=now, step=0, data=data)
    try:
        with training_lock(folder), closing(JournalWriter(folder.events_path, clock=lambda: now)) as journal:
            seq = journal.append(event_line(0, data))
    except (OSError, RunFolderError) as error:
        log.warning("How run %s ended could not be written into its folder: %s", folder.run_id, error)
        return event
    return event.model_copy(update={"seq": seq})
