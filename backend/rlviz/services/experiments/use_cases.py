"""Use cases on experiments: create, list, show, stop, resume, delete; and what results need to know of one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.search_spaces import check_space
from rlviz.catalog.database import Database
from rlviz.catalog.runs import find_runs
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import (
    ExperimentConflict,
    ExperimentNotFound,
    FieldError,
    InvalidRequest,
    NewerVersion,
    RunFolderError,
    pointer_to,
)
from rlviz.domain.experiments import (
    MOST_CELLS,
    MOST_UNCONFIRMED,
    ExperimentControl,
    ExperimentSpec,
    RunWishes,
    new_experiment_id,
)
from rlviz.domain.sweep import PrunerName
from rlviz.domain.times import utc
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.services.experiment_results.source import Cell, ExperimentSource
from rlviz.services.experiments.book import ExperimentBook
from rlviz.services.experiments.scheduler import ExperimentScheduler
from rlviz.services.experiments.states import OVER, ExperimentState, state_of, status_of
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.use_cases.environments import EnvironmentService
from rlviz.settings import Settings


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
        self._disk = DiskGuard(settings)

    def create(self, spec: ExperimentSpec) -> ExperimentState:
        """Check every variant, write the folder, and begin. Raises InvalidRequest, NotEnoughDisk or OSError."""
        self._disk.check()
        self.check(spec)
        now = utc(self._clock())
        folder = ExperimentFolder(self._settings.runs_dir, new_experiment_id(now))
        stored = StoredExperiment(
            id=folder.id, name=(spec.name or _name_of(spec)).strip(), created_at=now, specification=spec
        )
        folder.create(stored)
        book = self._scheduler.open(folder)
        self._broadcast.experiment_changed(folder.id)
        self._scheduler.wake()
        return self._state(book)

    def check(self, spec: ExperimentSpec) -> None:
        """Whether every variant can be trained. Raises InvalidRequest, whose pointers are into the specification."""
        if spec.cells > MOST_CELLS:
            raise InvalidRequest.field("", f"{spec.cells:,} trials are too many: {MOST_CELLS:,} are the most.")
        steps = self._check_variants(spec)
        if spec.cells > MOST_UNCONFIRMED and not spec.confirm:
            raise InvalidRequest.field(
                "/confirm",
                f"This would train {spec.cells:,} runs, {steps:,} environment steps together. Say `confirm: true` if "
                "that is wanted.",
            )
        if spec.limits.steps is not None and spec.limits.steps < steps // max(1, spec.cells):
            raise InvalidRequest.field(
                "/limits/steps", "Not even one trial fits into this limit. Raise it, or train for fewer steps."
            )

    def list(self) -> list[ExperimentState]:
        """Newest first."""
        return [self._state(book) for book in self._scheduler.books()]

    def get(self, experiment_id: str) -> ExperimentState:
        """Raises ExperimentNotFound or RunFolderError."""
        return self._state(self._book(experiment_id))

    def run_ids(self, experiment_id: str) -> Sequence[str]:
        """Of each trial the run of its newest attempt, if it is there. Raises ExperimentNotFound or RunFolderError."""
        book = self._book(experiment_id)
        with book.lock:
            wanted = [trial.run_id for trial in book.trials.values() if trial.run_id]
        with self._database.read() as session:
            there = {row.id for row in find_runs(session, wanted)}
        return [run_id for run_id in wanted if run_id in there]

    def stop(self, experiment_id: str) -> ExperimentState:
        """Begin nothing more, and pause what trains.

        Raises ExperimentNotFound, NewerVersion, or ExperimentConflict if it is over.
        """
        book = self._book(experiment_id)
        with book.lock:
            self._check_goes_on(book)
            book.direct(ExperimentControl(desired="stop"))
        return self._directed(book)

    def resume(self, experiment_id: str) -> ExperimentState:
        """Go on with one that was stopped.

        Raises ExperimentNotFound, NewerVersion, or ExperimentConflict for one that is over.
        """
        book = self._book(experiment_id)
        with book.lock:
            self._check_goes_on(book)
            if book.control.desired == "stop":
                book.resumes_paused = True
                book.direct(ExperimentControl())
        return self._directed(book)

    def delete(self, experiment_id: str) -> None:
        """Delete its folder, and stop what trains; its runs stay, as runs like any other.

        Of one that is damaged only the folder is deleted. Raises ExperimentNotFound or OSError.
        """
        folder = self._folder(experiment_id)
        try:
            book = self._scheduler.open(folder)
        except RunFolderError:
            self._scheduler.forget(experiment_id)
            folder.remove()
        else:
            with book.lock:
                self._scheduler.forget(experiment_id)
                folder.remove()
                for trial in book.trials.values():
                    if trial.is_begun and trial.run_id is not None:
                        self._runs.stop(trial.run_id, "Its experiment was deleted.")
        self._broadcast.experiment_changed(experiment_id)

    def source(self, experiment_id: str) -> ExperimentSource:
        """What results need to know. Raises ExperimentNotFound or RunFolderError."""
        book = self._book(experiment_id)
        with book.lock:
            ended = book.is_over
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
                )
                for trial in book.trials.values()
            ]
            wishes, labels = dict(book.wishes), book.labels
        found = {name: self._environments.get(one.env_id).resolve(one.env_options) for name, one in wishes.items()}
        thresholds = {environment.reward_threshold for environment in found.values()}
        return ExperimentSource(
            id=book.id,
            title=book.stored.name,
            folder=book.folder.path,
            specification=book.folder.specification_text(),
            variants=labels,
            environments={name: _environment(one.id, one.chosen) for name, one in found.items()},
            threshold=thresholds.pop() if len(thresholds) == 1 else None,
            cells=cells,
            sweep=book.spec.sweep,
        )

    def _book(self, experiment_id: str) -> ExperimentBook:
        return self._scheduler.open(self._folder(experiment_id))

    def _folder(self, experiment_id: str) -> ExperimentFolder:
        folder = ExperimentFolder(self._settings.runs_dir, experiment_id)
        if not folder.path.is_dir() or folder.path.is_symlink():
            raise ExperimentNotFound(experiment_id)
        return folder

    def _directed(self, book: ExperimentBook) -> ExperimentState:
        self._broadcast.experiment_changed(book.id)
        self._scheduler.wake()
        return self._state(book)

    def _check_goes_on(self, book: ExperimentBook) -> None:
        if book.stored.is_newer:
            raise NewerVersion(f"Experiment {book.id!r} can only be looked at here. {book.problem}")
        status = status_of(book)
        if status in OVER:
            raise ExperimentConflict(
                f"Experiment {book.id!r} is {status.value!r}: there is nothing left to be trained."
            )

    def _check_variants(self, spec: ExperimentSpec) -> int:
        """The environment steps of all trials. Raises InvalidRequest."""
        seeds = len(spec.seed_list)
        if spec.sweep is not None:
            config = self._resolve(spec.base, spec, "/base")
            check_space(ALGORITHMS.get(config.algo), spec.sweep.space)
            if spec.sweep.pruner is not PrunerName.NONE and config.evaluation.every_steps is None:
                raise InvalidRequest.field(
                    "/sweep/pruner",
                    "It compares greedy evaluations while runs train, and these make none: give `base.evaluation`, "
                    "for instance every tenth of the steps, or no pruner.",
                )
            return config.total_timesteps * spec.cells
        steps = 0
        for place, variant in enumerate(spec.fixed_variants()):
            pointer = "/grid" if spec.grid else pointer_to("variants", place, "changes")
            steps += self._resolve(variant.wishes(spec.base), spec, pointer).total_timesteps * seeds
        return steps

    def _resolve(self, wishes: RunWishes, spec: ExperimentSpec, pointer: str) -> RunConfig:
        """The configuration that these wishes lead to. Raises InvalidRequest whose pointers begin with ``pointer``."""
        try:
            return self._runs.resolve(wishes, 0, spec.memory_per_worker)
        except InvalidRequest as error:
            fields = error.fields or [FieldError("", str(error))]
            raise InvalidRequest(
                str(error), [FieldError(pointer + field.pointer, field.detail) for field in fields]
            ) from error

    def _state(self, book: ExperimentBook) -> ExperimentState:
        parallel = book.spec.parallel or self._settings.max_concurrent_runs
        with book.lock:
            with self._database.read() as session:
                rows = {row.id: row for row in find_runs(session, book.run_ids)}
            return state_of(book, rows, now=self._clock(), parallel=parallel)


def _name_of(spec: ExperimentSpec) -> str:
    if spec.sweep is not None:
        return f"Search for {_algorithm(spec)} on {spec.base.env_id}"
    if spec.grid:
        return f"{', '.join(spec.grid)} of {_algorithm(spec)} on {spec.base.env_id}"[:120]
    return f"{' or '.join(variant.name for variant in spec.variants)} on {spec.base.env_id}"[:120]


def _algorithm(spec: ExperimentSpec) -> str:
    """What the algorithm of the base is called. The specification has been resolved: there is such an algorithm."""
    return ALGORITHMS.get(spec.base.algo).name


def _environment(env_id: str, options: Mapping[str, JsonValue]) -> str:
    """An environment with its options: “FrozenLake-v1, is_slippery true, map_name 4x4”; the same for the same ones."""
    chosen = (f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in options.items())
    return ", ".join([env_id, *sorted(chosen)])
