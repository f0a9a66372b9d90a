"""RunMonitor: watches one live run and keeps its row of the catalogue true.

PlayedRunMonitor: watches a run in which a person plays.

ForeignRunMonitor: watches a run that a program of the user's own writes.
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
from rlviz.server.catalog.evaluations import results_asked_for
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
"""How often step, reward and rate of a live run are written to the catalogue and told to clients."""

FOLDER_SECONDS = 1.0
"""How often it is looked whether the run still has its folder."""

FOLDER_LOST = (
    "The folder of this run was deleted, moved or renamed while it trained, so that nothing it did could be followed; "
    "its worker was ended. If you still have the folder, give it its old name again and run `rlviz rebuild`."
)


class RunMonitor:
    """One live run: its worker, and the tails of its journals. All methods are called from one thread."""

    worker_is_ours = True
    """Whether the worker was launched for this run alone, and so has to end with it."""

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
        """``row``: the run as the catalogue has it. ``grace``: how long its worker may take for a stop."""
        self.folder, self.worker, self.feed = folder, worker, feed
        self._database, self._events = database, events
        self._clock, self._monotonic = clock, monotonic
        self._tail = JournalTail(folder.events_path)
        self._projection = empty_projection(row)
        read_metrics(self._projection, folder, feed.end)
        # What was read and is not in the row yet: it stays so if the catalogue cannot be written now.
        self._has_news, self._has_progress = False, feed.end > 0
        self._progress_at = self._looked_at = monotonic()
        self._grace = grace
        self._ending: TerminationPolicy | None = None
        self._lost = False
        self._used: float | None = row.processor_seconds
        """Processor seconds of its worker when it was last asked."""
        self.answered_checkpoint = 0
        """The last request for a checkpoint that was answered, as far as the row has it."""
        self.ended = False
        """Whether the row has the end of the attempt."""

    def end(self, grace: GracePeriod | None = None) -> None:
        """The worker was asked to stop: see to it that it does, in the time of a stop or in ``grace`` if shorter."""
        if self._ending is None:
            name = f"Run {self.folder.run_id}"
            self._ending = TerminationPolicy(name, self.worker, grace or self._grace, self._monotonic)
        elif grace is not None:
            self._ending.shorten_grace(grace)

    def poll(self) -> bool:
        """Carry over what is new. Returns False once the worker is gone and the row has everything it wrote."""
        gone = self.worker.poll()  # before the journals are read: what it wrote is then there to be read
        if gone is None:
            self._look_after()
        self._read()
        if gone is not None and self._projection.ending is None and not self._interrupt(gone):
            gone = None
        if self._has_news or (self._has_progress and self._monotonic() - self._progress_at >= PROGRESS_SECONDS):
            self._update_row()
        if gone is not None:
            self.folder.tidy()
        return gone is None

    def _look_after(self) -> None:
        """End a worker that lost its folder, or that is still there after its ending; take the next step with one that
        is to end."""
        now = self._monotonic()
        if not self._lost and now - self._looked_at >= FOLDER_SECONDS:
            self._looked_at = now
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
        """Speak for a worker that went without a word. Returns False if somebody trains in the folder after all."""
        attempt, begun = self._projection.newest_attempt, self._projection.has_begun
        data: Ending = InterruptedData(attempt=attempt, cause=self._cause(gone), processor_seconds=self._used)
        if self._ending is not None and not self._lost and not begun:  # asked to end before it trained
            data = StoppedData(attempt=attempt)
            with suppress(OSError, RunFolderError):
                control = self.folder.read_control()
                if control.desired is Desired.PAUSE:
                    data = PausedData(attempt=attempt, snapshot=control.resume_from)
        try:
            event = journal_ending(self.folder, data, self._clock)
        except RunIsActive as error:
            log.debug("Looking again: %s", error)
            return False
        self._projection.take_event(event)
        _unless_damaged(self._tail.read)  # skips that line
        self._has_news = True
        return True

    def _read(self) -> None:
        with suppress(RunFolderError):
            for events in self._tail.batches():
                self._projection.take_events(events)  # at once: the tail has passed them, and what follows may fail
                self._has_news = True
        rows = _unless_damaged(self.feed.poll)
        if self._projection.is_outdated:
            read_metrics(self._projection, self.folder, self.feed.end)
            self.feed.leave_out(self._projection.superseded)
            self._has_progress = True
        else:
            self._projection.take_metrics(rows)
        self._has_progress = self._has_progress or bool(rows)
        if rows:
            self._events.publish(MetricsGrew(self.folder.run_id))

    def _update_row(self) -> None:
        recorded = list(self._projection.recorded)
        with self._database.write() as session:
            for evaluation_id in recorded:
                with suppress(RunFolderError, EvaluationNotFound):  # somebody has deleted it since
                    session.merge(evaluation_row(self.folder, evaluation_id))
            row = get_run(session, self.folder.run_id)
            if row.reward_threshold is not None:
                self._projection.asked = results_asked_for(session, [row.id]).get(row.id, [])
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
        """What the run has cost by now; None if its worker cannot tell, or if the journal tells."""
        used = self.worker.processor_seconds() if self._projection.ending is None else None
        self._used = self._used if used is None else used
        return None if used is None else self._projection.core_seconds + used


def _unless_damaged(read: Callable[[], list[Line]]) -> list[Line]:
    """The lines that ``read`` finds; none in what is no journal any more. Its worker may live and end all the same."""
    try:
        return read()
    except RunFolderError:
        return []


def journal_ending(folder: RunFolder, data: Ending, clock: Callable[[], float] = time.time) -> EventRecord:
    """Write, for a worker that cannot, how its attempt ended; return the event. The folder then tells the whole story.

    If nothing can be written there (it was removed, the disk is full) the event is good for the catalogue at least.
    Raises RunIsActive while a worker trains in the folder: two writers never share a journal.
    """
    now = round(clock(), 3)
    if isinstance(data, InterruptedData):
        data = data.model_copy(update={"trained_until": _last_time(folder)})
    event = EventRecord(seq=1, time=now, step=0, data=data)
    try:
        with training_lock(folder), closing(JournalWriter(folder.events_path, clock=lambda: now)) as journal:
            seq = journal.append(event_line(0, data))
    except (OSError, RunFolderError) as error:
        log.warning("How run %s ended could not be written into its folder: %s", folder.run_id, error)
        return event
    return event.model_copy(update={"seq": seq})


def _last_time(folder: RunFolder) -> float | None:
    """Unix seconds of the last row of the metrics."""
    with suppress(RunFolderError):
        for line in read_backwards(folder.metrics_path):
            if line.record is not None and is_metric(line.record):
                return float(line.record["time"])
    return None


class PlayedRunMonitor(RunMonitor):
    """Its worker writes evaluations without a request: the records of what was played. It is the worker of a session,
    which continues after the run."""

    worker_is_ours = False

    def poll(self) -> bool:
        goes_on = super().poll()
        if not goes_on:
            remove_leftovers(self.folder.evaluations.path, self.folder.path)
        return goes_on

    def _update_row(self) -> None:
        """The evaluations first: who learns of an episode finds its records."""
        with self._database.write() as session:
            news = book_evaluations(session, self.folder)
        for row in news:
            self._events.publish(EvaluationChanged(row))
        super()._update_row()


def book_evaluations(session: Session, folder: RunFolder) -> list[EvaluationRow]:
    """Bring the rows of the evaluations in ``folder`` up to date; return those that changed."""
    news = []
    for row in evaluation_rows(folder, []):
        known = session.get(EvaluationRow, (row.run_id, row.id))
        if known is None or known.record != row.record:
            news.append(session.merge(row))
    return news


FOREIGN_FOLDER_LOST = "The folder of this run was deleted, moved or renamed while its program wrote into it."


class ForeignRunMonitor(PlayedRunMonitor):
    """Its program hands over videos without a word in the journals, so that their folder is looked at too. The run may
    end long before its program does, which is then no business of this app's."""

    _evaluations_at: int | None = None

    def poll(self) -> bool:
        try:
            changed_at = self.folder.evaluations.path.stat().st_mtime_ns
        except OSError:
            changed_at = None
        if changed_at != self._evaluations_at:
            self._evaluations_at, self._has_news = changed_at, True
        goes_on = super().poll()
        if goes_on and self.ended:
            self.folder.tidy()
            remove_leftovers(self.folder.evaluations.path, self.folder.path)
            return False
        return goes_on

    def _cause(self, gone: Exit) -> str:
        return gone.cause() if self.folder.is_there() else FOREIGN_FOLDER_LOST
