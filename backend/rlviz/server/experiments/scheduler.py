"""ExperimentScheduler: begins trials as long as there is a place for one, and ends an experiment that is done.

All that it knows is in the folders of the experiments and in the catalogue. A line of ``trials.jsonl`` is written
before the run that it names is created, so a service that is killed in between leaves a trial whose run does not exist,
which the next one begins anew; and a run that was scored is never trained or scored again.

TrialRuns: the runs of trials, created and steered by the use cases that people's runs are.

TrialFollower: follows the run of each trial to its score, and notes what has become of it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, RLock, Thread

from sqlalchemy.exc import DatabaseError

from rlviz.domain.clocks import AgeClock
from rlviz.domain.config import ExperimentPlace, RunConfig
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
from rlviz.domain.experiments import ExperimentControl, ExperimentLimits, FailMode, RunSpec, TrialState
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
from rlviz.server.experiments.scoring import GreedyReturns, Scorer
from rlviz.server.experiments.summaries import training_seconds
from rlviz.server.runs.configuration import NewRun
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.resuming import ResumeService
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrialRuns:
    _runs: RunService
    _resuming: ResumeService
    _deliveries: LiveDeliveries

    def configure(self, experiment: OpenExperiment, trial: Trial) -> RunConfig:
        """The configuration of a new run for ``trial``. Raises InvalidRequest."""
        wanted = experiment.trained(trial.variant)
        if experiment.stored.resolved:  # its values are those of its preset already, whatever has become of that since
            config = self.resolve(
                wanted.model_copy(update={"preset": None}), trial.seed, experiment.spec.memory_per_worker
            )
            config = config.model_copy(update={"preset": wanted.preset})
        else:
            config = self.resolve(wanted, trial.seed, experiment.spec.memory_per_worker)
        place = ExperimentPlace(id=experiment.id, variant=trial.variant, trial=trial.number)
        first = experiment.groups.get(trial.variant)
        # A variant's name says what it is; “Trial 3” says so only with the name of its search.
        name = trial.label if experiment.spec.sweep is None else f"{trial.label}, {experiment.stored.name}"
        return config.model_copy(
            update={"experiment": place, "group_id": first, "name": name[: LIMITS.run_name.maximum]}
        )

    def resolve(self, run_spec: RunSpec, seed: int, memory: int | None = None) -> RunConfig:
        """What would be trained. Raises InvalidRequest."""
        given = {name: getattr(run_spec, name) for name in RunSpec.model_fields}
        return self._runs.resolve(NewRun(**given, seed=seed), memory_per_worker=memory)

    def add(self, config: RunConfig, sinks: Sequence[SinkKind] = ()) -> RunRow:
        """Create the run with its sinks and queue it. Raises NotEnoughDisk or OSError."""
        row = self._runs.add(config, sinks)
        if sinks:
            self._deliveries.renew(row.id)
        return row

    def start(self, run_id: str) -> None:
        self._runs.start(run_id)

    def stop(self, run_id: str, reason: str) -> None:
        """One that has ended, or is gone, is left alone."""
        with suppress(Conflict, NotFound):
            self._runs.stop(run_id, reason)

    def pause(self, run_id: str, reason: str) -> None:
        self._resuming.pause(run_id, reason)

    def resume(self, run_id: str) -> None:
        self._resuming.resume(run_id)


MOST_LOST = 100
"""Attempts of a trial that may be cut off, from outside or by a full disk, before it fails."""

STOPPED = "Its experiment was stopped."
PRUNED = "It fell behind other trials of the search."
DELETED = "Its run was deleted."
ANOTHER_FAILED = "Another trial of its experiment failed."

AWAITS_PLACE = (RunStatus.CREATED, RunStatus.QUEUED)
PAUSES = (RunStatus.PAUSED, RunStatus.PAUSING)


class TrialFollower:
    """For one thread, which holds the lock of the experiment that it passes."""

    def __init__(
        self, database: Database, trash: Trash, runs: TrialRuns, scorer: Scorer, greedy: GreedyReturns
    ) -> None:
        self._database, self._trash, self._runs, self._scorer = database, trash, runs, scorer
        self._greedy = greedy

    def follow(self, experiment: OpenExperiment) -> None:
        """Note which trials have ended, and go on with runs that were cut off.

        Raises NotEnoughDisk or OSError; what was noted until then stays noted.
        """
        rows = self._rows(experiment)
        for trial in list(experiment.trials.values()):
            if trial.is_begun and trial.run_id is not None:
                try:
                    self._follow_one(experiment, trial, trial.run_id, rows.get(trial.run_id))
                except ArtifactNotFound:  # somebody has removed its folder by hand
                    self._fail(experiment, trial, trial.run_id, DELETED, again=False)
        if experiment.spec.sweep is not None:
            for variant in {trial.variant for trial in experiment.trials.values() if trial.is_begun}:
                self._prune(experiment, variant, rows)
        with self._database.read() as session:  # one whose old worker lives a moment longer is resumed next time
            left = find_runs(session, [run_id for run_id, row in rows.items() if row.state in PAUSES])
        experiment.resumes_paused = experiment.resumes_paused and any(row.state in PAUSES for row in left)

    def places(self, experiment: OpenExperiment) -> tuple[int, int]:
        """How many trials train, or are about to, and how many are trained and wait for their score."""
        rows = self._rows(experiment)
        begun = [trial for trial in experiment.trials.values() if trial.is_begun]
        trained = [rows[one.run_id or ""].state is RunStatus.COMPLETED for one in begun if one.run_id in rows]
        return len(begun) - sum(trained), sum(trained)

    def awaits_place(self, experiment: OpenExperiment) -> bool:
        """Whether the run of a trial has not got a place to train at yet."""
        return any(row.state in AWAITS_PLACE for row in self._rows(experiment).values())

    def hold(self, experiment: OpenExperiment) -> None:
        """Pause what trains, and score what is trained; what only waits begins anew when the experiment goes on."""
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
        """Stop what trains, since a trial that failed ends the experiment."""
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
        except IllegalTransition:  # it has ended meanwhile
            return

    def _give_up(self, experiment: OpenExperiment, trial: Trial, run_id: str) -> None:
        self._runs.stop(run_id, STOPPED)
        experiment.note(trial, TrialState.LOST, run_id, cause=STOPPED)

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
                cause = "It was stopped before its end." if row.ended_early is None else str(row.cause)
                self._fail(experiment, trial, run_id, cause, again=False)
            case RunStatus.FAILED if not is_disk_full_cause(row.cause):
                self._fail(experiment, trial, run_id, row.cause or "Training failed.")
            case RunStatus.FAILED | RunStatus.STOPPED | RunStatus.INTERRUPTED:
                self._go_on(experiment, trial, row)
            case RunStatus.PAUSED:
                if experiment.resumes_paused:
                    self._go_on(experiment, trial, row)

    def _lose(self, experiment: OpenExperiment, trial: Trial, run_id: str) -> None:
        """Its run does not exist: it was deleted, or the service was killed before it created it."""
        if run_id in self._trash.run_ids():
            self._fail(experiment, trial, run_id, DELETED, again=False)
        else:
            experiment.note(trial, TrialState.LOST, run_id, cause="The app ended before its run was created.")

    def _go_on(self, experiment: OpenExperiment, trial: Trial, row: RunRow) -> None:
        """Resume it exactly where it was, or train it anew if it left no snapshot."""
        times = trial.lost + row.attempt
        if times > MOST_LOST:
            self._fail(experiment, trial, row.id, f"It was cut off {times} times: {row.cause}", again=False)
            return
        try:
            self._runs.resume(row.id)
        except (RunIsActive, IllegalTransition):  # its old worker lives a moment longer, or it was resumed already
            return
        except (NothingToResume, SnapshotRefused, RunFolderError) as error:
            experiment.note(trial, TrialState.LOST, row.id, cause=str(error))

    def _score(self, experiment: OpenExperiment, trial: Trial, run_id: str) -> None:
        found = self._scorer.score(run_id, experiment.spec.score)
        if found is None:
            return
        if isinstance(found, str):
            self._fail(experiment, trial, run_id, found, again=False)
            return
        experiment.note(trial, TrialState.SCORED, run_id, score=found)
        experiment.report_if_finished(trial.variant)

    def _fail(self, experiment: OpenExperiment, trial: Trial, run_id: str, cause: str, *, again: bool = True) -> None:
        """``again``: whether another attempt may do better."""
        spec = experiment.spec
        if again and spec.fail_mode is FailMode.RETRY and trial.failures < spec.most_retries:
            experiment.note(trial, TrialState.RETRIED, run_id, cause=cause)
            return
        experiment.note(trial, TrialState.FAILED, run_id, cause=cause)
        experiment.report_if_finished(trial.variant)

    def _prune(self, experiment: OpenExperiment, variant: str, rows: Mapping[str, RunRow]) -> None:
        """Give up a variant of a search that falls behind, by what all of its seeds have come to, also those that were
        trained before this service began."""
        trials = experiment.of_variant(variant)
        training = [one for one in trials if one.is_begun and _trains(rows.get(one.run_id or ""))]
        judged = [one for one in trials if one.is_begun or one.score is not None]
        if not training:
            return
        seeds = [SeedReturns(self._greedy.of(one.run_id), one in training) for one in judged if one.run_id]
        if not experiment.proposer.evaluated(variant, seeds):
            return
        for other in trials:
            if not other.is_final:
                trains = other.run_id if other.is_begun else None
                experiment.note(other, TrialState.PRUNED, other.run_id or "", cause=PRUNED)
                if trains is not None:
                    self._runs.stop(trains, PRUNED)


def _trains(row: RunRow | None) -> bool:
    return row is not None and not row.state.is_final


LOOK_SECONDS = 1.0
"""How often experiments are looked after though nothing was heard of their runs."""

MADE_ELSEWHERE = (
    "It was found in the runs folder: an earlier version made it, or it was copied there. Nothing of it is trained "
    "before you resume it."
)

LIMITED = "It had reached its limit before all of its trials were trained."


class ExperimentScheduler:
    """A thread of its own. ``handle_run``, ``handle_evaluation`` and ``wake`` may be called from every thread."""

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
    ) -> None:
        """``age_clock``: for limits on time; None for its own."""
        self._settings, self._database, self._events = settings, database, events
        self._runs, self._clock = runs, clock
        self._age_clock = age_clock or AgeClock()
        self._follower = TrialFollower(database, trash, runs, scorer, GreedyReturns(settings.runs_dir))
        self._disk, self._trust = DiskGuard(settings), TrustGuard(settings)
        self._experiments: dict[str, OpenExperiment] = {}
        self._damaged: dict[str, str] = {}
        self._lock = RLock()
        self._wake, self._resting, self._closing = Event(), Event(), Event()
        self._seen: dict[str, object] = {}
        self._thread = Thread(target=self._loop, name="experiments", daemon=True)

    def start(self) -> None:
        """Take up every experiment that shall go on."""
        remove_experiment_drafts(self._settings.runs_dir)
        for folder in experiment_folders(self._settings.runs_dir):
            try:
                self.open(folder)
            except (RlvizError, OSError) as error:
                self._damaged[folder.id] = str(error)
                log.warning("Experiment %s cannot be read: %s", folder.id, error)
        self._thread.start()

    def rest(self) -> None:
        """From now on begin nothing and note nothing: the app ends, and the next one goes on."""
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
        """Cheap. A run has changed."""
        if row.state.is_final or row.state is RunStatus.STARTING:  # it has a place: a search may propose the next
            self._wake.set()

    def handle_evaluation(self, row: EvaluationRow) -> None:
        """Cheap. An evaluation has changed."""
        if row.parsed().status.is_final:
            self._wake.set()

    def has_run(self, run_id: str) -> bool:
        """Whether it belongs to an experiment."""
        with self._lock:
            return any(run_id in experiment.known_runs for experiment in self._experiments.values())

    def experiments(self) -> list[OpenExperiment]:
        """Newest first."""
        with self._lock:
            return sorted(self._experiments.values(), key=lambda experiment: experiment.id, reverse=True)

    def damaged(self) -> Mapping[str, str]:
        """What is wrong, by the id of each experiment that cannot be read."""
        return dict(self._damaged)

    def open(self, folder: ExperimentFolder) -> OpenExperiment:
        """The experiment in ``folder``. Raises what OpenExperiment does."""
        with self._lock:
            experiment = self._experiments.get(folder.id)
            if experiment is None:
                experiment = self._experiments[folder.id] = OpenExperiment(folder, self._clock)
                experiment.resumes_paused = experiment.control.desired == "run"
            return experiment

    def may_run(self, experiment: OpenExperiment) -> bool:
        """Whether it was made here, or the user trusts what lies in the runs folder. Others are only looked at."""
        return self._trust.standing_of(experiment.folder.path).may_run

    def adopt(self, experiment: OpenExperiment) -> bool:
        """The user asks for a use of it: one that was found in the runs folder is their own from now on. Returns
        whether it may be used. Raises OSError."""
        return self._trust.adopt(experiment.folder.path)

    def forget(self, experiment_id: str) -> None:
        with self._lock:
            experiment = self._experiments.pop(experiment_id, None)
            self._seen.pop(experiment_id, None)
            self._damaged.pop(experiment_id, None)
        if experiment is not None:
            experiment.close()

    def _loop(self) -> None:
        while not self._closing.is_set():
            self._wake.wait(LOOK_SECONDS)
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
                self._follower.hold(experiment)
            else:
                self._go_on(experiment)
            experiment.problem = None
        except (NotEnoughDisk, OSError) as error:
            experiment.problem = f"{error} It goes on when there is room."
        except Exception as error:  # one experiment that cannot go on holds up no other
            is_expected = isinstance(error, RlvizError | DatabaseError)
            problem = str(error) if is_expected else f"{type(error).__name__}: see the log of the service."
            if problem != experiment.problem:  # it is tried again every second
                log.exception("Experiment %s is held up", experiment.id)
            experiment.problem = problem
        self._announce_change(experiment)

    def _forget_if_deleted(self, experiment: OpenExperiment) -> None:
        """Somebody has deleted its folder by hand; a disk that is away for a moment takes those of all others along."""
        if experiment.folder.root.is_dir():
            self.forget(experiment.id)
            self._events.publish(ExperimentChanged(experiment.id))

    def _go_on(self, experiment: OpenExperiment) -> None:
        failed = experiment.fast_failure()
        if failed is None:
            self._follower.follow(experiment)
            failed = experiment.fast_failure()
        if failed is None:
            self._begin(experiment)
        else:
            self._end(experiment, failed)

    def _begin(self, experiment: OpenExperiment) -> None:
        """Begin trials as long as there is a place for one, and end the experiment if nothing is left."""
        free = self._free_places(experiment)
        while free > 0:
            trial = next(iter(experiment.waiting()), None)
            if trial is None and not experiment.proposer.has_more(experiment.run_specs.keys()):
                break
            if self._is_spent(experiment):
                self._end_when_done(experiment, skipping=LIMITED)
                return
            trial = trial or self._proposed(experiment)
            if trial is None:
                break
            self._begin_one(experiment, trial)
            free -= trial.is_begun
        self._end_when_done(experiment)

    def _free_places(self, experiment: OpenExperiment) -> int:
        """One that is trained leaves its place to the next while it is scored, unless scoring falls behind; but a
        search proposes by the scores of all that it can have."""
        parallel = experiment.spec.parallel or self._settings.max_concurrent_runs
        training, scoring = self._follower.places(experiment)
        if experiment.spec.sweep is not None:
            return parallel - training - scoring
        return min(parallel - training, 2 * parallel - training - scoring)

    def _proposed(self, experiment: OpenExperiment) -> Trial | None:
        """The next trial of a search. While one waits for a place that other runs have, there is none: what is proposed
        later knows more scores."""
        if self._follower.awaits_place(experiment):
            return None
        proposal = experiment.proposer.propose(experiment.run_specs.keys())
        if proposal is None:
            return None
        experiment.add(proposal)
        return next(iter(experiment.waiting()))

    def _begin_one(self, experiment: OpenExperiment, trial: Trial) -> None:
        self._disk.check()
        try:
            config = self._runs.configure(experiment, trial)
        except InvalidRequest as error:  # only a search proposes what was not checked before
            experiment.note(trial, TrialState.FAILED, "", cause=str(error))
            experiment.proposer.failed(trial.variant, str(error), misfit=True)
            for other in experiment.of_variant(trial.variant):
                if not other.is_final:
                    experiment.note(other, TrialState.FAILED, "", cause=str(error))
            return
        experiment.note(trial, TrialState.BEGUN, config.run_id)
        try:
            self._runs.add(config, experiment.spec.sinks)
        except (NotEnoughDisk, OSError) as error:
            experiment.note(trial, TrialState.LOST, config.run_id, cause=f"Its run could not be created: {error}")
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
        """It failed: nothing more is begun, and what trains is stopped."""
        self._follower.stop_all(experiment)
        experiment.end(ExperimentControl(desired="end", cause=cause))
        self._publish_end(experiment)

    def _publish_end(self, experiment: OpenExperiment) -> None:
        scored = sum(trial.score is not None for trial in experiment.trials.values())
        self._events.publish(ExperimentEnded(experiment.id, experiment.stored.name, scored, experiment.control.cause))

    def _announce_change(self, experiment: OpenExperiment) -> None:
        """Tell the streams if something has changed."""
        now = (experiment.control, experiment.problem, [trial.last for trial in experiment.trials.values()])
        if self._seen.get(experiment.id) != now:
            self._seen[experiment.id] = now
            self._events.publish(ExperimentChanged(experiment.id))
            self._events.publish(TrialsChanged(experiment.id, is_over=experiment.is_over))


def _is_reached(limit: float | None, found: float) -> bool:
    return limit is not None and found >= limit
