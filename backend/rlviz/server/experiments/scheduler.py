"""Schedule the trials of experiments: start runs while there is room, follow them to a score, and end experiments.

All state is in the experiments' folders and in the catalogue. A line of ``trials.jsonl`` is written before the run that
it names is created. If the service is killed in between, the run does not exist and the next service restarts the
trial; a scored run is never trained or scored again. ``TrialRuns`` creates and steers runs through the same use cases
as the user's requests; ``TrialFollower`` records what happens to them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event, RLock, Thread
from typing import Any

from sqlalchemy.exc import DatabaseError

from rlviz.domain.clocks import AgeClock
from rlviz.domain.config import ExperimentPlace, ExplorationPlan, RunConfig
from rlviz.domain.disk_full import is_disk_full_cause
from rlviz.domain.errors import (
    ArtifactNotFound,
    Conflict,
    IllegalTransition,
    InvalidRequest,
    NotEnoughDisk,
    NotFound,
    NothingToResume,
    RlvizError,
    RunFolderError,
    RunIsActive,
    SnapshotRefused,
)
from rlviz.domain.experiments import ExperimentControl, ExperimentLimits, FailMode, ForkPoint, RunSpec, TrialState
from rlviz.domain.limits import LIMITS
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import APP_ENDED, RunStatus
from rlviz.learning.search.proposer import SeedReturns
from rlviz.rundir.experiment_folder import ExperimentFolder, experiment_folders, remove_experiment_drafts
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.runs import find_runs
from rlviz.server.events import EventBus, ExperimentChanged, ExperimentEnded, TrialsChanged
from rlviz.server.exchange.deliveries import LiveDeliveries
from rlviz.server.experiments.open_experiment import OpenExperiment, Trial
from rlviz.server.experiments.scoring import EvaluatedReturns, Scorer
from rlviz.server.experiments.summaries import training_seconds
from rlviz.server.runs.configuration import NewRun
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.forking import ForkRequest, ForkService, PlannedFork
from rlviz.server.snapshots.resuming import ResumeService
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlannedRun:
    """The run of a trial before it is created. ``fork``: how it forks another run; None: it starts at the beginning."""

    config: RunConfig
    fork: PlannedFork | None = None


@dataclass(frozen=True)
class TrialRuns:
    """Creates and steers the runs of trials."""

    _runs: RunService
    _forks: ForkService
    _resuming: ResumeService
    _deliveries: LiveDeliveries

    def plan(self, experiment: OpenExperiment, trial: Trial) -> PlannedRun:
        """Return the new run of ``trial``.

        Raises InvalidRequest; if the trial forks a run, also the errors of ``ForkService.plan``.
        """
        own, point = _values_of_trial(experiment, trial), experiment.spec.fork
        if point is None:
            return PlannedRun(self._configure(experiment, trial).model_copy(update=own))
        fork = self.plan_fork(point, experiment.run_spec_of(trial.variant), trial.seed)
        fork = replace(fork, config=fork.config.model_copy(update=own))
        return PlannedRun(fork.config, fork)

    def plan_fork(self, point: ForkPoint, run_spec: RunSpec, seed: int) -> PlannedFork:
        """Return a fork at ``point`` with the settings of ``run_spec``, which must have every value.

        Raises InvalidRequest if the run at ``point`` is of another algorithm or environment, and the errors of
        ``ForkService.plan``.
        """
        request = ForkRequest(
            snapshot=point.snapshot,
            hyperparameters=run_spec.hyperparameters,
            env_options=run_spec.env_options,
            seed=seed,
            total_timesteps=run_spec.total_timesteps,
        )
        parent = self._runs.config(point.run_id)
        if (parent.algo, parent.env_id) != (run_spec.algo, run_spec.env_id):
            raise InvalidRequest.field(
                "/fork/run_id",
                f"Run {parent.run_id!r} is of {parent.algo} on {parent.env_id}, so runs of {run_spec.algo} on "
                f"{run_spec.env_id} cannot fork it.",
            )
        fork = self._forks.plan(point.run_id, request)
        if fork.place.step != point.step:
            raise InvalidRequest.field(
                "/fork/step", f"Snapshot {point.snapshot!r} is of step {fork.place.step:,}, not {point.step:,}."
            )
        own = {"evaluation": run_spec.evaluation, "snapshots": run_spec.snapshots, "rules": run_spec.rules}
        return replace(fork, config=fork.config.model_copy(update=own))

    def with_exploration_of_parent(self, point: ForkPoint, run_spec: RunSpec) -> RunSpec:
        """Return ``run_spec`` with the exploration of the run at ``point`` instead of that of its preset.

        Nothing changes if that run cannot be read or is of another algorithm or environment; ``plan_fork`` refuses it.
        """
        try:
            parent = self._runs.config(point.run_id)
        except (NotFound, RunFolderError):
            return run_spec
        if (parent.algo, parent.env_id) != (run_spec.algo, run_spec.env_id):
            return run_spec
        return run_spec.model_copy(update={"exploration": parent.exploration or ExplorationPlan()})

    def _configure(self, experiment: OpenExperiment, trial: Trial) -> RunConfig:
        """Return the configuration of a new run for ``trial``. Raises InvalidRequest."""
        wanted = experiment.run_spec_of(trial.variant)
        if experiment.stored.resolved:  # the values are stored, so a later change of the preset does not matter
            config = self.resolve(
                wanted.model_copy(update={"preset": None}), trial.seed, experiment.spec.memory_per_worker
            )
            return config.model_copy(update={"preset": wanted.preset})
        return self.resolve(wanted, trial.seed, experiment.spec.memory_per_worker)

    def resolve(self, run_spec: RunSpec, seed: int, memory: int | None = None) -> RunConfig:
        """Return the complete configuration for ``run_spec``. Raises InvalidRequest."""
        given = {name: getattr(run_spec, name) for name in RunSpec.model_fields}
        return self._runs.resolve(NewRun(**given, seed=seed), memory_per_worker=memory)

    def add(self, planned: PlannedRun, sinks: Sequence[SinkKind] = ()) -> RunRow:
        """Create a run with its sinks and queue it. Raises NotEnoughDisk or OSError; for a fork, also ArtifactNotFound
        if its snapshot was just deleted."""
        if planned.fork is None:
            row = self._runs.add(planned.config, sinks)
        else:
            row = self._forks.create(planned.fork, start=True, sinks=sinks)
        if sinks:
            self._deliveries.reload_plan(row.id)
        return row

    def start(self, run_id: str) -> None:
        self._runs.start(run_id)

    def stop(self, run_id: str, reason: str) -> None:
        """Stop a run, unless it has ended or is deleted."""
        with suppress(Conflict, NotFound):
            self._runs.stop(run_id, reason)

    def pause(self, run_id: str, reason: str) -> None:
        self._resuming.pause(run_id, reason)

    def resume(self, run_id: str) -> None:
        self._resuming.resume(run_id)


def _values_of_trial(experiment: OpenExperiment, trial: Trial) -> dict[str, Any]:
    """Return what the configuration of a run says about its experiment."""
    # The name of a variant is meaningful alone; “Trial 3” only with the name of its search.
    name = trial.label if experiment.spec.sweep is None else f"{trial.label}, {experiment.stored.name}"
    return {
        "experiment": ExperimentPlace(id=experiment.id, variant=trial.variant, trial=trial.number),
        "group_id": experiment.groups.get(trial.variant),
        "name": name[: LIMITS.run_name.maximum],
    }


MOST_LOST = 100
"""Attempts of a trial that can be interrupted, from outside or by a full disk, before the trial fails."""

STOPPED = "Its experiment was stopped."
PRUNED = "It did worse than other trials of the search."
DELETED = "Its run was deleted."
ANOTHER_FAILED = "Another trial of its experiment failed."

AWAITS_PLACE = (RunStatus.CREATED, RunStatus.QUEUED)
PAUSES = (RunStatus.PAUSED, RunStatus.PAUSING)


class TrialFollower:
    """Follows the run of each trial and records its outcome. Callers hold the experiment's lock."""

    def __init__(
        self, database: Database, trash: Trash, runs: TrialRuns, scorer: Scorer, greedy: EvaluatedReturns
    ) -> None:
        self._database, self._trash, self._runs, self._scorer = database, trash, runs, scorer
        self._greedy = greedy

    def follow(self, experiment: OpenExperiment) -> None:
        """Record which trials have ended, and resume interrupted runs.

        Raises NotEnoughDisk or OSError; what was recorded before stays recorded.
        """
        rows = self._rows(experiment)
        for trial in list(experiment.trials.values()):
            if trial.is_begun and trial.run_id is not None:
                try:
                    self._follow_one(experiment, trial, trial.run_id, rows.get(trial.run_id))
                except ArtifactNotFound:  # its folder was removed by hand
                    self._fail(experiment, trial, trial.run_id, DELETED, again=False)
        if experiment.spec.sweep is not None:
            for variant in {trial.variant for trial in experiment.trials.values() if trial.is_begun}:
                self._prune(experiment, variant, rows)
        with self._database.read() as session:  # a run whose old worker has not exited yet is resumed next time
            left = find_runs(session, [run_id for run_id, row in rows.items() if row.state in PAUSES])
        experiment.resumes_paused = experiment.resumes_paused and any(row.state in PAUSES for row in left)

    def count_places(self, experiment: OpenExperiment) -> tuple[int, int]:
        """Return the number of trials that train or are about to, and of those that wait for their score."""
        rows = self._rows(experiment)
        begun = [trial for trial in experiment.trials.values() if trial.is_begun]
        trained = [rows[one.run_id or ""].state is RunStatus.COMPLETED for one in begun if one.run_id in rows]
        return len(begun) - sum(trained), sum(trained)

    def awaits_place(self, experiment: OpenExperiment) -> bool:
        """Return whether the run of a trial is still queued."""
        return any(row.state in AWAITS_PLACE for row in self._rows(experiment).values())

    def pause_all(self, experiment: OpenExperiment) -> None:
        """Pause training runs and score trained ones; queued ones restart when the experiment is resumed."""
        rows = self._rows(experiment)
        for trial in experiment.trials.values():
            row = rows.get(trial.run_id or "") if trial.is_begun else None
            if row is None:
                continue
            if row.state in AWAITS_PLACE:
                self._give_up(experiment, trial, row.id)
            elif row.state in (RunStatus.STARTING, RunStatus.RUNNING):
                self._pause(experiment, trial, row.id)
            elif row.state is RunStatus.COMPLETED:
                self._score(experiment, trial, row.id)

    def stop_all(self, experiment: OpenExperiment) -> None:
        """Stop all runs, because a failed trial ends the experiment."""
        for trial in experiment.trials.values():
            if trial.is_begun and trial.run_id is not None:
                self._runs.stop(trial.run_id, ANOTHER_FAILED)

    def _rows(self, experiment: OpenExperiment) -> dict[str, RunRow]:
        wanted = [trial.run_id for trial in experiment.trials.values() if trial.is_begun and trial.run_id is not None]
        with self._database.read() as session:
            return {row.id: row for row in find_runs(session, wanted)}

    def _pause(self, experiment: OpenExperiment, trial: Trial, run_id: str) -> None:
        try:
            self._runs.pause(run_id, STOPPED)
        except RunIsActive:  # random actions cannot be paused
            self._give_up(experiment, trial, run_id)
        except IllegalTransition:  # it has ended
            return

    def _give_up(self, experiment: OpenExperiment, trial: Trial, run_id: str) -> None:
        self._runs.stop(run_id, STOPPED)
        experiment.record(trial, TrialState.LOST, run_id, cause=STOPPED)

    def _follow_one(self, experiment: OpenExperiment, trial: Trial, run_id: str, row: RunRow | None) -> None:
        if row is None:
            self._lose(experiment, trial, run_id)
            return
        match row.state:
            case RunStatus.CREATED:
                self._runs.start(run_id)
            case RunStatus.COMPLETED:
                self._score(experiment, trial, run_id)
            case RunStatus.STOPPED if row.cause != APP_ENDED:
                cause = "It was stopped early." if row.ended_early is None else str(row.cause)
                self._fail(experiment, trial, run_id, cause, again=False)
            case RunStatus.FAILED if not is_disk_full_cause(row.cause):
                self._fail(experiment, trial, run_id, row.cause or "Training failed.")
            case RunStatus.FAILED | RunStatus.STOPPED | RunStatus.INTERRUPTED:
                self._resume_run(experiment, trial, row)
            case RunStatus.PAUSED:
                if experiment.resumes_paused:
                    self._resume_run(experiment, trial, row)

    def _lose(self, experiment: OpenExperiment, trial: Trial, run_id: str) -> None:
        """Record that a trial's run does not exist: it was deleted, or the service was killed before it created the
        run."""
        if run_id in self._trash.run_ids():
            self._fail(experiment, trial, run_id, DELETED, again=False)
        else:
            experiment.record(trial, TrialState.LOST, run_id, cause="The app ended before its run was created.")

    def _resume_run(self, experiment: OpenExperiment, trial: Trial, row: RunRow) -> None:
        """Resume an interrupted run, or restart the trial if the run has no snapshot."""
        times = trial.lost + row.attempt
        if times > MOST_LOST:
            self._fail(experiment, trial, row.id, f"It was interrupted {times} times: {row.cause}", again=False)
            return
        try:
            self._runs.resume(row.id)
        except (RunIsActive, IllegalTransition):  # its old worker has not exited yet, or it was resumed already
            return
        except (NothingToResume, SnapshotRefused, RunFolderError) as error:
            experiment.record(trial, TrialState.LOST, row.id, cause=str(error))

    def _score(self, experiment: OpenExperiment, trial: Trial, run_id: str) -> None:
        found = self._scorer.score(run_id, experiment.spec.score)
        if found is None:
            return
        if isinstance(found, str):
            self._fail(experiment, trial, run_id, found, again=False)
            return
        experiment.record(trial, TrialState.SCORED, run_id, score=found)
        experiment.report_if_finished(trial.variant)

    def _fail(self, experiment: OpenExperiment, trial: Trial, run_id: str, cause: str, *, again: bool = True) -> None:
        """Record a failed attempt. ``again``: another attempt may succeed."""
        spec = experiment.spec
        if again and spec.fail_mode is FailMode.RETRY and trial.failures < spec.most_retries:
            experiment.record(trial, TrialState.RETRIED, run_id, cause=cause)
            return
        experiment.record(trial, TrialState.FAILED, run_id, cause=cause)
        experiment.report_if_finished(trial.variant)

    def _prune(self, experiment: OpenExperiment, variant: str, rows: Mapping[str, RunRow]) -> None:
        """Prune a variant of a search that does worse than others, by the evaluations of all its seeds so far."""
        trials = experiment.trials_of_variant(variant)
        training = [one for one in trials if one.is_begun and _trains(rows.get(one.run_id or ""))]
        judged = [one for one in trials if one.is_begun or one.score is not None]
        if not training:
            return
        seeds = [SeedReturns(self._greedy.read_returns(one.run_id), one in training) for one in judged if one.run_id]
        if not experiment.proposer.evaluated(variant, seeds):
            return
        for other in trials:
            if not other.is_final:
                trains = other.run_id if other.is_begun else None
                experiment.record(other, TrialState.PRUNED, other.run_id or "", cause=PRUNED)
                if trains is not None:
                    self._runs.stop(trains, PRUNED)


def _trains(row: RunRow | None) -> bool:
    return row is not None and not row.state.is_final


POLL_SECONDS = 1.0
"""Seconds between checks of experiments whose runs have not changed."""

MADE_ELSEWHERE = (
    "It was found in the runs folder: an earlier version made it, or it was copied there. It trains nothing until you "
    "resume it."
)

LIMITED = "It reached its limit before all of its trials were trained."


class ExperimentScheduler:
    """A thread that advances all experiments. ``handle_run``, ``handle_evaluation`` and ``wake`` are thread-safe."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        events: EventBus,
        trash: Trash,
        runs: TrialRuns,
        scorer: Scorer,
        *,
        clock: Callable[[], float] = time.time,
        age_clock: Callable[[], float] | None = None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """``age_clock`` measures limits on time; None creates one. The thread looks at the experiments every
        ``poll_seconds``, and whenever it is woken."""
        self._settings, self._database, self._events = settings, database, events
        self._runs, self._clock, self._poll_seconds = runs, clock, poll_seconds
        self._age_clock = age_clock or AgeClock()
        self._follower = TrialFollower(database, trash, runs, scorer, EvaluatedReturns(settings.runs_dir))
        self._disk, self._trust = DiskGuard(settings), TrustGuard(settings)
        self._experiments: dict[str, OpenExperiment] = {}
        self._damaged: dict[str, str] = {}
        self._lock = RLock()
        self._wake, self._resting, self._closing = Event(), Event(), Event()
        self._seen: dict[str, object] = {}
        self._thread = Thread(target=self._loop, name="experiments", daemon=True)

    def start(self) -> None:
        """Open every experiment that is not over, and start the thread."""
        remove_experiment_drafts(self._settings.runs_dir)
        for folder in experiment_folders(self._settings.runs_dir):
            try:
                self.open(folder)
            except (RlvizError, OSError) as error:
                self._damaged[folder.id] = str(error)
                log.warning("Experiment %s cannot be read: %s", folder.id, error)
        self._thread.start()

    def stop_starting(self) -> None:
        """Start and record nothing more, because the app ends; the next service continues."""
        self._resting.set()

    def close(self) -> None:
        self._closing.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        for experiment in self.experiments():
            experiment.close()

    def wake(self) -> None:
        self._wake.set()

    def handle_run(self, row: RunRow) -> None:
        """Wake the thread if the changed run matters to an experiment. Cheap."""
        if row.state.is_final or row.state is RunStatus.STARTING:  # started: a search can propose the next trial
            self._wake.set()

    def handle_evaluation(self, row: EvaluationRow) -> None:
        """Wake the thread if the changed evaluation matters to an experiment. Cheap."""
        if row.parsed().status.is_final:
            self._wake.set()

    def has_run(self, run_id: str) -> bool:
        """Return whether a run belongs to an experiment."""
        with self._lock:
            return any(run_id in experiment.known_runs for experiment in self._experiments.values())

    def experiments(self) -> list[OpenExperiment]:
        """Return the open experiments, newest first."""
        with self._lock:
            return sorted(self._experiments.values(), key=lambda experiment: experiment.id, reverse=True)

    def damaged(self) -> Mapping[str, str]:
        """Return the problem of each experiment that cannot be read, by id."""
        return dict(self._damaged)

    def open(self, folder: ExperimentFolder) -> OpenExperiment:
        """Open the experiment in ``folder``. Raises the errors of OpenExperiment."""
        with self._lock:
            experiment = self._experiments.get(folder.id)
            if experiment is None:
                experiment = self._experiments[folder.id] = OpenExperiment(folder, self._clock)
                experiment.resumes_paused = experiment.control.desired == "run"
            return experiment

    def may_run(self, experiment: OpenExperiment) -> bool:
        """Return whether the experiment may train: it was made here, or the user trusts it. Others are read-only."""
        return self._trust.standing_of(experiment.folder.path).may_run

    def adopt(self, experiment: OpenExperiment) -> bool:
        """Allow a use that the user requests. An experiment found in the runs folder becomes the user's own.

        Returns whether it may be used. Raises OSError.
        """
        return self._trust.adopt(experiment.folder.path)

    def forget_experiment(self, experiment_id: str) -> None:
        """Close an experiment that is deleted."""
        with self._lock:
            experiment = self._experiments.pop(experiment_id, None)
            self._seen.pop(experiment_id, None)
            self._damaged.pop(experiment_id, None)
        if experiment is not None:
            experiment.close()

    def _loop(self) -> None:
        while not self._closing.is_set():
            self._wake.wait(self._poll_seconds)
            self._wake.clear()
            for experiment in self.experiments():
                if self._closing.is_set():
                    return
                with experiment.lock:
                    if not self._resting.is_set():
                        self._advance(experiment)

    def _advance(self, experiment: OpenExperiment) -> None:
        if not experiment.folder.path.is_dir():
            self._forget_if_deleted(experiment)
            return
        if experiment.is_over or experiment.stored.is_newer:
            return
        if not self.may_run(experiment):
            experiment.problem = MADE_ELSEWHERE
            self._announce_change(experiment)
            return
        try:
            if experiment.control.desired == "stop":
                self._follower.pause_all(experiment)
            else:
                self._continue(experiment)
            experiment.problem = None
        except (NotEnoughDisk, OSError) as error:
            experiment.problem = f"{error} It continues when there is room."
        except Exception as error:  # an error in one experiment must not block others
            is_expected = isinstance(error, RlvizError | DatabaseError)
            problem = str(error) if is_expected else f"{type(error).__name__}: see the log of the service."
            if problem != experiment.problem:  # it is retried every second
                log.exception("Experiment %s cannot continue", experiment.id)
            experiment.problem = problem
        self._announce_change(experiment)

    def _forget_if_deleted(self, experiment: OpenExperiment) -> None:
        """Forget the experiment if its folder was deleted by hand, but not if the disk is briefly unavailable."""
        if experiment.folder.root.is_dir():
            self.forget_experiment(experiment.id)
            self._events.publish(ExperimentChanged(experiment.id))

    def _continue(self, experiment: OpenExperiment) -> None:
        failed = experiment.fast_failure()
        if failed is None:
            self._follower.follow(experiment)
            failed = experiment.fast_failure()
        if failed is None:
            self._start_trials(experiment)
        else:
            self._end(experiment, failed)

    def _start_trials(self, experiment: OpenExperiment) -> None:
        """Start trials while there is room, and end the experiment if none is left."""
        free = self._free_places(experiment)
        while free > 0:
            trial = next(iter(experiment.waiting()), None)
            if trial is None and not experiment.proposer.has_more(experiment.run_specs.keys()):
                break
            if self._is_spent(experiment):
                self._end_when_done(experiment, skipping=LIMITED)
                return
            trial = trial or self._propose(experiment)
            if trial is None:
                break
            self._start_trial(experiment, trial)
            free -= trial.is_begun
        self._end_when_done(experiment)

    def _free_places(self, experiment: OpenExperiment) -> int:
        """Return how many more trials may start.

        A trial that waits for its score does not count, unless scoring falls behind or a search needs the score for its
        next proposal.
        """
        parallel = experiment.spec.parallel or self._settings.max_concurrent_runs
        training, scoring = self._follower.count_places(experiment)
        if experiment.spec.sweep is not None:
            return parallel - training - scoring
        return min(parallel - training, 2 * parallel - training - scoring)

    def _propose(self, experiment: OpenExperiment) -> Trial | None:
        """Return the next trial of a search; None while one is queued, since a later proposal knows more scores."""
        if self._follower.awaits_place(experiment):
            return None
        proposal = experiment.proposer.propose(experiment.run_specs.keys())
        if proposal is None:
            return None
        experiment.add(proposal)
        return next(iter(experiment.waiting()))

    def _start_trial(self, experiment: OpenExperiment, trial: Trial) -> None:
        self._disk.check()
        try:
            planned = self._runs.plan(experiment, trial)
        except (Conflict, InvalidRequest, NotFound, RunFolderError) as error:
            if experiment.spec.fork is not None:  # the run that it forks was deleted, or changed since
                experiment.record(trial, TrialState.FAILED, "", cause=f"It could not fork a run. {error}")
                return
            if not isinstance(error, InvalidRequest):
                raise
            # only a search proposes unchecked values
            experiment.record(trial, TrialState.FAILED, "", cause=str(error))
            experiment.proposer.failed(trial.variant, str(error), misfit=True)
            for other in experiment.trials_of_variant(trial.variant):
                if not other.is_final:
                    experiment.record(other, TrialState.FAILED, "", cause=str(error))
            return
        run_id = planned.config.run_id
        experiment.record(trial, TrialState.BEGUN, run_id)
        try:
            self._runs.add(planned, experiment.spec.sinks)
        except ArtifactNotFound as error:
            experiment.record(trial, TrialState.FAILED, run_id, cause=f"It could not fork a run. {error}")
        except (NotEnoughDisk, OSError) as error:
            experiment.record(trial, TrialState.LOST, run_id, cause=f"Its run could not be created: {error}")
            raise

    def _is_spent(self, experiment: OpenExperiment) -> bool:
        limits, now = experiment.spec.limits, self._age_clock()
        if limits == ExperimentLimits():
            return False
        with self._database.read() as session:
            rows = find_runs(session, experiment.run_ids)
        return (
            _is_reached(limits.seconds, training_seconds(rows, now))
            or _is_reached(limits.core_seconds, sum(row.core_seconds(now) for row in rows))
            or _is_reached(limits.steps, sum(row.step for row in rows))
        )

    def _end_when_done(self, experiment: OpenExperiment, skipping: str | None = None) -> None:
        if any(trial.is_begun for trial in experiment.trials.values()):
            return
        if skipping is None and experiment.waiting():
            return
        experiment.end(ExperimentControl(desired="end", skipped=skipping))
        self._publish_end(experiment)

    def _end(self, experiment: OpenExperiment, cause: str) -> None:
        """End a failed experiment and stop its runs."""
        self._follower.stop_all(experiment)
        experiment.end(ExperimentControl(desired="end", cause=cause))
        self._publish_end(experiment)

    def _publish_end(self, experiment: OpenExperiment) -> None:
        scored = sum(trial.score is not None for trial in experiment.trials.values())
        self._events.publish(ExperimentEnded(experiment.id, experiment.stored.name, scored, experiment.control.cause))

    def _announce_change(self, experiment: OpenExperiment) -> None:
        """Publish ExperimentChanged if something has changed."""
        now = (experiment.control, experiment.problem, [trial.last for trial in experiment.trials.values()])
        if self._seen.get(experiment.id) != now:
            self._seen[experiment.id] = now
            self._events.publish(ExperimentChanged(experiment.id))
            self._events.publish(TrialsChanged(experiment.id, is_over=experiment.is_over))


def _is_reached(limit: float | None, found: float) -> bool:
    return limit is not None and found >= limit
