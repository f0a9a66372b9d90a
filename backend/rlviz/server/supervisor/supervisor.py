"""The supervisor: one thread that starts queued work and follows running work.

Other threads write requests into the catalogue and the run folder and call ``Supervisor.wake``. ``ForeignRuns`` finds
runs that other programs start in the runs folder.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from sqlalchemy.exc import DatabaseError
from sqlmodel import col, select

from rlviz.domain.config import RunActor
from rlviz.domain.errors import RunFolderError
from rlviz.launchers.base import Launcher, Verify, VerifySnapshot, Worker
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import IndexedFolders, index_folder
from rlviz.server.events import EventBus, RunChanged
from rlviz.server.feeds import Feeds
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.evaluations import LiveEvaluations
from rlviz.server.supervisor.monitors import CLOSING_GRACE, RETRY_SECONDS, RetryThrottle
from rlviz.server.supervisor.runs import LiveRuns
from rlviz.server.supervisor.trust_guard import GuardedLauncher, TrustGuard
from rlviz.server.supervisor.workers import ClipWorkers, SessionWorkers, VerificationWorkers
from rlviz.settings import Settings

log = logging.getLogger(__name__)


class WakeSignal:
    """Wakes a sleeping thread. ``ring`` is thread-safe and never lost; one thread calls ``wait``."""

    def __init__(self) -> None:
        self._event = Event()

    def ring(self) -> None:
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Sleep for ``seconds`` or until it rings; return whether it rang since the last wait.

        ``Event.wait`` alone is not enough: it returns False for a ring that comes just as the time runs out.
        """
        self._event.wait(seconds)
        rang = self._event.is_set()
        if rang:
            self._event.clear()
        return rang


POLL_SECONDS = 0.5

SETTLED_SECONDS = 2.0
"""Seconds after a change of the runs folder during which it is always listed, since timestamps may be this coarse."""


class ForeignRuns:
    """Finds foreign runs in the runs folder: ``poll`` adds their rows and passes active ones to ``follow``.

    If the runs folder has not changed, a poll is one system call. Folders of other kinds of runs wait for the next
    start, since they may still be being copied.
    """

    def __init__(
        self,
        runs_dir: Path,
        database: Database,
        events: EventBus,
        follow: Callable[[RunRow], None],
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runs_dir, self._database, self._events, self._follow = runs_dir, database, events, follow
        self._clock, self._monotonic = clock, monotonic
        self._polled_at = float("-inf")
        self._changed_at: int | None = None
        self._others: set[str] = set()

    def poll(self) -> None:
        if self._monotonic() - self._polled_at < POLL_SECONDS:
            return
        self._polled_at = self._monotonic()
        changed_at = self._runs_dir.stat().st_mtime_ns
        if changed_at == self._changed_at and self._clock() - changed_at / 1e9 > SETTLED_SECONDS:
            return
        with self._database.read() as session:
            known = set(session.exec(select(col(RunRow.id))))
        self._others -= known
        for folder in run_folders(self._runs_dir, known | self._others):
            try:
                self._add_run(folder)
            except (OSError, DatabaseError):
                raise  # the disk or the catalogue fails: try all of them again
            except Exception:  # an error in one folder must not hide the others
                log.exception("Cannot add run %s", folder.run_id)
                self._others.add(folder.run_id)
        self._changed_at = changed_at

    def _add_run(self, folder: RunFolder) -> None:
        try:
            is_foreign = folder.read_config().actor is RunActor.FOREIGN
        except (RunFolderError, OSError):
            is_foreign = False
        if not is_foreign:
            self._others.add(folder.run_id)
            return
        with self._database.write() as session:
            if session.get(RunRow, folder.run_id) is not None or not folder.is_there():
                return
            found = IndexedFolders()
            index_folder(folder, found)
            if not found.runs:
                return
            [row] = found.runs
            session.add(row)
            session.flush()
            session.add_all(found.evaluations)
        log.info("Another program writes run %s", row.id)
        self._events.publish(RunChanged(row))
        if row.state.has_worker:
            self._follow(row)


TICK_SECONDS = 0.05
IDLE_SECONDS = 0.5


class Supervisor:
    """Owns the launcher and all monitors, which only its own thread uses.

    Other threads write requests into the catalogue and the run folder, and call ``wake``.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        launcher: Launcher,
        feeds: Feeds,
        events: EventBus,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._launcher = launcher = GuardedLauncher(launcher, TrustGuard(settings))
        disk = DiskGuard(settings)
        self._runs = LiveRuns(settings, database, launcher, feeds, events, disk, clock=clock)
        self._evaluations = LiveEvaluations(settings, database, launcher, events, disk, self._runs)
        self._foreign = ForeignRuns(settings.runs_dir, database, events, self._runs.follow_foreign, clock=clock)
        self.sessions = SessionWorkers(launcher, self.wake)
        self._clips = ClipWorkers(settings.runs_dir, launcher)
        self._verifications = VerificationWorkers(settings.runs_dir, launcher, self._evaluations.take_over_film)
        self._to_follow: deque[tuple[RunRow, str]] = deque()
        self._throttle = RetryThrottle()
        self._draining = Event()
        self._idle = Event()
        self._wake = WakeSignal()
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="supervisor", daemon=True)

    @property
    def limit(self) -> int:
        """Number of runs that may train at the same time."""
        return self._runs.limit

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Make the thread look for queued work now."""
        self._wake.ring()

    def expect_end(self, run_id: str) -> None:
        """Terminate, and then kill, the run's worker if it does not stop as requested."""
        self._runs.expect_end(run_id)
        self.wake()

    def drain(self) -> None:
        """Start no more work, and end every worker, evaluators at once. Returns without waiting."""
        self._idle.clear()
        self._draining.set()
        self.wake()

    def await_drained(self, seconds: float) -> bool:
        """Wait at most ``seconds`` until no worker is left; return whether none is."""
        return self._idle.wait(seconds)

    def skip_wait(self) -> None:
        self._idle.set()

    def close(self) -> None:
        """End the thread and the launcher, and copy into the catalogue what workers wrote as they ended."""
        self._closing.set()
        self._wake.ring()
        self._thread.join()
        self.sessions.close()
        self._launcher.close()
        self._runs.poll()
        self._clips.end()
        self._verifications.end()

    def follow_played(self, row: RunRow, session_id: str) -> None:
        """Follow a run in which a person plays, in a session."""
        self._to_follow.append((row, session_id))
        self.wake()

    def request_clips(self, run_id: str) -> None:
        """Start a worker for the clip requests in the run's folder. Idempotent."""
        self._clips.request(run_id)
        self.wake()

    def request_verification(self, run_id: str, job: Verify | VerifySnapshot) -> None:
        """Queue a verification, whose request is in the run's folder."""
        self._verifications.request((run_id, job))
        self.wake()

    def is_verifying(self, run_id: str, job: Verify | VerifySnapshot) -> bool:
        return self._verifications.has((run_id, job))

    def add_evaluation(self, row: EvaluationRow, checkpoint_request: int | None) -> None:
        """Add a queued evaluation, which waits for checkpoint request ``checkpoint_request`` unless that is None."""
        self._evaluations.add(row, checkpoint_request)
        self.wake()

    def is_live(self, run_id: str) -> bool:
        """Return whether the run has a worker that is not known to have exited."""
        return run_id in self._runs

    def workers(self) -> list[Worker]:
        """Return every worker that is not known to have exited. Do not call while the thread runs."""
        live = [*self._runs.monitors.workers(), *self._evaluations.monitors.workers()]
        return [*live, *self._clips.workers(), *self._verifications.workers()]

    def worker_counts(self) -> dict[str, int]:
        """Return the number of workers by kind, without those of sessions. Thread-safe."""
        return {
            "training": len(self._runs.monitors.workers()),
            "evaluation": len(self._evaluations.monitors.workers()),
            "clips": len(self._clips.workers()),
            "verification": len(self._verifications.workers()),
        }

    # Only before ``start``: workers of an earlier service

    def adopt_run(self, row: RunRow, worker: Worker) -> None:
        self._runs.adopt(row, worker)

    def adopt_foreign(self, row: RunRow) -> None:
        self._runs.follow_foreign(row)

    def adopt_evaluation(self, row: EvaluationRow, worker: Worker) -> None:
        self._evaluations.adopt(row, worker)

    # The thread

    def _loop(self) -> None:
        self._wake.ring()
        while not self._closing.is_set():
            woken = self._wake.wait(TICK_SECONDS if self._is_busy else IDLE_SECONDS)
            try:
                self._advance(woken)
            except Exception as error:
                self._throttle.note_failure("Starting queued work", error)
                self._closing.wait(RETRY_SECONDS)
                self._wake.ring()
            else:
                self._throttle.note_success("Starting queued work")

    @property
    def _is_busy(self) -> bool:
        live = len(self._runs.monitors) + len(self._runs.guests) + len(self._evaluations.monitors)
        return live > 0 or self.sessions.is_busy or self._clips.is_busy or self._verifications.is_busy

    def _advance(self, woken: bool) -> None:
        if self._draining.is_set():
            self._runs.end_all(CLOSING_GRACE)
            self._evaluations.abandon_all()
            self._clips.end()
            self._verifications.end()
            self.sessions.close()
        while self._to_follow:
            row, session_id = self._to_follow.popleft()
            self._runs.follow_played(row, self.sessions.worker_of(session_id))
        self._try("Following sessions", self.sessions.poll)
        self._try("Looking for runs of other programs", self._foreign.poll)
        freed = self._runs.poll()
        self._evaluations.poll()
        if self._draining.is_set():
            if not self.workers():
                self._idle.set()
            return
        if woken or freed or self._runs.is_launch_due:
            self._launch_runs()
        self._evaluations.launch()
        self._try("Following clips", self._clips.poll)
        self._try("Following verifications", self._verifications.poll)
        self._try("Keeping workers ready", self._launcher.maintain)

    def _try(self, what: str, tick: Callable[[], object]) -> None:
        """Call ``tick``. If it fails, the supervisor still follows its live runs."""
        if not self._throttle.may_try(what):
            return
        try:
            tick()
        except Exception as error:
            self._throttle.note_failure(what, error)
        else:
            self._throttle.note_success(what)

    def _launch_runs(self) -> None:
        while not self._closing.is_set() and not self._draining.is_set():
            if not self._runs.launch_next():
                return
