"""Application: creates and connects all services."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import cached_property

from sqlalchemy.exc import DatabaseError

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import runs_with_status
from rlviz.domain.errors import CatalogueDamaged, RlvizError
from rlviz.domain.status import ACTIVE, APP_ENDED
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Launcher
from rlviz.rundir.creation import remove_drafts
from rlviz.rundir.lock import RunsLock
from rlviz.rundir.trash import Trash
from rlviz.services.analytics.analyst import Analyst
from rlviz.services.analytics.questions import AnalyticsService
from rlviz.services.experiment_results.keeper import ResultsKeeper
from rlviz.services.experiment_results.service import ResultsService
from rlviz.services.experiment_results.use_cases import ExperimentResultsService
from rlviz.services.experiments.book import ExperimentBook
from rlviz.services.experiments.scheduler import ExperimentScheduler
from rlviz.services.experiments.scoring import Scorer
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.experiments.use_cases import ExperimentService
from rlviz.services.notifications import memory_watch
from rlviz.services.notifications.notification import news_of_experiment
from rlviz.services.notifications.notifier import Notifier
from rlviz.services.periodic_task import PeriodicTask
from rlviz.services.projection.rebuild import Rebuilt, index_new, rebuild
from rlviz.services.sinks.live_couriers import LiveCouriers
from rlviz.services.storage import watch as storage_watch
from rlviz.services.storage.book import StorageBook
from rlviz.services.storage.clearing import RunClearing
from rlviz.services.storage.meter import StorageMeter
from rlviz.services.storage.pruner import StoragePruner
from rlviz.services.storage.use_cases import StorageService
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.streaming.feeds import Feeds
from rlviz.services.streaming.stream import StreamService
from rlviz.services.supervision.recovery import recover
from rlviz.services.supervision.sealing import Sealer
from rlviz.services.supervision.supervisor import Supervisor
from rlviz.services.use_cases.automatic_resuming import AutomaticResuming
from rlviz.services.use_cases.comparison import ComparisonService
from rlviz.services.use_cases.damage import DamageService
from rlviz.services.use_cases.environments import EnvironmentService
from rlviz.services.use_cases.episodes import EpisodeService
from rlviz.services.use_cases.evaluations import EvaluationService
from rlviz.services.use_cases.exchange import ExchangeService
from rlviz.services.use_cases.family import FamilyService
from rlviz.services.use_cases.film import FilmService
from rlviz.services.use_cases.forking import ForkService
from rlviz.services.use_cases.groups import GroupService
from rlviz.services.use_cases.hints import HintService
from rlviz.services.use_cases.judging import JudgingService
from rlviz.services.use_cases.metrics import MetricsService
from rlviz.services.use_cases.own_presets import OwnPresets
from rlviz.services.use_cases.past import PastService
from rlviz.services.use_cases.played_runs import PlayedRuns
from rlviz.services.use_cases.recording import RecordingService
from rlviz.services.use_cases.resuming import ResumeService
from rlviz.services.use_cases.rules import RuleService
from rlviz.services.use_cases.runs import RunService
from rlviz.services.use_cases.seen import SeenService
from rlviz.services.use_cases.sessions import SessionService
from rlviz.services.use_cases.side_by_side import SideBySideVideos
from rlviz.services.use_cases.sinks import SinkService
from rlviz.services.use_cases.snapshots import SnapshotService
from rlviz.services.use_cases.step_records import StepRecordService
from rlviz.services.use_cases.taking_up import TakeUpService
from rlviz.services.use_cases.trash import TrashService
from rlviz.services.use_cases.value_slices import ValueSliceService
from rlviz.sessions.folder import remove_leftovers
from rlviz.settings import Settings

log = logging.getLogger(__name__)

CATALOGUE = "rlviz.db"
DRAIN_SECONDS = 9.5
HOUSEKEEPING_SECONDS = 3_600.0

SUPERVISOR_BUSY_SECONDS = 1.0
"""Seconds that the supervisor waits for another writer; it then tries again later, and follows its runs meanwhile."""


class Application:
    """The entry point for the API, the command line and tests. Call ``open`` before use and ``close`` after."""

    def __init__(self, settings: Settings, *, launcher: Launcher | None = None) -> None:
        """``launcher``: used instead of the one in the settings."""
        self.settings = settings.model_copy(update={"runs_dir": settings.runs_dir.resolve()})
        runs_dir = self.settings.runs_dir
        self.database = Database(runs_dir / CATALOGUE)
        self._lock = RunsLock(runs_dir)
        self._winding_down = False
        self.launcher = launcher or LAUNCHERS.get(settings.launcher)(warm=settings.warm_worker)
        self.sealer = Sealer(runs_dir)
        url = settings.webhook_url
        self.notifier = Notifier(url.get_secret_value() if url is not None else None)
        self.broadcast = Broadcast(self._on_run_changed, lambda row: self.experiment_scheduler.consider_evaluation(row))
        self.couriers = LiveCouriers(runs_dir, self.database)
        self.sinks = SinkService(self.settings, self.database, self.couriers)
        self.feeds = Feeds(runs_dir)
        self._own_catalogue = Database(runs_dir / CATALOGUE, busy_seconds=SUPERVISOR_BUSY_SECONDS)
        self.supervisor = Supervisor(self.settings, self._own_catalogue, self.launcher, self.feeds, self.broadcast)
        self.trash = Trash(runs_dir)
        self.damage = DamageService(self.settings, self.database, self.supervisor, self.broadcast)
        self.meter, book = StorageMeter(runs_dir), StorageBook(runs_dir)
        clearing = RunClearing(self.settings, self.database, self.supervisor, self.broadcast, self.trash)
        self.pruner = StoragePruner(book, self.meter, clearing, self.trash, archive_dir=settings.archive_dir)
        self.storage = StorageService(self.settings, self.database, self.meter, book, self.pruner)
        self.environments = EnvironmentService(settings.environments)
        self.own_presets = OwnPresets(runs_dir)
        self.runs = RunService(
            self.settings,
            self.database,
            self.supervisor,
            self.broadcast,
            self.trash,
            self.environments,
            self.own_presets,
        )
        self.resuming = ResumeService(self.settings, self.database, self.supervisor, self.broadcast)
        self.rules = RuleService(self.settings, self.database, self.supervisor, self.broadcast)
        self.snapshots = SnapshotService(self.settings, self.database, self.supervisor, self.broadcast)
        self.forks = ForkService(
            self.settings, self.database, self.supervisor, self.broadcast, environments=self.environments
        )
        self.groups = GroupService(
            self.settings,
            self.database,
            self.supervisor,
            self.broadcast,
            environments=self.environments,
            own_presets=self.own_presets,
        )
        self.going_on = AutomaticResuming(self.settings, self.resuming)
        self.taking_up = TakeUpService(self.settings, self.database, self.supervisor, self.broadcast)
        self.deleted = TrashService(self.settings, self.trash)
        self._periodic = self._periodic_tasks()
        self.evaluations = EvaluationService(self.settings, self.database, self.supervisor, self.broadcast)
        self._videos = SideBySideVideos(self.runs, self.evaluations)
        self.sessions = SessionService(
            self.settings,
            self.database,
            self.supervisor.sessions,
            self.environments,
            PlayedRuns(self.settings, self.database, self.supervisor, self.broadcast),
        )
        self.recording = RecordingService(self.settings, self.database, self.supervisor, self.broadcast)
        self.episodes = EpisodeService(self.settings, self.database)
        self.film = FilmService(self.settings, self.database, self.supervisor, self.broadcast)
        self.value_slices = ValueSliceService(self.settings, self.database, self.supervisor, self.broadcast)
        self.seen = SeenService(self.settings, self.database, self.supervisor, self.broadcast)
        self.step_records = StepRecordService(self.settings, self.evaluations, self.film, self.supervisor)
        trial_runs = TrialRuns(self.runs, self.resuming, self.couriers)
        scorer = Scorer(self.runs, self.evaluations)
        self.experiment_scheduler = ExperimentScheduler(
            self.settings,
            self.database,
            self.broadcast,
            self.trash,
            trial_runs,
            scorer,
            on_ended=self._on_experiment_ended,
            on_changed=lambda book: self.results_keeper.consider(book.id, is_over=book.is_over),
        )
        self.results_keeper = ResultsKeeper(lambda found: self.experiment_results.prepare(found))
        self.experiments = ExperimentService(
            self.settings, self.database, self.broadcast, self.environments, self.experiment_scheduler, trial_runs
        )
        self._analyst = Analyst(self.database.path)
        self.streams = StreamService(self.database, runs_dir, self.feeds, self.broadcast, self.notifier.board)

    @cached_property
    def metrics(self) -> MetricsService:
        return MetricsService(self.sealer)

    @cached_property
    def exchange(self) -> ExchangeService:
        return ExchangeService(self.settings, self.runs, self.taking_up, self._videos)

    @cached_property
    def family(self) -> FamilyService:
        return FamilyService(self.database, self.settings.runs_dir)

    @cached_property
    def past(self) -> PastService:
        return PastService(self.runs, self.metrics)

    @cached_property
    def comparison(self) -> ComparisonService:
        return ComparisonService(self.runs, self.metrics)

    @cached_property
    def experiment_results(self) -> ExperimentResultsService:
        results = ResultsService(self.settings, self.database, self.metrics, clock=time.time)
        return ExperimentResultsService(
            self.settings, results, self.own_presets, find=self.experiments.source, clock=time.time
        )

    @cached_property
    def analytics(self) -> AnalyticsService:
        return AnalyticsService(self._analyst, self.database, self.settings.runs_dir, self.metrics)

    @cached_property
    def judging(self) -> JudgingService:
        return JudgingService(self.database, self.runs, self.evaluations)

    @cached_property
    def hints(self) -> HintService:
        return HintService(self.runs, self.metrics, self.forks)

    def _periodic_tasks(self) -> tuple[PeriodicTask, ...]:
        """What is done without being asked for."""
        memory = memory_watch.MemoryWatch(self.notifier.tell)
        storage = storage_watch.StorageWatch(self.storage, lambda: self.runs.load()[0] > 0)
        return (
            PeriodicTask(
                "housekeeping",
                self.deleted.purge,
                self.damage.look_at_all,
                self.meter.refresh,
                self.pruner.by_itself,
                every=HOUSEKEEPING_SECONDS,
            ),
            PeriodicTask("watching memory", memory.look, every=memory_watch.EVERY_SECONDS),
            PeriodicTask("watching storage", storage.look, every=storage_watch.EVERY_SECONDS, at_start=False),
        )

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
        """Claim the runs folder, adopt what an earlier service left, and start the supervisor. Raises what ``claim``
        does."""
        self.claim()
        try:
            interrupted = self._take_up_and_tell()
        except BaseException:
            self._lock.release()
            raise
        self.environments.start()
        self.supervisor.start()
        for task in self._periodic:
            task.start()
        self.sealer.start()
        self.couriers.start()
        self.going_on.start(interrupted)
        self.experiment_scheduler.start()

    def _take_up_and_tell(self) -> list[str]:
        """Take up what an earlier service left, and tell what happened while there was none."""
        with self.database.read() as session:
            before = runs_with_status(session, *ACTIVE)
        self.notifier.start(before)
        interrupted = self._take_up()
        with self.database.read() as session:
            now = [session.get(RunRow, row.id) for row in before]
        for row in now:
            if row is not None:
                self.notifier.consider(row)
        return interrupted

    def _on_run_changed(self, row: RunRow) -> None:
        self.notifier.consider(row, is_trial=self.experiment_scheduler.has_run(row.id))
        self.sealer.consider(row)
        self.couriers.consider(row)
        self.going_on.consider(row)
        self.experiment_scheduler.consider(row)

    def _on_experiment_ended(self, book: ExperimentBook) -> None:
        scored = sum(trial.score is not None for trial in book.trials.values())
        self.notifier.tell(news_of_experiment(book.id, book.stored.name, scored, book.control.cause))

    def wind_down(self) -> None:
        """Begin to end: start nothing more, and ask what trains to pause, or to stop. Returns at once.

        Runs that wait keep their place for the next start, and runs that pause go on with it. With
        RLVIZ_ON_EXIT=leave, workers go on as well.
        """
        if self.settings.on_exit == "leave":
            return
        self._winding_down = True
        self.experiment_scheduler.rest()
        self.supervisor.drain()
        training = self.runs.training()
        pausing = self.runs.learning(training) if self.settings.on_exit == "pause" else ()
        self.going_on.hold(pausing)
        for run_id in training:
            ask = self.resuming.pause if run_id in pausing else self.runs.stop
            try:
                ask(run_id, reason=APP_ENDED)
            except (RlvizError, OSError, DatabaseError) as error:
                log.warning("Run %s could not be asked to stop: %s", run_id, error)

    def hurry(self) -> None:
        """From now on ``close`` does not wait for workers that save their policies, which they can do without it."""
        self.supervisor.skip_wait()

    def close(self) -> None:
        self.experiment_scheduler.close()
        self.results_keeper.close()
        self.going_on.close()
        self.sessions.close()
        for task in self._periodic:
            task.close()
        self.pruner.close()
        self.meter.close()
        self.sealer.close()
        self.couriers.close()
        self._analyst.close()
        self._videos.close()
        self.environments.close()
        if self._winding_down and not self.supervisor.await_drained(DRAIN_SECONDS):
            log.warning("Some workers have not ended and are left behind")
        self.supervisor.close()
        self.notifier.close()
        self.database.close()
        self._own_catalogue.close()
        self._lock.release()

    def rebuild(self, tell: Callable[[int, int], None] = lambda _done, _total: None) -> Rebuilt:
        """Index the run folders again; ``tell`` is called with how many of them are read. Raises RunsFolderInUse while
        another service has the runs folder."""
        claimed = self._lock.acquire()
        try:
            self._migrate_or_begin_anew()
            return rebuild(self.database, self.settings.runs_dir, tell)
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
        return recover(self.database, self.settings.runs_dir, self.launcher, self.supervisor)


def _report(indexed: Rebuilt) -> None:
    if indexed.runs:
        log.info("Indexed %d runs found in the runs folder", indexed.runs)
    for problem in indexed.unreadable:
        log.warning("Not read: %s", problem)
