"""ExperimentScheduler: begins trials as long as there is a place for one, and ends an experiment that is done.

All that it knows is in the folders of the experiments and in the catalogue. A line of ``trials.jsonl`` is written
before the run that it names is created, so a service that is killed in between leaves a trial whose run does not exist,
which the next one begins anew; and a run that was scored is never trained or scored again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from threading import Event, RLock, Thread

from sqlalchemy.exc import DatabaseError

from rlviz.catalog.database import Database
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.catalog.runs import find_runs
from rlviz.domain.clocks import AgeClock
from rlviz.domain.errors import (
    InvalidRequest,
    NotEnoughDisk,
    RlvizError,
)
from rlviz.domain.experiments import ExperimentControl, ExperimentLimits, TrialState
from rlviz.domain.status import RunStatus
from rlviz.rundir.experiment_folder import ExperimentFolder, experiment_folders, remove_experiment_drafts
from rlviz.rundir.trash import Trash
from rlviz.services.experiments.following import TrialFollower
from rlviz.services.experiments.greedy_returns import GreedyReturns
from rlviz.services.experiments.open_experiment import OpenExperiment, Trial
from rlviz.services.experiments.scoring import Scorer
from rlviz.services.experiments.summaries import training_seconds
from rlviz.services.experiments.trial_runs import TrialRuns
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.supervision.trust_guard import TrustGuard
from rlviz.settings import Settings

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often experiments are looked after though nothing was heard of their runs."""

MADE_ELSEWHERE = (
    "It was found in the runs folder: an earlier version made it, or it was copied there. Nothing of it is trained "
    "before you resume it."
)

LIMITED = "It had reached its limit before all of its trials were trained."


class ExperimentScheduler:
    """A thread of its own. ``consider`` and ``wake`` are for every thread."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        broadcast: Broadcast,
        trash: Trash,
        runs: TrialRuns,
        scorer: Scorer,
        *,
        on_ended: Callable[[OpenExperiment], None],
        on_changed: Callable[[OpenExperiment], None],
        clock: Callable[[], float] = time.time,
        age_clock: Callable[[], float] | None = None,
    ) -> None:
        """``on_ended``: told of each experiment that was completed or has failed; ``on_changed``: also of each that
        goes on, whenever a trial of it has begun or ended. ``age_clock``: for limits on time; None for its own."""
        self._settings, self._database, self._broadcast = settings, database, broadcast
        self._on_changed = on_changed
        self._runs, self._on_ended, self._clock = runs, on_ended, clock
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

    def consider(self, row: RunRow) -> None:
        """Cheap. A run has changed."""
        if row.state.is_final or row.state is RunStatus.STARTING:  # it has a place: a search may propose the next
            self._wake.set()

    def consider_evaluation(self, row: EvaluationRow) -> None:
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
            self._broadcast.experiment_changed(experiment.id)

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
        self._on_ended(experiment)

    def _end(self, experiment: OpenExperiment, cause: str) -> None:
        """It failed: nothing more is begun, and what trains is stopped."""
        self._follower.stop_all(experiment)
        experiment.end(ExperimentControl(desired="end", cause=cause))
        self._on_ended(experiment)

    def _announce_change(self, experiment: OpenExperiment) -> None:
        """Tell the streams if something has changed."""
        now = (experiment.control, experiment.problem, [trial.last for trial in experiment.trials.values()])
        if self._seen.get(experiment.id) != now:
            self._seen[experiment.id] = now
            self._broadcast.experiment_changed(experiment.id)
            self._on_changed(experiment)


def _is_reached(limit: float | None, found: float) -> bool:
    return limit is not None and found >= limit
