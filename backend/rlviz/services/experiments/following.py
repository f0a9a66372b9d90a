"""TrialFollower: follows the run of each trial to its score, and notes what has become of it."""

from __future__ import annotations

from collections.abc import Mapping

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import find_runs
from rlviz.domain.disk_full import is_for_want_of_room
from rlviz.domain.errors import (
    ArtifactNotFound,
    IllegalTransition,
    NothingToResume,
    RunFolderError,
    RunIsActive,
    SnapshotRefused,
)
from rlviz.domain.experiments import FailMode, TrialState
from rlviz.domain.status import APP_ENDED, RunStatus
from rlviz.rundir.trash import Trash
from rlviz.search.proposer import SeedReturns
from rlviz.services.experiments.greedy_returns import GreedyReturns
from rlviz.services.experiments.open_experiment import OpenExperiment, Trial
from rlviz.services.experiments.scoring import Scorer
from rlviz.services.experiments.trial_runs import TrialRuns

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
            case RunStatus.FAILED if not is_for_want_of_room(row.cause):
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
