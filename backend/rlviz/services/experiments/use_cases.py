"""Use cases on experiments: create, list, show, stop, resume, delete; and what results need to know of one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import find_runs, pace_of
from rlviz.domain.errors import (
    ExperimentConflict,
    ExperimentNotFound,
    InvalidRequest,
    NewerVersion,
    RunFolderError,
)
from rlviz.domain.experiments import (
    ExperimentControl,
    ExperimentSpec,
    TrialState,
    new_experiment_id,
)
from rlviz.domain.experiments.trials import is_experiment_id
from rlviz.domain.times import utc
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.services.experiment_results.source import Cell, ExperimentSource
from rlviz.services.experiments.checking import Estimate, SpecificationCheck
from rlviz.services.experiments.methods import methods_of, name_of
from rlviz.services.experiments.open_experiment import OpenExperiment
from rlviz.services.experiments.scheduler import MADE_ELSEWHERE, ExperimentScheduler
from rlviz.services.experiments.states import ExperimentState, state_of
from rlviz.services.experiments.summaries import OVER, ExperimentSummary, status_of, summary_of
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.experiments.variant_environment import environment_of_variant
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.use_cases.environment_scales import environment_title, scale_of
from rlviz.services.use_cases.environments import EnvironmentService
from rlviz.settings import Settings

CACHED_SUMMARIES = 1_000
CACHED_STATES = 16


@dataclass(frozen=True)
class ExperimentPage:
    """``next_cursor`` is None on the last; ``total``: of all pages."""

    experiments: Sequence[ExperimentSummary]
    next_cursor: str | None
    total: int


class ExperimentService:
    def __init__(
        self,
        settings: Settings,
        database: Database,
        broadcast: Broadcast,
        environments: EnvironmentService,
        scheduler: ExperimentScheduler,
        runs: TrialRuns,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._database, self._broadcast = settings, database, broadcast
        self._environments, self._scheduler, self._runs = environments, scheduler, runs
        self._clock = clock
        self._check = SpecificationCheck(runs, self._pace)
        self._disk = DiskGuard(settings)
        self._over: LRUCache[str, tuple[int, ExperimentSummary]] = LRUCache(CACHED_SUMMARIES)
        self._over_states: LRUCache[str, tuple[int, ExperimentState]] = LRUCache(CACHED_STATES)
        self._lock = Lock()

    def create(self, spec: ExperimentSpec) -> ExperimentState:
        """Check every variant, write the folder, and begin. Raises InvalidRequest, NotEnoughDisk or OSError."""
        self._disk.check()
        resolved = self._check.resolved(spec)
        now = utc(self._clock())
        folder = ExperimentFolder(self._settings.runs_dir, new_experiment_id(now))
        stored = StoredExperiment(
            id=folder.id,
            name=(spec.name or name_of(spec)).strip(),
            created_at=now,
            specification=spec,
            resolved=resolved,
        )
        folder.create(stored)
        experiment = self._scheduler.open(folder)
        self._broadcast.experiment_changed(folder.id)
        self._scheduler.wake()
        return self._state(experiment)

    def estimate(self, spec: ExperimentSpec) -> Estimate:
        """What ``create`` would train. Raises InvalidRequest for what it would refuse."""
        return self._check.estimate(spec)

    def list(self, *, q: str | None, limit: int, cursor: str | None) -> ExperimentPage:
        """Newest first. ``q``: text in name or id; ``cursor``: what the page before gave as its next.

        Raises InvalidRequest for a cursor that is none.
        """
        if cursor is not None and not is_experiment_id(cursor):
            raise InvalidRequest.field("/cursor", "This is no cursor. Use next_cursor of the page before.")
        wanted = (q or "").lower()
        every = [one for one in self._scheduler.experiments() if wanted in f"{one.id} {one.stored.name}".lower()]
        left = [one for one in every if cursor is None or one.id < cursor]
        page = left[:limit]
        return ExperimentPage(
            [self._summary(one) for one in page], page[-1].id if len(left) > limit else None, len(every)
        )

    def get(self, experiment_id: str) -> ExperimentState:
        """Raises ExperimentNotFound or RunFolderError."""
        return self._state(self._experiment(experiment_id))

    def run_ids(self, experiment_id: str) -> Sequence[str]:
        """Of each trial the run of its newest attempt, if it is there. Raises ExperimentNotFound or RunFolderError."""
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            wanted = [trial.run_id for trial in experiment.trials.values() if trial.run_id]
        with self._database.read() as session:
            there = {row.id for row in find_runs(session, wanted)}
        return [run_id for run_id in wanted if run_id in there]

    def stop(self, experiment_id: str) -> ExperimentState:
        """Begin nothing more, and pause what trains.

        Raises ExperimentNotFound, NewerVersion, or ExperimentConflict if it is over.
        """
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            self._check_goes_on(experiment)
            experiment.direct(ExperimentControl(desired="stop"))
        return self._directed(experiment)

    def resume(self, experiment_id: str) -> ExperimentState:
        """Go on with one that was stopped.

        Raises ExperimentNotFound, NewerVersion, or ExperimentConflict for one that is over.
        """
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            self._check_goes_on(experiment)
            if experiment.control.desired == "stop":
                experiment.resumes_paused = True
                experiment.direct(ExperimentControl())
        return self._directed(experiment)

    def delete(self, experiment_id: str) -> None:
        """Delete its folder, and stop what trains; its runs stay, as runs like any other.

        Of one that is damaged only the folder is deleted. Raises ExperimentNotFound or OSError.
        """
        folder = self._folder(experiment_id)
        try:
            experiment = self._scheduler.open(folder)
        except RunFolderError:
            self._scheduler.forget(experiment_id)
            folder.remove()
        else:
            with experiment.lock:
                may_run = self._scheduler.may_run(experiment)  # otherwise its trials may name any run
                self._scheduler.forget(experiment_id)
                folder.remove()
                for trial in experiment.trials.values() if may_run else ():
                    if trial.is_begun and trial.run_id is not None:
                        self._runs.stop(trial.run_id, "Its experiment was deleted.")
        self._broadcast.experiment_changed(experiment_id)

    def source(self, experiment_id: str) -> ExperimentSource:
        """What results need to know. Raises ExperimentNotFound or RunFolderError."""
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            ended = experiment.is_over
            cells = [
                Cell(
                    variant=trial.variant,
                    seed=trial.seed,
                    run_id=trial.run_id or None,
                    earlier_run_ids=tuple(one for one in trial.run_ids if one != trial.run_id),
                    score=trial.score,
                    policy=trial.policy,
                    ended=trial.is_final or ended,
                    skipped=ended and not trial.is_final,
                    pruned=trial.last is not None and trial.last.state is TrialState.PRUNED,
                )
                for trial in experiment.trials.values()
            ]
            run_specs, labels = dict(experiment.run_specs), experiment.labels
        runs = {name: [cell.run_id for cell in cells if cell.variant == name] for name in run_specs}
        folder = self._settings.runs_dir
        found = {
            name: environment_of_variant(one, runs[name], folder, self._environments) for name, one in run_specs.items()
        }
        environments = {name: environment_title(one.id, one.chosen) for name, one in found.items()}
        return ExperimentSource(
            id=experiment.id,
            title=experiment.stored.name,
            folder=experiment.folder.path,
            specification=experiment.folder.specification_text,
            variants=labels,
            environments=environments,
            cells=cells,
            thresholds={
                environments[name]: one.reward_threshold
                for name, one in found.items()
                if one.reward_threshold is not None
            },
            methods=methods_of(labels, run_specs) if len(set(environments.values())) > 1 else {},
            scales={environments[name]: scale for name, one in found.items() if (scale := scale_of(one)) is not None},
            sweep=experiment.spec.sweep,
        )

    def _experiment(self, experiment_id: str) -> OpenExperiment:
        return self._scheduler.open(self._folder(experiment_id))

    def _folder(self, experiment_id: str) -> ExperimentFolder:
        folder = ExperimentFolder(self._settings.runs_dir, experiment_id)
        if not folder.path.is_dir() or folder.path.is_symlink():
            raise ExperimentNotFound(experiment_id)
        return folder

    def _directed(self, experiment: OpenExperiment) -> ExperimentState:
        self._broadcast.experiment_changed(experiment.id)
        self._scheduler.wake()
        return self._state(experiment)

    def _check_goes_on(self, experiment: OpenExperiment) -> None:
        if experiment.stored.is_newer:
            raise NewerVersion(f"Experiment {experiment.id!r} can only be looked at here. {experiment.problem}")
        if not self._scheduler.adopt(experiment):
            raise ExperimentConflict(f"Experiment {experiment.id!r} can only be looked at here. {MADE_ELSEWHERE}")
        status = status_of(experiment)
        if status in OVER:
            raise ExperimentConflict(
                f"Experiment {experiment.id!r} is {status.value!r}: there is nothing left to be trained."
            )

    def _pace(self, algo: str, env_id: str) -> float | None:
        with self._database.read() as session:
            return pace_of(session, algo, env_id)

    def _state(self, experiment: OpenExperiment) -> ExperimentState:
        """Of one that is over it is made once, when none of its runs trains any more, until one is deleted."""
        version = self._version(experiment)
        with self._lock:
            known = self._over_states.get(experiment.id)
        if known is not None and known[0] == version:
            return known[1]
        with experiment.lock:
            rows = self._rows(experiment)
            state = state_of(experiment, rows, now=self._clock(), parallel=self._parallel(experiment))
        if state.status in OVER and all(row.state.has_ended for row in rows.values()):
            with self._lock:
                self._over_states[experiment.id] = version, state
        return state

    def _summary(self, experiment: OpenExperiment) -> ExperimentSummary:
        """The summary of an experiment. That of one that is over is made once, until one of its runs is deleted."""
        version = self._version(experiment)
        with self._lock:
            known = self._over.get(experiment.id)
        if known is not None and known[0] == version:
            return known[1]
        with experiment.lock:
            rows = self._rows(experiment)
            summary = summary_of(experiment, rows, now=self._clock(), parallel=self._parallel(experiment))
        if summary.status in OVER and all(row.state.has_ended for row in rows.values()):
            with self._lock:
                self._over[experiment.id] = version, summary
        return summary

    def _version(self, experiment: OpenExperiment) -> int:
        """Grows with whatever becomes of its runs, which may be deleted and restored when it is over."""
        with experiment.lock:
            return sum(map(self._broadcast.version, experiment.run_ids))

    def _rows(self, experiment: OpenExperiment) -> dict[str, RunRow]:
        with self._database.read() as session:
            return {row.id: row for row in find_runs(session, experiment.run_ids)}

    def _parallel(self, experiment: OpenExperiment) -> int:
        return experiment.spec.parallel or self._settings.max_concurrent_runs
