"""Services: creates and connects all services."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.confined import Confined
from rlviz.domain.clocks import AgeClock
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Launcher
from rlviz.rundir.lock import RunsLock
from rlviz.rundir.reserve import Reserve
from rlviz.rundir.trash import Trash
from rlviz.services.analytics.analyst import Analyst
from rlviz.services.experiment_results.results_preparer import ResultsPreparer
from rlviz.services.experiments.open_experiment import OpenExperiment
from rlviz.services.experiments.scheduler import ExperimentScheduler
from rlviz.services.experiments.scoring import Scorer
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.experiments.use_cases import ExperimentService
from rlviz.services.notifications import memory_watch
from rlviz.services.notifications.notification import news_of_experiment
from rlviz.services.notifications.notifier import Notifier
from rlviz.services.periodic_task import PeriodicTask
from rlviz.services.sinks.live_deliveries import LiveDeliveries
from rlviz.services.storage import watch as storage_watch
from rlviz.services.storage.action_log import StorageActionLog
from rlviz.services.storage.clearing import RunClearing
from rlviz.services.storage.meter import StorageMeter
from rlviz.services.storage.pruner import StoragePruner
from rlviz.services.storage.rules_store import StorageRulesStore
from rlviz.services.storage.use_cases import StorageService
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.streaming.feeds import Feeds
from rlviz.services.streaming.run_stream import StreamService
from rlviz.services.supervision.sealing import Sealer
from rlviz.services.supervision.supervisor import Supervisor
from rlviz.services.supervision.trust_guard import TrustGuard
from rlviz.services.use_cases.automatic_resuming import AutomaticResuming
from rlviz.services.use_cases.damage import DamageService
from rlviz.services.use_cases.environments import EnvironmentService
from rlviz.services.use_cases.episodes import EpisodeService
from rlviz.services.use_cases.evaluations import EvaluationService
from rlviz.services.use_cases.film import FilmService
from rlviz.services.use_cases.forking import ForkService
from rlviz.services.use_cases.groups import GroupService
from rlviz.services.use_cases.own_presets import OwnPresets
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
from rlviz.services.use_cases.trust import TrustService
from rlviz.services.use_cases.value_slices import ValueSliceService
from rlviz.settings import Settings

if TYPE_CHECKING:
    from rlviz.services.analytics.questions import AnalyticsService
    from rlviz.services.experiment_results.use_cases import ExperimentResultsService
    from rlviz.services.use_cases.comparison import ComparisonService
    from rlviz.services.use_cases.exchange import ExchangeService
    from rlviz.services.use_cases.family import FamilyService
    from rlviz.services.use_cases.hints import HintService
    from rlviz.services.use_cases.judging import JudgingService
    from rlviz.services.use_cases.metrics import MetricsService
    from rlviz.services.use_cases.past import PastService


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
        from rlviz.services.use_cases.metrics import MetricsService

        return MetricsService(self.sealer)

    @cached_property
    def exchange(self) -> ExchangeService:
        from rlviz.services.use_cases.exchange import ExchangeService

        return ExchangeService(self.settings, self.runs, self.taking_up, self._videos, self._importer)

    @cached_property
    def family(self) -> FamilyService:
        from rlviz.services.use_cases.family import FamilyService

        return FamilyService(self.database, self.settings.runs_dir)

    @cached_property
    def past(self) -> PastService:
        from rlviz.services.use_cases.past import PastService

        return PastService(self.runs, self.metrics)

    @cached_property
    def comparison(self) -> ComparisonService:
        from rlviz.services.use_cases.comparison import ComparisonService

        return ComparisonService(self.runs, self.metrics, self.database)

    @cached_property
    def experiment_results(self) -> ExperimentResultsService:
        from rlviz.services.experiment_results.service import ResultsService
        from rlviz.services.experiment_results.use_cases import ExperimentResultsService

        results = ResultsService(self.settings, self.database, self.metrics, clock=time.time)
        return ExperimentResultsService(
            self.settings, results, self.own_presets, find=self.experiments.source, clock=time.time
        )

    @cached_property
    def analytics(self) -> AnalyticsService:
        from rlviz.services.analytics.questions import AnalyticsService

        return AnalyticsService(self._analyst, self.database, self.settings.runs_dir, self.metrics, self.environments)

    @cached_property
    def judging(self) -> JudgingService:
        from rlviz.services.use_cases.judging import JudgingService

        return JudgingService(self.database, self.runs, self.evaluations, self._record_reader)

    @cached_property
    def hints(self) -> HintService:
        from rlviz.services.use_cases.hints import HintService

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
