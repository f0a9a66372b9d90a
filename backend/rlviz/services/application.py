"""Application: every service, wired once."""

from __future__ import annotations

import logging
from functools import cached_property

from sqlalchemy.exc import DatabaseError

from rlviz.catalog.database import Database
from rlviz.domain.errors import CatalogueDamaged, RlvizError
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Launcher
from rlviz.rundir.creation import remove_drafts
from rlviz.rundir.lock import RunsLock
from rlviz.rundir.trash import Trash
from rlviz.services.projection.rebuild import Rebuilt, index_new, rebuild
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.streaming.feeds import Feeds
from rlviz.services.streaming.stream import StreamService
from rlviz.services.supervision.housekeeping import Housekeeping
from rlviz.services.supervision.recovery import recover
from rlviz.services.supervision.sealing import Sealer
from rlviz.services.supervision.supervisor import Supervisor
from rlviz.services.use_cases.comparison import ComparisonService
from rlviz.services.use_cases.damage import DamageService
from rlviz.services.use_cases.environments import EnvironmentService
from rlviz.services.use_cases.episodes import EpisodeService
from rlviz.services.use_cases.evaluations import EvaluationService
from rlviz.services.use_cases.film import FilmService
from rlviz.services.use_cases.hints import HintService
from rlviz.services.use_cases.judging import JudgingService
from rlviz.services.use_cases.metrics import MetricsService
from rlviz.services.use_cases.runs import RunService
from rlviz.services.use_cases.sessions import SessionService
from rlviz.services.use_cases.step_records import StepRecordService
from rlviz.services.use_cases.trash import TrashService
from rlviz.services.use_cases.value_slices import ValueSliceService
from rlviz.settings import Settings

log = logging.getLogger(__name__)

CATALOGUE = "rlviz.db"
DRAIN_SECONDS = 9.5

SUPERVISOR_BUSY_SECONDS = 1.0
"""Seconds that the supervisor waits for another writer; it tries again later, and follows its runs meanwhile."""


class Application:
    """What the API, the command line and tests work with. ``open`` before use, ``close`` after."""

    def __init__(self, settings: Settings, *, launcher: Launcher | None = None) -> None:
        """``launcher``: another one than that of the settings."""
        self.settings = settings.model_copy(update={"runs_dir": settings.runs_dir.resolve()})
        runs_dir = self.settings.runs_dir
        self.database = Database(runs_dir / CATALOGUE)
        self._lock = RunsLock(runs_dir)
        self._winding_down = False
        self.launcher = launcher or LAUNCHERS.get(settings.launcher)(warm=settings.warm_worker)
        self.sealer = Sealer(runs_dir)
        self.broadcast = Broadcast(on_run_changed=self.sealer.consider)
        self.feeds = Feeds(runs_dir)
        self._own_catalogue = Database(runs_dir / CATALOGUE, busy_seconds=SUPERVISOR_BUSY_SECONDS)
        self.supervisor = Supervisor(self.settings, self._own_catalogue, self.launcher, self.feeds, self.broadcast)
        self.trash = Trash(runs_dir)
        self.damage = DamageService(self.settings, self.database, self.supervisor, self.broadcast)
        self.housekeeping = Housekeeping(self.trash, self.settings.trash_days, inspect=self.damage.look_at_all)
        self.environments = EnvironmentService(settings.environments)
        self.runs = RunService(
            self.settings, self.database, self.supervisor, self.broadcast, self.trash, self.environments
        )
        self.deleted = TrashService(self.settings, self.trash)
        self.evaluations = EvaluationService(self.settings, self.database, self.supervisor, self.broadcast)
        self.sessions = SessionService(self.settings, self.database, self.supervisor.sessions, self.environments)
        self.episodes = EpisodeService(self.settings, self.database)
        self.film = FilmService(self.settings, self.database, self.supervisor, self.broadcast)
        self.value_slices = ValueSliceService(self.settings, self.database, self.supervisor, self.broadcast)
        self.step_records = StepRecordService(self.settings, self.evaluations, self.supervisor)
        self.streams = StreamService(self.database, runs_dir, self.feeds, self.broadcast)

    @cached_property
    def metrics(self) -> MetricsService:
        return MetricsService(self.sealer)

    @cached_property
    def comparison(self) -> ComparisonService:
        return ComparisonService(self.runs, self.metrics)

    @cached_property
    def judging(self) -> JudgingService:
        return JudgingService(self.database, self.runs, self.evaluations)

    @cached_property
    def hints(self) -> HintService:
        return HintService(self.runs, self.metrics)

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
        """Claim the runs folder, take up what an earlier service left, and begin to supervise.

        Raises what ``claim`` does.
        """
        self.claim()
        try:
            self._take_up()
        except BaseException:
            self._lock.release()
            raise
        self.environments.start()
        self.supervisor.start()
        self.housekeeping.start()
        self.sealer.start()

    def wind_down(self) -> None:
        """Begin to end: start nothing more, and ask what trains to stop and to save. Returns at once.

        Runs that wait keep their place for the next start. With RLVIZ_ON_EXIT=leave, workers go on as well.
        """
        if self.settings.on_exit == "leave":
            return
        self._winding_down = True
        self.supervisor.drain()
        for run_id in self.runs.training():
            try:
                self.runs.stop(run_id, reason="The app was ended.")
            except (RlvizError, OSError, DatabaseError) as error:
                log.warning("Run %s could not be asked to stop: %s", run_id, error)

    def hurry(self) -> None:
        """``close`` shall not wait for workers that save their policies; they do that without us."""
        self.supervisor.skip_wait()

    def close(self) -> None:
        self.sessions.close()
        self.housekeeping.close()
        self.sealer.close()
        self.environments.close()
        if self._winding_down and not self.supervisor.await_drained(DRAIN_SECONDS):
            log.warning("Some workers have not ended and are left behind")
        self.supervisor.close()
        self.database.close()
        self._own_catalogue.close()
        self._lock.release()

    def rebuild(self) -> Rebuilt:
        """Index the run folders again. Raises RunsFolderInUse while another service has the runs folder."""
        claimed = self._lock.acquire()
        try:
            self._migrate_or_begin_anew()
            return rebuild(self.database, self.settings.runs_dir)
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

    def _take_up(self) -> None:
        remove_drafts(self.settings.runs_dir)
        if not self.database.is_indexed():
            _report(rebuild(self.database, self.settings.runs_dir))
        else:
            _report(index_new(self.database, self.settings.runs_dir))
        recover(self.database, self.settings.runs_dir, self.launcher, self.supervisor)


def _report(indexed: Rebuilt) -> None:
    if indexed.runs:
        log.info("Indexed %d runs found in the runs folder", indexed.runs)
    for problem in indexed.unreadable:
        log.warning("Not read: %s", problem)
