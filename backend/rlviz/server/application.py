"""Application: how the app begins and ends."""

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
from rlviz.server.catalog.projection.rebuild import Rebuilt, index_new, rebuild
from rlviz.server.catalog.runs import runs_with_status
from rlviz.server.supervisor.recovery import recover
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.server.wiring import Services

log = logging.getLogger(__name__)

DRAIN_SECONDS = 9.0
"""How long workers may take to end, from the moment at which the app begins to."""

PAUSE_SECONDS = 3.0
"""How long a run may go on to the start of its next rollout to pause there, when the app ends."""


class Application(Services):
    """The entry point for the API, the command line and tests. Call ``open`` before use and ``close`` after."""

    def claim(self) -> None:
        """Take the runs folder for this service alone, until ``close``, and make or migrate its catalogue.

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
        """Claim the runs folder, adopt what an earlier service left, and start the supervisor. Does nothing if it is
        open already. Raises what ``claim`` does."""
        if self._is_open:
            return
        self.claim()
        try:
            with explain_errors(self.database.path), with_collection():  # the server starts without, for its imports
                interrupted = self._take_up_and_log()
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
        self.going_on.start(interrupted)
        self.experiment_scheduler.start()

    def _take_up_and_log(self) -> list[str]:
        """Take up what an earlier service left, and tell what happened while there was none."""
        with self.database.read() as session:
            before = runs_with_status(session, *ACTIVE)
        self.notifier.start(before)
        interrupted = self._take_up()
        with self.database.read() as session:
            now = [session.get(RunRow, row.id) for row in before]
        for row in now:
            if row is not None:
                self.notifier.handle_run(row)
        return interrupted

    def wind_down(self) -> None:
        """Begin to end: start nothing more, and ask what trains to pause, or to stop. Returns at once.

        Runs that wait keep their place for the next start, and runs that pause go on with it. With
        RLVIZ_ON_EXIT=leave, workers go on as well.
        """
        if self.settings.on_exit == "leave":
            return
        self._winding_down, self._drained_by = True, time.monotonic() + DRAIN_SECONDS
        self._reserve.release()
        self.experiment_scheduler.rest()
        self.supervisor.drain()
        training = self.runs.training()
        pausing = self.runs.learning(training) if self.settings.on_exit == "pause" else ()
        self.going_on.hold(pausing)
        for run_id in training:
            try:
                if run_id in pausing:
                    self.resuming.pause(run_id, reason=APP_ENDED, within=PAUSE_SECONDS)
                else:
                    self.runs.stop(run_id, reason=APP_ENDED)
            except (RlvizError, OSError, DatabaseError) as error:
                log.warning("Run %s could not be asked to stop: %s", run_id, error)

    def hurry(self) -> None:
        """From now on ``close`` does not wait for workers that save their policies, which they can do without it."""
        self.supervisor.skip_wait()

    def close(self) -> None:
        self._is_open = False
        self.experiment_scheduler.close()
        self.results_preparer.close()
        self.going_on.close()
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
            log.warning("Some workers have not ended and are left behind")
        self.supervisor.close()
        self.notifier.close()
        self.database.close()
        self._own_catalogue.close()
        self._lock.release()

    def rebuild(self, on_progress: Callable[[int, int], None] = lambda _done, _total: None) -> Rebuilt:
        """Index the run folders again; ``tell`` is called with how many of them are read. Raises RunsFolderInUse while
        another service has the runs folder."""
        claimed = self._lock.acquire()
        try:
            self._migrate_or_begin_anew()
            with explain_errors(self.database.path):
                return rebuild(self.database, self.settings.runs_dir, on_progress)
        finally:
            if claimed:
                self._lock.release()

    def _migrate_or_begin_anew(self) -> None:
        try:
            self.database.migrate()
        except CatalogueDamaged as error:
            log.warning("%s", error)
            log.warning("The old file is now %s", self.database.set_aside())
            self.database.migrate()

    def _take_up(self) -> list[str]:
        """Returns the runs that are found to be interrupted."""
        remove_drafts(self.settings.runs_dir)
        remove_leftovers()
        if not self.database.is_indexed():
            _report(rebuild(self.database, self.settings.runs_dir))
        else:
            _report(index_new(self.database, self.settings.runs_dir))
        guard = TrustGuard(self.settings)
        return recover(self.database, self.settings.runs_dir, self.launcher, self.supervisor, guard)


def _report(indexed: Rebuilt) -> None:
    if indexed.runs:
        log.info("Indexed %d runs found in the runs folder", indexed.runs)
    for problem in indexed.unreadable:
        log.warning("Not read: %s", problem)
