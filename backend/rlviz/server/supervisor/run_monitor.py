"""Follow live runs: read their journals, update their rows, and notice when their workers end.

``RunMonitor`` follows a run with a worker, ``PlayedRunMonitor`` one in which a person plays, and ``ForeignRunMonitor``
one that another program writes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import closing, suppress

from sqlmodel import Session

from rlviz.domain.errors import EvaluationNotFound, RunFolderError, RunIsActive
from rlviz.domain.events import Ending, EventRecord, InterruptedData, PausedData, StoppedData, event_line
from rlviz.domain.metrics import is_metric
from rlviz.launchers.base import Exit, Worker
from rlviz.rundir.control import Desired
from rlviz.rundir.files import remove_leftovers
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, JournalWriter, Line, read_backwards
from rlviz.rundir.lock import training_lock
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import find_requested_results
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import (
    empty_projection,
    evaluation_row,
    evaluation_rows,
    read_metrics,
    update_row,
)
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EvaluationChanged, EventBus, MetricsGrew, RunChanged
from rlviz.server.feeds import MetricsFeed
from rlviz.server.supervisor.monitors import (
    LINGERING_GRACE,
    LOST_FOLDER_GRACE,
    GracePeriod,
    TerminationPolicy,
    TerminationStep,
)

log = logging.getLogger(__name__)


PROGRESS_SECONDS = 1.0
"""Seconds between updates of a live run's step, return and rate in the catalogue and for clients."""

FOLDER_SECONDS = 1.0
"""Seconds between checks that the run's folder exists."""

FOLDER_LOST = (
    "The folder of this run was deleted, moved or renamed during training, so the app could not follow the run and "
    "ended its worker. If you still have the folder, give it its old name and run `rlviz rebuild`."
)


class RunMonitor:
    """Follows one live run: its worker and the ends of its journals. All methods are called from one thread."""

    worker_is_ours = True
    """Whether the worker runs only this run and must end with it."""

    def __init__(
        self,
        row: RunRow,
        folder: RunFolder,
        worker: Worker,
        feed: MetricsFeed,
        database: Database,
        events: EventBus,
        *,
        grace: GracePeriod,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``row``: the run's row in the catalogue. ``grace``: the time that its worker has to stop."""
        self.folder, self.worker, self.feed = folder, worker, feed
        self._database, self._events = database, events
        self._clock, self._monotonic = clock, monotonic
        self._tail = JournalTail(folder.events_path)
        self._projection = empty_projection(row)
        read_metrics(self._projection, folder, feed.end)
        # Read but not in the row yet; kept if the catalogue cannot be written.
        self._has_news, self._has_progress = False, feed.end > 0
        self._progress_at = self._folder_checked_at = monotonic()
        self._grace = grace
        self._ending: TerminationPolicy | None = None
        self._lost = False
        self._used: float | None = row.processor_seconds
        """Processor seconds of its worker when last read."""
        self.answered_checkpoint = 0
        """The last answered request for a checkpoint that the row has."""
        self.ended = False
        """Whether the row has the attempt's ending."""

    def end(self, grace: GracePeriod | None = None) -> None:
        """Make sure that the worker, which was asked to stop, ends within its grace period or ``grace`` if shorter."""
        if self._ending is None:
            name = f"Run {self.folder.run_id}"
            self._ending = TerminationPolicy(name, self.worker, grace or self._grace, self._monotonic)
        elif grace is not None:
            self._ending.shorten_grace(grace)

    def poll(self) -> bool:
        """Copy changes into the row. Returns False after the worker has exited and the row has all that it wrote."""
        gone = self.worker.poll()  # before reading the journals, so that all it wrote is read
        if gone is None:
            self._check_worker()
        self._read()
        if gone is not None and self._projection.ending is None and not self._interrupt(gone):
            gone = None
        if self._has_news or (self._has_progress and self._monotonic() - self._progress_at >= PROGRESS_SECONDS):
            self._update_row()
        if gone is not None:
            self.folder.tidy()
        return gone is None

    def _check_worker(self) -> None:
        """End a worker whose folder is gone or that outlives its attempt, and advance one that is ending."""
        now = self._monotonic()
        if not self._lost and now - self._folder_checked_at >= FOLDER_SECONDS:
            self._folder_checked_at = now
            self._lost = not self.folder.is_there() and self.folder.path.parent.exists()
            if self._lost:
                log.warning("Run %s: %s", self.folder.run_id, FOLDER_LOST)
                self.end(LOST_FOLDER_GRACE)
        if self.worker_is_ours and self._projection.ending is not None and self._ending is None:
            self.end(LINGERING_GRACE)
        if self._ending is not None:
            self._ending.advance()

    def _cause(self, gone: Exit) -> str:
        if self._lost or not self.folder.is_there():
            return FOLDER_LOST
        if self._ending is not None and self._ending.step is not TerminationStep.ASKED:
            return self._ending.cause()
        return gone.cause()

    def _interrupt(self, gone: Exit) -> bool:
        """Record the ending of a worker that died. Returns False if another process trains in the folder."""
        attempt, begun = self._projection.newest_attempt, self._projection.has_begun
        data: Ending = InterruptedData(attempt=attempt, cause=self._cause(gone), processor_seconds=self._used)
        if self._ending is not None and not self._lost and not begun:  # stopped before it trained
            data = StoppedData(attempt=attempt)
            with suppress(OSError, RunFolderError):
                control = self.folder.read_control()
                if control.desired is Desired.PAUSE:
                    data = PausedData(attempt=attempt, snapshot=control.resume_from)
        try:
            event = journal_ending(self.folder, data, self._clock)
        except RunIsActive as error:
            log.debug("Checking again: %s", error)
            return False
        self._projection.apply_event(event)
        _unless_damaged(self._tail.read)  # skips the damaged line
        self._has_news = True
        return True

    def _read(self) -> None:
        with suppress(RunFolderError):
            for events in self._tail.batches():
                self._projection.apply_events(events)  # at once: they are not read again if the following fails
                self._has_news = True
        rows = _unless_damaged(self.feed.poll)
        if self._projection.is_outdated:
            read_metrics(self._projection, self.folder, self.feed.end)
            self.feed.leave_out(self._projection.superseded)
            self._has_progress = True
        else:
            self._projection.apply_metrics(rows)
        self._has_progress = self._has_progress or bool(rows)
        if rows:
            self._events.publish(MetricsGrew(self.folder.run_id))

    def _update_row(self) -> None:
        recorded = list(self._projection.recorded)
        with self._database.write() as session:
            for evaluation_id in recorded:
                with suppress(RunFolderError, EvaluationNotFound):  # deleted since
                    session.merge(evaluation_row(self.folder, evaluation_id))
            row = get_run(session, self.folder.run_id)
            if row.reward_threshold is not None:
                self._projection.asked = find_requested_results(session, [row.id]).get(row.id, [])
            update_row(row, self._projection, self.folder)
            row.core_seconds_now = self._core_seconds()
            session.add(row)
        del self._projection.recorded[: len(recorded)]
        self._has_news = self._has_progress = False
        self._progress_at = self._monotonic()
        self.answered_checkpoint = self._projection.answered_checkpoint
        self.ended = self._projection.ending is not None
        self._events.publish(RunChanged(row))

    def _core_seconds(self) -> float | None:
        """Return the processor seconds so far; None if unknown or if the journal has them."""
        used = self.worker.processor_seconds() if self._projection.ending is None else None
        self._used = self._used if used is None else used
        return None if used is None else self._projection.core_seconds + used


def _unless_damaged(read: Callable[[], list[Line]]) -> list[Line]:
    """Return the lines that ``read`` returns; none if the file is no journal. The worker can still run and end."""
    try:
        return read()
    except RunFolderError:
        return []


def journal_ending(folder: RunFolder, data: Ending, clock: Callable[[], float] = time.time) -> EventRecord:
    """Write how an attempt ended into the journal, in place of its dead worker. Returns the event.

    If the folder cannot be written (deleted, or a full disk), the event still serves the catalogue. Raises RunIsActive
    while a worker trains in the folder: two processes must not write one journal.
    """
    now = round(clock(), 3)
    if isinstance(data, InterruptedData):
        data = data.model_copy(update={"trained_until": _last_time(folder)})
    event = EventRecord(seq=1, time=now, step=0, data=data)
    try:
        with training_lock(folder), closing(JournalWriter(folder.events_path, clock=lambda: now)) as journal:
            seq = journal.append(event_line(0, data))
    except (OSError, RunFolderError) as error:
        log.warning("Cannot write into its folder how run %s ended: %s", folder.run_id, error)
        return event
    return event.model_copy(update={"seq": seq})


def _last_time(folder: RunFolder) -> float | None:
    """Return the Unix time of the last row of the metrics."""
    with suppress(RunFolderError):
        for line in read_backwards(folder.metrics_path):
            if line.record is not None and is_metric(line.record):
                return float(line.record["time"])
    return None


class PlayedRunMonitor(RunMonitor):
    """Follows a run in which a person plays. Its worker belongs to a session, which may outlive the run, and writes an
    evaluation record for each played episode."""

    worker_is_ours = False

    def poll(self) -> bool:
        is_live = super().poll()
        if not is_live:
            remove_leftovers(self.folder.evaluations.path, self.folder.path)
        return is_live

    def _update_row(self) -> None:
        """Update evaluations first, so that a client that sees an episode finds its records."""
        with self._database.write() as session:
            news = update_evaluation_rows(session, self.folder)
        for row in news:
            self._events.publish(EvaluationChanged(row))
        super()._update_row()


def update_evaluation_rows(session: Session, folder: RunFolder) -> list[EvaluationRow]:
    """Update the rows of the evaluations in ``folder``; return the rows that changed."""
    news = []
    for row in evaluation_rows(folder, []):
        known = session.get(EvaluationRow, (row.run_id, row.id))
        if known is None or known.record != row.record:
            news.append(session.merge(row))
    return news


FOREIGN_FOLDER_LOST = "The folder of this run was deleted, moved or renamed while its program was writing to it."


class ForeignRunMonitor(PlayedRunMonitor):
    """Follows a run that another program writes.

    The program adds videos without a journal line, so the monitor also checks their folder. The run may end long
    before the program, which the app then leaves alone.
    """

    _evaluations_at: int | None = None

    def poll(self) -> bool:
        try:
            changed_at = self.folder.evaluations.path.stat().st_mtime_ns
        except OSError:
            changed_at = None
        if changed_at != self._evaluations_at:
            self._evaluations_at, self._has_news = changed_at, True
        is_live = super().poll()
        if is_live and self.ended:
            self.folder.tidy()
            remove_leftovers(self.folder.evaluations.path, self.folder.path)
            return False
        return is_live

    def _cause(self, gone: Exit) -> str:
        return gone.cause() if self.folder.is_there() else FOREIGN_FOLDER_LOST
