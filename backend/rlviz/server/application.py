"""Start and stop the app.

``Application.open`` claims the runs folder, migrates the catalogue, recovers runs that an earlier service left, and
starts the threads. ``wind_down`` and ``close`` end them. The API, the command line and tests all enter here.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from sqlalchemy.exc import DatabaseError

from rlviz.domain.errors import CatalogueDamaged, RlvizError
from rlviz.domain.status import ACTIVE, APP_ENDED
from rlviz.importing import with_collection
from rlviz.learning.sessions.folder import remove_leftovers
from rlviz.rundir.creation import remove_drafts
from rlviz.server.catalog.database import explain_errors
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.rebuild import RebuildResult, index_new, rebuild
from rlviz.server.catalog.runs import runs_with_status
from rlviz.server.supervisor.recovery import recover
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.server.wiring import Services

log = logging.getLogger(__name__)

DRAIN_SECONDS = 9.0
"""Seconds that workers may take to end after the app starts to shut down."""

PAUSE_SECONDS = 3.0
"""Seconds that a run may train on at shutdown to reach the start of its next rollout, where it pauses."""


class Application(Services):
    """All services, with their start and end. Call ``open`` before use and ``close`` after."""

    def claim(self) -> None:
        """Lock the runs folder for this service until ``close``, and create or migrate its catalogue.

        Raises RunsFolderInUse, RunsFolderUnusable or CatalogueUnusable.
        """
        if not self._lock.acquire():
            return
        try:
            self.database.migrate()
        except BaseException:
            self._lock.release()
            raise

    def open(self) -> None:
        """Claim the runs folder, recover the runs of an earlier service, and start all threads.

        Does nothing if the app is open. Raises the errors of ``claim``.
        """
        if self._is_open:
            return
        self.claim()
        try:
            with explain_errors(self.database.path), with_collection():  # the server imports with it off
                interrupted = self._recover_and_notify()
        except BaseException:
            self._lock.release()
            raise
        self._is_open = True
        self._reserve.keep()
        self.environments.start()
        self.supervisor.start()
        for task in self._periodic:
            task.start()
        self.sealer.start()
        self.deliveries.start()
        self.automatic_resuming.start(interrupted)
        self.experiment_scheduler.start()

    def _recover_and_notify(self) -> list[str]:
        """Recover what an earlier service left, and notify of what happened while no service ran.

        Returns the ids of interrupted runs.
        """
        with self.database.read() as session:
            before = runs_with_status(session, *ACTIVE)
        self.notifier.start(before)
        interrupted = self._recover()
        with self.database.read() as session:
            now = [session.get(RunRow, row.id) for row in before]
        for row in now:
            if row is not None:
                self.notifier.handle_run(row)
        return interrupted

    def wind_down(self) -> None:
        """Start no new work, and ask training runs to pause or stop. Returns at once.

        Queued runs keep their place, and paused runs resume when the app starts again. With RLVIZ_ON_EXIT=leave,
        workers keep running.
        """
        if self.settings.on_exit == "leave":
            return
        self._winding_down, self._drained_by = True, time.monotonic() + DRAIN_SECONDS
        self._reserve.release()
        self.experiment_scheduler.stop_starting()
        self.supervisor.drain()
        training = self.runs.training()
        pausing = self.runs.learning(training) if self.settings.on_exit == "pause" else ()
        self.automatic_resuming.hold_runs(pausing)
        for run_id in training:
            try:
                if run_id in pausing:
                    self.resuming.pause(run_id, reason=APP_ENDED, within=PAUSE_SECONDS)
                else:
                    self.runs.stop(run_id, reason=APP_ENDED)
            except (RlvizError, OSError, DatabaseError) as error:
                log.warning("Cannot ask run %s to stop: %s", run_id, error)

    def skip_waiting(self) -> None:
        """Make ``close`` return without waiting for workers that still save their policies; they finish on their
        own."""
        self.supervisor.skip_wait()

    def close(self) -> None:
        """Stop all threads, wait for workers as ``wind_down`` allows, and release the runs folder."""
        self._is_open = False
        self.experiment_scheduler.close()
        self.results_preparer.close()
        self.automatic_resuming.close()
        self.sessions.close()
        for task in self._periodic:
            task.close()
        self.pruner.close()
        self.meter.close()
        self.sealer.close()
        self.deliveries.close()
        self._analyst.close()
        self._record_reader.close()
        self._importer.close()
        self._videos.close()
        self.environments.close()
        left = max(0.0, self._drained_by - time.monotonic())
        if self._winding_down and not self.supervisor.await_drained(left):
            log.warning("Some workers are still running and continue without the app")
        self.supervisor.close()
        self.notifier.close()
        self.database.close()
        self._own_catalogue.close()
        self._lock.release()

    def rebuild(self, on_progress: Callable[[int, int], None] = lambda _done, _total: None) -> RebuildResult:
        """Rebuild the catalogue from the run folders.

        Args:
            on_progress: Called with the number of folders read and the total.

        Raises RunsFolderInUse while another service uses the runs folder.
        """
        claimed = self._lock.acquire()
        try:
            self._migrate_or_recreate()
            with explain_errors(self.database.path):
                return rebuild(self.database, self.settings.runs_dir, on_progress)
        finally:
            if claimed:
                self._lock.release()

    def _migrate_or_recreate(self) -> None:
        try:
            self.database.migrate()
        except CatalogueDamaged as error:
            log.warning("%s", error)
            log.warning("The old file is now %s", self.database.set_aside())
            self.database.migrate()

    def _recover(self) -> list[str]:
        """Index new folders and adopt or settle runs that were active. Returns the ids of interrupted runs."""
        remove_drafts(self.settings.runs_dir)
        remove_leftovers()
        if not self.database.is_indexed():
            _report(rebuild(self.database, self.settings.runs_dir))
        else:
            _report(index_new(self.database, self.settings.runs_dir))
        guard = TrustGuard(self.settings)
        return recover(self.database, self.settings.runs_dir, self.launcher, self.supervisor, guard)


def _report(indexed: RebuildResult) -> None:
    if indexed.runs:
        log.info("Indexed %d runs found in the runs folder", indexed.runs)
    for problem in indexed.unreadable:
        log.warning("Cannot read: %s", problem)
