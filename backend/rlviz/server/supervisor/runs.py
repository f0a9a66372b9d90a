"""Launch queued runs and follow live ones. ``RunQueue`` decides which run starts next."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from rlviz.domain.disk_full import DISK_FULL, is_disk_full
from rlviz.domain.errors import IllegalTransition, NotEnoughDisk, RlvizError, RunIsActive, RunNotFound
from rlviz.domain.events import ErrorData
from rlviz.domain.status import RunStatus
from rlviz.domain.storage_profile import DEFAULT_PROFILES, RecordingChoice
from rlviz.launchers.base import Launcher, Train, UnknownWorker, Worker
from rlviz.learning.environments.custom import find_family
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import end_row
from rlviz.server.catalog.runs import get_run, move_run, runs_with_status
from rlviz.server.events import EventBus, RunChanged
from rlviz.server.feeds import Feeds
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.monitors import GracePeriod, Monitors
from rlviz.server.supervisor.run_monitor import ForeignRunMonitor, PlayedRunMonitor, RunMonitor, journal_ending
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.settings import Settings

log = logging.getLogger(__name__)


RECHECK_SECONDS = 2.0
"""Seconds between checks for free disk space."""


class RunQueue:
    """The queue of runs, first come, first served. All methods are called from one thread.

    If the disk is too full, the first run keeps its place and its ``cause`` says why. An untrusted run waits.
    """

    def __init__(
        self,
        database: Database,
        events: EventBus,
        disk: DiskGuard,
        may_run: Callable[[str], bool] = lambda _run_id: True,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database, self._events, self._disk, self._monotonic = database, events, disk, monotonic
        self._may_run = may_run
        self._recheck_at: float | None = None

    @property
    def is_due(self) -> bool:
        """Whether a full disk holds runs back and it is time to check again."""
        return self._recheck_at is not None and self._monotonic() >= self._recheck_at

    def first(self) -> str | None:
        """Return the id of the run to start now; None if none is queued or the disk is too full."""
        with self._database.read() as session:
            queued = runs_with_status(session, RunStatus.QUEUED)
        held = self._find_obstacle() if queued else None
        self._recheck_at = None if held is None else self._monotonic() + RECHECK_SECONDS
        if any(row.cause != held for row in queued):
            self._set_cause(held)
        return next((row.id for row in queued if self._may_run(row.id)), None) if held is None else None

    def _find_obstacle(self) -> str | None:
        try:
            self._disk.check()
        except NotEnoughDisk as error:
            return str(error)
        return None

    def _set_cause(self, cause: str | None) -> None:
        with self._database.write() as session:
            queued = runs_with_status(session, RunStatus.QUEUED)
            for row in queued:
                row.cause = cause
        for row in queued:
            self._events.publish(RunChanged(row))


class LiveRuns:
    """Launches queued runs, follows them, and ends those that were asked to stop.

    ``in`` and ``expect_end`` are thread-safe; the supervisor's thread calls everything else.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        launcher: Launcher,
        feeds: Feeds,
        events: EventBus,
        disk: DiskGuard,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._database, self._launcher = settings, database, launcher
        self._feeds, self._events, self._clock = feeds, events, clock
        guard = TrustGuard(settings)
        self._queue = RunQueue(
            database, events, disk, lambda run_id: guard.standing_of(settings.runs_dir / run_id).may_run
        )
        self._to_end: deque[str] = deque()
        self.monitors: Monitors[str, RunMonitor] = Monitors("run {}".format)
        self.guests: Monitors[str, RunMonitor] = Monitors("run {}".format)
        """Runs that a person plays and foreign runs, which do not count towards the limit."""

    @property
    def limit(self) -> int:
        """Number of runs that may train at the same time."""
        limit = self._settings.max_concurrent_runs
        return min(limit, self._launcher.capacity) if self._launcher.capacity else limit

    @property
    def is_launch_due(self) -> bool:
        """Whether a full disk holds runs back and it is time to check again."""
        return self._queue.is_due

    def __contains__(self, run_id: str) -> bool:
        """Return whether the run has a worker that is not known to have exited."""
        return run_id in self.monitors or run_id in self.guests

    def expect_end(self, run_id: str) -> None:
        """Terminate, and then kill, the run's worker if it does not stop as requested."""
        self._to_end.append(run_id)

    def adopt(self, row: RunRow, worker: Worker) -> None:
        """Follow a run whose worker an earlier service launched."""
        self._follow(row, worker)
        if row.state is RunStatus.STOPPING:
            self.expect_end(row.id)

    def follow_played(self, row: RunRow, worker: Worker | None) -> None:
        """Follow a run in which a person plays. ``worker`` is the session's; None if it has exited."""
        self.guests.add(row.id, self._monitor(row, worker or UnknownWorker(), PlayedRunMonitor))

    def follow_foreign(self, row: RunRow) -> None:
        """Follow a run that another program writes."""
        worker = self._launcher.watch(self._folder(row.id), row.worker or "")
        self.guests.add(row.id, self._monitor(row, worker, ForeignRunMonitor))

    def answered_checkpoint(self, run_id: str) -> int | None:
        """Return the last answered request for a checkpoint; None if the run has no worker."""
        monitor = self.monitors.get(run_id)
        return monitor.answered_checkpoint if monitor is not None and not monitor.ended else None

    def poll(self) -> bool:
        """Follow every run; return whether one has ended."""
        while self._to_end:
            if (monitor := self.monitors.get(self._to_end.popleft())) is not None:
                monitor.end()
        self.guests.poll()
        return self.monitors.poll()

    def end_all(self, grace: GracePeriod) -> None:
        """Make every worker end within ``grace``."""
        for monitor in self.monitors:
            monitor.end(grace)

    def launch_next(self) -> bool:
        """Start the next queued run if the limit allows; return whether there was one."""
        if len(self.monitors) >= self.limit or (run_id := self._queue.first()) is None:
            return False
        self._launch(run_id)
        return True

    def _launch(self, run_id: str) -> None:
        try:
            with self._database.write() as session:
                row = move_run(session, run_id, RunStatus.STARTING, started_at=None)
                self._note_profile(self._folder(run_id))
        except (IllegalTransition, RunNotFound):
            return  # stopped or deleted since the queue was read
        try:
            worker = self._launcher.launch(self._folder(run_id), Train())
        except (RlvizError, OSError) as error:
            log.exception("Cannot launch run %s", run_id)
            self._fail(row, error)
            return
        self._follow(row, worker)  # first, so that the worker is followed even if something else fails
        with self._database.write() as session:
            row = get_run(session, run_id)
            row.worker = worker.identity
        self._events.publish(RunChanged(row))

    def _note_profile(self, folder: RunFolder) -> None:
        """Write how the worker records, unless it is the default."""
        with suppress(OSError, RlvizError):
            family = find_family(folder.read_config())
            known, profile = folder.read_recording(), self._settings.storage_profile(family)
            if known is not None and known.profile != profile:
                folder.write_recording(known.model_copy(update={"profile": profile}))
            elif known is None and profile != DEFAULT_PROFILES.get(family):
                folder.write_recording(RecordingChoice(profile=profile))

    def _fail(self, row: RunRow, error: Exception) -> None:
        folder = self._folder(row.id)
        message = f"{DISK_FULL} ({error})." if is_disk_full(error) else str(error)
        data = ErrorData(attempt=row.attempt, type=type(error).__name__, message=message)
        try:
            event = journal_ending(folder, data, self._clock)
        except RunIsActive:
            self._follow(row, UnknownWorker())  # another process trains there
            return
        with self._database.write() as session:
            row = get_run(session, row.id)
            end_row(row, folder, event)
        self._events.publish(RunChanged(row))

    def _follow(self, row: RunRow, worker: Worker) -> None:
        self.monitors.add(row.id, self._monitor(row, worker, RunMonitor))

    def _monitor(self, row: RunRow, worker: Worker, kind: type[RunMonitor]) -> RunMonitor:
        grace = GracePeriod(self._settings.terminate_after_seconds, self._settings.kill_after_seconds)
        return kind(
            row, self._folder(row.id), worker, self._feeds.get_feed(row.id), self._database, self._events, grace=grace
        )

    def _folder(self, run_id: str) -> RunFolder:
        return RunFolder(self._settings.runs_dir, run_id)
