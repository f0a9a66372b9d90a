"""Services: creates and connects all services."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

from rlviz.confined import Confined
from rlviz.domain.clocks import AgeClock
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Launcher
from rlviz.rundir.files import Reserve
from rlviz.rundir.lock import RunsLock
from rlviz.rundir.trash import Trash
from rlviz.server.analytics.analyst import Analyst
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.evaluations.episodes import EpisodeService
from rlviz.server.evaluations.film import FilmService
from rlviz.server.evaluations.recording import RecordingService
from rlviz.server.evaluations.seen import SeenService, ValueSliceService
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.evaluations.steps import StepRecordService
from rlviz.server.evaluations.videos import SideBySideVideos
from rlviz.server.exchange.deliveries import LiveDeliveries
from rlviz.server.exchange.sinks import SinkService
from rlviz.server.experiments.open_experiment import OpenExperiment
from rlviz.server.experiments.results.service import ResultsPreparer
from rlviz.server.experiments.scheduler import ExperimentScheduler, TrialRuns
from rlviz.server.experiments.scoring import Scorer
from rlviz.server.experiments.service import ExperimentService
from rlviz.server.feeds import Feeds
from rlviz.server.notifications import notifier as memory_watch
from rlviz.server.notifications.notifier import Notifier, news_of_experiment
from rlviz.server.periodic_task import PeriodicTask
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.runs.groups import GroupService
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.service import PlayedRuns, RunService, TakeUpService
from rlviz.server.runs.trash import TrashService
from rlviz.server.sessions.service import SessionService
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

if TYPE_CHECKING:
    from rlviz.server.analytics.service import AnalyticsService
    from rlviz.server.evaluations.judging import JudgingService
    from rlviz.server.exchange.service import ExchangeService
    from rlviz.server.experiments.results.service import ExperimentResultsService
    from rlviz.server.metrics.comparison import ComparisonService
    from rlviz.server.metrics.hints import HintService
    from rlviz.server.metrics.past import PastService
    from rlviz.server.metrics.service import MetricsService
    from rlviz.server.runs.family import FamilyService


CATALOGUE = "rlviz.db"
HOUSEKEEPING_SECONDS = 3_600.0

RECORDS_MEMORY, RECORDS_SECONDS = 1_000_000_000, 60.0
IMPORT_MEMORY, IMPORT_SECONDS = 2_000_000_000, 600.0
"""Bytes and seconds that one look into step records, and one import, may take."""

SUPERVISOR_BUSY_SECONDS = 1.0
"""Seconds that the supervisor waits for another writer; it then tries again later, and follows its runs meanwhile."""


class Services:
    """Everything that the app is made of, created and connected; nothing of it has begun."""

    def __init__(self, settings: Settings, *, launcher: Launcher | None = None) -> None:
        """``launcher``: used instead of the one in the settings."""
        self.settings = settings.model_copy(update={"runs_dir": settings.runs_dir.resolve()})
        runs_dir = self.settings.runs_dir
        self.database = Database(runs_dir / CATALOGUE)
        self._lock = RunsLock(runs_dir)
        self._reserve = Reserve(runs_dir)
        self._is_open = self._winding_down = False
        self._drained_by = 0.0
        """When the wait for workers is over that end with the app, by the monotonic clock."""
        self.launcher = launcher or LAUNCHERS.get(settings.launcher)(
            warm=settings.warm_worker, niceness=settings.niceness
        )
        self.sealer = Sealer(runs_dir)
        self._record_reader = Confined(memory=RECORDS_MEMORY, seconds=RECORDS_SECONDS, processes=2)
        self._importer = Confined(memory=IMPORT_MEMORY, seconds=IMPORT_SECONDS, processes=2)
        url = settings.webhook_url
        self.notifier = Notifier(url.get_secret_value() if url is not None else None)
        self.broadcast = Broadcast(self._on_run_changed, lambda row: self.experiment_scheduler.consider_evaluation(row))
        guard = TrustGuard(self.settings)
        self.deliveries = LiveDeliveries(
            runs_dir, self.database, may_follow_plan=lambda folder: guard.standing_of(folder).may_run
        )
        self.sinks = SinkService(self.settings, self.database, self.deliveries)
        self.feeds = Feeds(runs_dir)
        self._own_catalogue = Database(runs_dir / CATALOGUE, busy_seconds=SUPERVISOR_BUSY_SECONDS)
        self.supervisor = Supervisor(self.settings, self._own_catalogue, self.launcher, self.feeds, self.broadcast)
        self.trash = Trash(runs_dir)
        self.damage = DamageService(self.settings, self.database, self.supervisor, self.broadcast)
        self.meter = StorageMeter(runs_dir)
        rules, action_log = StorageRulesStore(runs_dir), StorageActionLog(runs_dir)
        age_clock = AgeClock()
        clearing = RunClearing(
            self.settings, self.database, self.supervisor, self.broadcast, self.trash, clock=age_clock
        )
        self.pruner = StoragePruner(
            rules, action_log, self.meter, clearing, self.trash, archive_dir=settings.archive_dir, clock=age_clock
        )
        self.storage = StorageService(self.settings, self.database, self.meter, self.pruner, rules, action_log)
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
        self.forks = ForkService(self.settings, self.database, self.supervisor, self.broadcast)
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
        self.trust = TrustService(self.settings, self.database, self.supervisor, self.broadcast)
        self.deleted = TrashService(self.settings, self.trash, clock=age_clock)
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
        self.step_records = StepRecordService(
            self.settings, self.evaluations, self.film, self.supervisor, self._record_reader
        )
        trial_runs = TrialRuns(self.runs, self.resuming, self.deliveries)
        scorer = Scorer(self.runs, self.evaluations)
        self.experiment_scheduler = ExperimentScheduler(
            self.settings,
            self.database,
            self.broadcast,
            self.trash,
            trial_runs,
            scorer,
            age_clock=age_clock,
            on_ended=self._on_experiment_ended,
            on_changed=lambda experiment: self.results_preparer.consider(experiment.id, is_over=experiment.is_over),
        )
        self.results_preparer = ResultsPreparer(lambda found: self.experiment_results.prepare(found))
        self.experiments = ExperimentService(
            self.settings, self.database, self.broadcast, self.environments, self.experiment_scheduler, trial_runs
        )
        self._analyst = Analyst(self.database.path)
        self.streams = StreamService(self.database, runs_dir, self.feeds, self.broadcast, self.notifier.buffer)

    @cached_property
    def metrics(self) -> MetricsService:
        from rlviz.server.metrics.service import MetricsService

        return MetricsService(self.sealer)

    @cached_property
    def exchange(self) -> ExchangeService:
        from rlviz.server.exchange.service import ExchangeService

        return ExchangeService(self.settings, self.runs, self.taking_up, self._videos, self._importer)

    @cached_property
    def family(self) -> FamilyService:
        from rlviz.server.runs.family import FamilyService

        return FamilyService(self.database, self.settings.runs_dir)

    @cached_property
    def past(self) -> PastService:
        from rlviz.server.metrics.past import PastService

        return PastService(self.runs, self.metrics)

    @cached_property
    def comparison(self) -> ComparisonService:
        from rlviz.server.metrics.comparison import ComparisonService

        return ComparisonService(self.runs, self.metrics, self.database)

    @cached_property
    def experiment_results(self) -> ExperimentResultsService:
        from rlviz.server.experiments.results.service import ExperimentResultsService, ResultsService

        results = ResultsService(self.settings, self.database, self.metrics, clock=time.time)
        return ExperimentResultsService(
            self.settings, results, self.own_presets, find=self.experiments.source, clock=time.time
        )

    @cached_property
    def analytics(self) -> AnalyticsService:
        from rlviz.server.analytics.service import AnalyticsService

        return AnalyticsService(self._analyst, self.database, self.settings.runs_dir, self.metrics, self.environments)

    @cached_property
    def judging(self) -> JudgingService:
        from rlviz.server.evaluations.judging import JudgingService

        return JudgingService(self.database, self.runs, self.evaluations, self._record_reader)

    @cached_property
    def hints(self) -> HintService:
        from rlviz.server.metrics.hints import HintService

        return HintService(self.runs, self.metrics, self.forks, self.evaluations, self.own_presets)

    def _periodic_tasks(self) -> tuple[PeriodicTask, ...]:
        """What is done without being asked for."""
        memory = memory_watch.MemoryWatch(self.notifier.notify)
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

    def _on_run_changed(self, row: RunRow) -> None:
        self.notifier.consider(row, is_trial=self.experiment_scheduler.has_run(row.id))
        self.sealer.consider(row)
        self.deliveries.consider(row)
        self.going_on.consider(row)
        self.experiment_scheduler.consider(row)

    def _on_experiment_ended(self, experiment: OpenExperiment) -> None:
        scored = sum(trial.score is not None for trial in experiment.trials.values())
        self.notifier.notify(
            news_of_experiment(experiment.id, experiment.stored.name, scored, experiment.control.cause)
        )
