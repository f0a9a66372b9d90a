"""Create every service of the app and connect them by events.

``Services`` only constructs; ``rlviz.server.application`` starts and stops what it holds. Routers get a service by its
class (``rlviz.server.dependencies``).
"""

from __future__ import annotations

import time
from typing import TypeVar

from rlviz.confined import Confined
from rlviz.domain.clocks import AgeClock
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Launcher
from rlviz.rundir.files import Reserve
from rlviz.rundir.lock import RunsLock
from rlviz.rundir.trash import Trash
from rlviz.server.analytics.analyst import Analyst
from rlviz.server.analytics.service import AnalyticsService
from rlviz.server.catalog.database import Database
from rlviz.server.evaluations.episodes import EpisodeService
from rlviz.server.evaluations.film import FilmService
from rlviz.server.evaluations.futures import FutureService
from rlviz.server.evaluations.judging import JudgingService
from rlviz.server.evaluations.recording import RecordingService
from rlviz.server.evaluations.seen import SeenService, ValueSliceService
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.evaluations.steps import StepRecordService
from rlviz.server.evaluations.videos import SideBySideVideos
from rlviz.server.events import EvaluationChanged, EventBus, ExperimentEnded, RunChanged, RunVersions, TrialsChanged
from rlviz.server.exchange.deliveries import LiveDeliveries
from rlviz.server.exchange.report.film import ReportFilmService
from rlviz.server.exchange.report.service import RunReportService
from rlviz.server.exchange.service import ExchangeService
from rlviz.server.exchange.sinks import SinkService
from rlviz.server.experiments.hint_tests import HintTestService
from rlviz.server.experiments.results.service import ExperimentResultsService, ResultsPreparer, ResultsService
from rlviz.server.experiments.scheduler import ExperimentScheduler, TrialRuns
from rlviz.server.experiments.scoring import Scorer
from rlviz.server.experiments.service import ExperimentService
from rlviz.server.feeds import Feeds
from rlviz.server.games.service import GameService
from rlviz.server.metrics.comparison import ComparisonService
from rlviz.server.metrics.hints import HintService
from rlviz.server.metrics.past import PastService
from rlviz.server.metrics.service import MetricsService
from rlviz.server.notifications import notifier as memory_watch
from rlviz.server.notifications.notifier import Notifier
from rlviz.server.periodic_task import PeriodicTask
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.runs.family import FamilyService
from rlviz.server.runs.groups import GroupService
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.service import PlayedRuns, RunAdoptionService, RunService
from rlviz.server.runs.trash import TrashService
from rlviz.server.sessions.cells import CellService
from rlviz.server.sessions.service import SessionService
from rlviz.server.settings import SettingsService
from rlviz.server.snapshots.damage import DamageService
from rlviz.server.snapshots.forking import ForkService
from rlviz.server.snapshots.resuming import AutomaticResuming, ResumeService
from rlviz.server.snapshots.rules import RuleService
from rlviz.server.snapshots.service import SnapshotService
from rlviz.server.storage import service as storage_watch
from rlviz.server.storage.meter import StorageMeter
from rlviz.server.storage.pruner import RunClearing, StoragePruner
from rlviz.server.storage.rules import StorageActionLog, StorageRulesStore
from rlviz.server.storage.service import StorageService
from rlviz.server.stream.broadcast import Broadcast
from rlviz.server.stream.run_stream import StreamService
from rlviz.server.supervisor.sealing import Sealer
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.server.trust.service import TrustService
from rlviz.settings import Settings

CATALOGUE = "rlviz.db"
HOUSEKEEPING_SECONDS = 3_600.0

RECORDS_MEMORY, RECORDS_SECONDS = 1_000_000_000, 60.0
IMPORT_MEMORY, IMPORT_SECONDS = 2_000_000_000, 600.0
"""Limits in bytes and seconds for one read of step records and for one import."""

SUPERVISOR_BUSY_SECONDS = 1.0
"""Seconds that the supervisor waits for another writer of the catalogue. It then tries again later."""


Service = TypeVar("Service")


class Services:
    """All services of the app. Creating them starts none."""

    def __init__(self, settings: Settings, *, launcher: Launcher | None = None) -> None:
        """Create and connect the services.

        Args:
            settings: The app's settings.
            launcher: Replaces the launcher that the settings name.
        """
        self.settings = settings.model_copy(update={"runs_dir": settings.runs_dir.resolve()})
        self.database = Database(self.settings.runs_dir / CATALOGUE)
        self.events = EventBus()
        self.versions = RunVersions(self.events)
        self._age_clock = AgeClock()
        self._lock = RunsLock(self.settings.runs_dir)
        self._reserve = Reserve(self.settings.runs_dir)
        self._is_open = self._winding_down = False
        self._drained_by = 0.0
        """Monotonic time at which the app stops waiting for workers to end."""
        self._create_workers(launcher)
        self._create_runs()
        self._create_evaluations()
        self._create_exchange()
        self._create_experiments()
        self._create_storage()
        self._connect()
        self._periodic = self._periodic_tasks()

    def service(self, kind: type[Service]) -> Service:
        """Return the service of class ``kind``. Raises LookupError."""
        for service in vars(self).values():
            if type(service) is kind:
                return service
        raise LookupError(f"No service is a {kind.__name__}.")

    def _create_workers(self, launcher: Launcher | None) -> None:
        """Create the services that start and follow processes."""
        settings, runs_dir = self.settings, self.settings.runs_dir
        self.launcher = launcher or LAUNCHERS.get(settings.launcher)(
            warm=settings.warm_worker, niceness=settings.niceness
        )
        self._record_reader = Confined(memory=RECORDS_MEMORY, seconds=RECORDS_SECONDS, processes=2)
        self._importer = Confined(memory=IMPORT_MEMORY, seconds=IMPORT_SECONDS, processes=2)
        self._analyst = Analyst(self.database.path)
        self.sealer = Sealer(runs_dir)
        self.feeds = Feeds(runs_dir)
        self._own_catalogue = Database(runs_dir / CATALOGUE, busy_seconds=SUPERVISOR_BUSY_SECONDS)
        self.supervisor = Supervisor(settings, self._own_catalogue, self.launcher, self.feeds, self.events)

    def _create_runs(self) -> None:
        """Create the services that change runs or read their metrics."""
        settings = self.settings
        access = settings, self.database, self.supervisor, self.events
        self.trash = Trash(settings.runs_dir)
        self.environments = EnvironmentService(settings.environments, roms=settings.roms)
        self.own_presets = OwnPresets(settings.runs_dir)
        self.runs = RunService(*access, self.trash, self.environments, self.own_presets)
        self.groups = GroupService(*access, environments=self.environments, own_presets=self.own_presets)
        self.family = FamilyService(self.database, settings.runs_dir)
        self.deleted_runs = TrashService(settings, self.trash, clock=self._age_clock)
        self.run_adoption = RunAdoptionService(*access)
        self.trust = TrustService(*access)
        self.damage = DamageService(*access)
        self.snapshots = SnapshotService(*access)
        self.rules = RuleService(*access)
        self.resuming = ResumeService(*access)
        self.automatic_resuming = AutomaticResuming(settings, self.resuming)
        self.forks = ForkService(*access)
        self.metrics = MetricsService(self.sealer)
        self.past = PastService(self.runs, self.metrics)
        self.comparison = ComparisonService(self.runs, self.metrics, self.database)

    def _create_evaluations(self) -> None:
        """Create the services that play policies or read the records of played episodes."""
        settings = self.settings
        access = settings, self.database, self.supervisor, self.events
        self.evaluations = EvaluationService(*access)
        self.recording = RecordingService(*access)
        self.episodes = EpisodeService(settings, self.database)
        self.film = FilmService(*access)
        self.value_slices = ValueSliceService(*access)
        self.seen = SeenService(*access)
        self.step_records = StepRecordService(
            settings, self.evaluations, self.film, self.supervisor, self._record_reader
        )
        self.futures = FutureService(*access, evaluations=self.evaluations, records=self.step_records)
        self.judging = JudgingService(self.database, self.runs, self.evaluations, self._record_reader)
        self.hints = HintService(self.runs, self.metrics, self.forks, self.evaluations, self.own_presets)
        self.games = GameService(settings, self.environments)
        self.cells = CellService(self._record_reader)
        self.sessions = SessionService(
            settings,
            self.database,
            self.supervisor.sessions,
            self.environments,
            PlayedRuns(*access),
            self.games,
            self.cells,
        )

    def _create_exchange(self) -> None:
        """Create the services that import, export, deliver and notify."""
        settings = self.settings
        guard = TrustGuard(settings)
        self.deliveries = LiveDeliveries(
            settings.runs_dir, self.database, may_follow_plan=lambda folder: guard.standing_of(folder).may_run
        )
        self.sinks = SinkService(settings, self.database, self.deliveries)
        self._videos = SideBySideVideos(self.runs, self.evaluations)
        self.exchange = ExchangeService(settings, self.runs, self.run_adoption, self._videos, self._importer)
        self.report_film = ReportFilmService(self.runs, self.film, self.evaluations)
        self.run_report = RunReportService(
            self.runs,
            self.groups,
            self.evaluations,
            self.rules,
            self.metrics,
            self.hints,
            self.report_film,
            self.own_presets,
            clock=time.time,
        )
        url = settings.webhook_url
        self.notifier = Notifier(url.get_secret_value() if url is not None else None)

    def _create_experiments(self) -> None:
        settings = self.settings
        trial_runs = TrialRuns(self.runs, self.forks, self.resuming, self.deliveries)
        scorer = Scorer(self.runs, self.evaluations)
        self.experiment_scheduler = ExperimentScheduler(
            settings,
            self.database,
            self.events,
            self.trash,
            trial_runs,
            scorer,
            age_clock=self._age_clock,
        )
        self.experiments = ExperimentService(
            settings,
            self.database,
            self.events,
            self.versions,
            self.environments,
            self.experiment_scheduler,
            trial_runs,
        )
        self.hint_tests = HintTestService(settings, self.runs, self.hints, self.experiment_scheduler, self.experiments)
        results = ResultsService(settings, self.database, self.metrics, clock=time.time)
        self.experiment_results = ExperimentResultsService(
            settings, results, self.own_presets, find=self.experiments.source, clock=time.time
        )
        self.results_preparer = ResultsPreparer(self.experiment_results.prepare)
        self.analytics = AnalyticsService(
            self._analyst, self.database, settings.runs_dir, self.metrics, self.environments
        )

    def _create_storage(self) -> None:
        settings = self.settings
        self.changed_settings = SettingsService(settings, self.supervisor.wake, self.experiment_scheduler.wake)
        rules, action_log = StorageRulesStore(settings.runs_dir), StorageActionLog(settings.runs_dir)
        self.meter = StorageMeter(settings.runs_dir)
        clearing = RunClearing(settings, self.database, self.supervisor, self.events, self.trash, clock=self._age_clock)
        self.pruner = StoragePruner(
            rules,
            action_log,
            self.meter,
            clearing,
            self.trash,
            archive_dir=settings.archive_dir,
            clock=self._age_clock,
        )
        self.storage = StorageService(settings, self.database, self.meter, self.pruner, rules, action_log)

    def _connect(self) -> None:
        """Connect the listeners of events. Streams come last, so that clients learn of a change after all services."""
        self.events.listen(RunChanged, self._notify_of_run)
        self.events.listen(RunChanged, lambda event: self.sealer.queue_if_due(event.run))
        self.events.listen(RunChanged, lambda event: self.deliveries.queue_if_due(event.run))
        self.events.listen(RunChanged, lambda event: self.automatic_resuming.queue_if_due(event.run))
        self.events.listen(RunChanged, lambda event: self.experiment_scheduler.handle_run(event.run))
        self.events.listen(
            EvaluationChanged, lambda event: self.experiment_scheduler.handle_evaluation(event.evaluation)
        )
        self.events.listen(TrialsChanged, self.results_preparer.handle_trials)
        self.events.listen(ExperimentEnded, self.notifier.handle_experiment)
        self.broadcast = Broadcast(self.events)
        self.streams = StreamService(
            self.database, self.settings.runs_dir, self.feeds, self.broadcast, self.versions, self.notifier.buffer
        )

    def _periodic_tasks(self) -> tuple[PeriodicTask, ...]:
        """Return the background tasks that run at intervals."""
        memory = memory_watch.MemoryWatch(self.notifier.notify)
        storage = storage_watch.StorageWatch(self.storage, lambda: self.runs.load()[0] > 0)
        return (
            PeriodicTask(
                "housekeeping",
                self.deleted_runs.purge,
                self.damage.inspect_all,
                self.meter.refresh,
                self.pruner.prune_automatically,
                every=HOUSEKEEPING_SECONDS,
            ),
            PeriodicTask("watching memory", memory.check, every=memory_watch.EVERY_SECONDS),
            PeriodicTask("watching storage", storage.check, every=storage_watch.EVERY_SECONDS, at_start=False),
        )

    def _notify_of_run(self, event: RunChanged) -> None:
        self.notifier.handle_run(event.run, is_trial=self.experiment_scheduler.has_run(event.run.id))
