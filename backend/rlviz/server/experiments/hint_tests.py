"""Test hints: train the same seeds without and with a suggested change, and rank later hints by the outcomes.

A test is an experiment whose specification names the hint (``tests``). Outcomes are computed from the experiments, so
nothing else is stored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from pydantic import Field, JsonValue

from rlviz.domain.config import Parent, RunConfig
from rlviz.domain.errors import (
    ArtifactNotFound,
    Conflict,
    ExperimentConflict,
    HintNotFound,
    InvalidRequest,
    NewerVersion,
    NotTrusted,
    RunFolderError,
    UnknownName,
)
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.experiments import ExperimentSpec, ForkPoint, HintTest, RunSpec, ScorePlan
from rlviz.domain.limits import DEFAULT_SCORED_EPISODES, LIMITS
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import usable_snapshots
from rlviz.server.catalog.models import RunRow
from rlviz.server.experiments.models import Experiment, ExperimentEstimate
from rlviz.server.experiments.scheduler import ExperimentScheduler
from rlviz.server.experiments.service import ExperimentService
from rlviz.server.experiments.summaries import outcome_of
from rlviz.server.metrics.hints import HintService
from rlviz.server.metrics.models import HintReport, RunHints, view_hints
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.forking import knobs_in_force_now
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.server.use_case import check_controlled
from rlviz.server.wire import Wire
from rlviz.settings import Settings
from rlviz.stats.hints import Hint, Review, SuggestedChange
from rlviz.stats.hints.outcomes import HintOutcome, HintRecord, OutcomeState, direction_of, rank_changes, rank_hints

SEEDS = 3
"""Seeds of a test; each is trained without and with the change."""

WHOLE = 0.05
"""Share of the timesteps up to which a hint that starts there is about the whole run."""

LEAST_LEFT = 0.2
"""Share of the timesteps that must be left after a snapshot for a test to start there."""


class HintTestPlan(Wire):
    """What a test of a hint would train."""

    run_id: str
    hint: str = Field(description="Id of the hint.")
    title: str = Field(description="Headline of the hint.")
    change: SuggestedChange
    before: JsonValue = Field(description="The current value of the hyperparameter.")
    changes: list[SuggestedChange] = Field(description="All changes of the hint that can be tested, the best first.")
    runs: int = Field(description="Runs that train: each seed without and with the change.")
    seeds: list[int]
    fork: ForkPoint | None = Field(description="Snapshot at which all runs start; null: new runs from the beginning.")
    why_new: str | None = Field(description="Why the test starts new runs, as a sentence; null: it forks the run.")
    steps: int = Field(description="Environment steps that each run trains.")
    total_timesteps: int = Field(description="Environment steps of all runs together.")
    episodes: int = Field(description="Episodes that give each run its score.")
    length_note: str | None
    notes: list[str] = Field(description="What differs from the run in all of the test's runs, as sentences.")
    core_seconds: float | None = Field(
        description="Processor time of the training at the pace of this run, or of earlier ones; null: unknown."
    )
    seconds: float | None = Field(description="Estimated duration of the training; null: unknown.")
    parallel: int = Field(description="Runs that train at the same time.")
    busy: int = Field(description="Other runs that train or wait now; the test may have to wait for them.")
    running: str | None = Field(description="Id of the experiment that already tests this change; null: none.")


@dataclass(frozen=True)
class _Subject:
    """The run, the hint and the change of a test."""

    row: RunRow
    folder: RunFolder
    config: RunConfig
    hint: Hint
    change: SuggestedChange
    changes: Sequence[SuggestedChange]
    before: JsonValue
    earlier: Sequence[HintOutcome]
    """Outcomes of tests of this hint on this run, oldest first."""

    @property
    def running(self) -> str | None:
        """The experiment that already tests the change."""
        tested = (self.change.name, self.change.value)
        going = (one for one in self.earlier if one.state is OutcomeState.RUNNING)
        return next((one.experiment_id for one in going if (one.name, one.value) == tested), None)


class HintTestService:
    """Starts tests of hints, and adds their outcomes to the hints."""

    def __init__(
        self,
        settings: Settings,
        runs: RunService,
        hints: HintService,
        scheduler: ExperimentScheduler,
        experiments: ExperimentService,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._runs, self._hints = settings, runs, hints
        self._scheduler, self._experiments, self._clock = scheduler, experiments, clock
        self._trust = TrustGuard(settings)
        self._starting = Lock()

    def outcomes(self) -> list[HintOutcome]:
        """Return the outcomes of all tests, oldest first; without those of experiments that are not trusted."""
        found = []
        for experiment in reversed(self._scheduler.experiments()):
            if experiment.spec.tests is None or not self._scheduler.may_run(experiment):
                continue
            with experiment.lock:
                outcome = outcome_of(experiment)
            if outcome is not None:
                found.append(outcome)
        return found

    def hints(self, run_id: str) -> RunHints:
        """Return the hints of a run, ranked by earlier tests, with their outcomes.

        Raises RunNotFound, or ArtifactNotFound if its folder is gone.
        """
        seen = self._hints.find_hints(run_id)
        row = self._runs.get(run_id)
        outcomes = self.outcomes()
        is_testable = self._is_testable(row)

        def report(hint: Hint) -> HintReport:
            record = _record(outcomes, row, hint)
            changes = self._ranked_changes(row, hint, record)
            return HintReport(
                changes=changes,
                testable=[change.name for change in changes] if is_testable else [],
                record=record.sentence(_algorithm_name(row.algo), row.env_id),
                tests=[one for one in reversed(outcomes) if (one.run_id, one.hint) == (run_id, hint.id)],
            )

        ranked = rank_hints(seen.hints, lambda hint: _record(outcomes, row, hint))
        return view_hints(run_id, Review(ranked, seen.findings), report)

    def plan(self, run_id: str, hint_id: str, name: str | None = None) -> HintTestPlan:
        """Return what a test would train. ``name``: the hyperparameter; None: the change that helped most.

        Raises RunNotFound, HintNotFound, Conflict, UnknownName, InvalidRequest or RunFolderError.
        """
        subject = self._subject(run_id, hint_id, name)
        spec, why_new = self._specify(subject)
        estimate = self._experiments.estimate(spec)
        core_seconds = self._core_seconds(subject.row, estimate)
        parallel = min(estimate.trials, self._settings.max_concurrent_runs)
        return HintTestPlan(
            run_id=run_id,
            hint=hint_id,
            title=subject.hint.title,
            change=subject.change,
            before=subject.before,
            changes=list(subject.changes),
            runs=estimate.trials,
            seeds=list(spec.seed_list),
            fork=spec.fork,
            why_new=why_new,
            steps=estimate.total_timesteps // estimate.trials,
            total_timesteps=estimate.total_timesteps,
            episodes=spec.score.episodes,
            length_note=estimate.length_note,
            notes=_notes(subject),
            core_seconds=core_seconds,
            seconds=None if core_seconds is None else core_seconds / parallel,
            parallel=parallel,
            busy=sum(self._runs.load()),
            running=subject.running,
        )

    def start(self, run_id: str, hint_id: str, name: str | None = None) -> Experiment:
        """Start a test. Raises ExperimentConflict if one runs already, NotEnoughDisk, and the errors of ``plan``."""
        with self._starting:
            subject = self._subject(run_id, hint_id, name)
            if subject.running is not None:
                raise ExperimentConflict(
                    f"Experiment {subject.running!r} already tests this change. Wait for it to end, or delete it."
                )
            self._trust.admit(subject.folder)
            return self._experiments.create(self._specify(subject)[0])

    def _subject(self, run_id: str, hint_id: str, name: str | None) -> _Subject:
        row = self._runs.get(run_id)
        check_controlled(row)
        folder = self._runs.folder(run_id)
        folder.check()
        if not self._trust.standing_of(folder.path).is_usable:
            raise NotTrusted(run_id)
        hint = next((one for one in self._hints.find_hints(run_id).hints if one.id == hint_id), None)
        if hint is None:
            raise HintNotFound(f"Run {run_id!r} has no hint {hint_id[:80]!r} now.")
        outcomes = self.outcomes()
        changes = self._ranked_changes(row, hint, _record(outcomes, row, hint))
        if not changes:
            raise Conflict(f"Hint {hint_id!r} suggests no change of a hyperparameter that can be tested.")
        names = [change.name for change in changes]
        if name is not None and name not in names:
            raise UnknownName("change", name, names, "/change")
        config = folder.config_to_go_on()
        change = changes[0] if name is None else changes[names.index(name)]
        return _Subject(
            row=row,
            folder=folder,
            config=config,
            hint=hint,
            change=change,
            changes=changes,
            before=_settings_now(folder, config)[change.name],
            earlier=[one for one in outcomes if (one.run_id, one.hint) == (run_id, hint_id)],
        )

    def _ranked_changes(self, row: RunRow, hint: Hint, record: HintRecord) -> list[SuggestedChange]:
        """Return the changes that a fork accepts and that change something, the best first."""
        if not hint.changes:
            return []
        folder = self._runs.folder(row.id)
        accepted = self._hints.changes(row.id, hint)
        now = _settings_now(folder, folder.read_config()) if accepted else {}
        changes = [one for one in accepted if now.get(one.name) != one.value]
        return rank_changes(changes, record, lambda one: f"{direction_of(now.get(one.name), one.value)} {one.name}")

    def _is_testable(self, row: RunRow) -> bool:
        """Return whether runs like this one may train here."""
        if row.actor.is_guest:
            return False
        with suppress(NewerVersion, RunFolderError, ArtifactNotFound):
            folder = self._runs.folder(row.id)
            folder.config_to_go_on()
            return self._trust.standing_of(folder.path).is_usable
        return False

    def _specify(self, subject: _Subject) -> tuple[ExperimentSpec, str | None]:
        """Return the experiment, and why it starts new runs; None if it forks the run.

        Raises InvalidRequest if the change does not fit.
        """
        point, why_new = fork_point(subject.folder, subject.row, subject.hint)
        try:
            return self._checked(subject, point), why_new
        except InvalidRequest:
            if point is None:
                raise
            why_new = "A fork at a snapshot does not accept this change, so new runs start from the beginning."
            return self._checked(subject, None), why_new

    def _checked(self, subject: _Subject, point: ForkPoint | None) -> ExperimentSpec:
        spec = specification_of(subject, point)
        self._experiments.estimate(spec)
        return spec

    def _core_seconds(self, row: RunRow, estimate: ExperimentEstimate) -> float | None:
        """Return the processor seconds of the training at the pace of the run; if it is unknown, at that of others."""
        first = 0 if row.parent is None else Parent.model_validate(row.parent).step
        spent, done = row.core_seconds(self._clock()), row.step - first
        if spent <= 0 or done <= 0:
            return estimate.core_seconds
        return estimate.total_timesteps * spent / done


def fork_point(folder: RunFolder, row: RunRow, hint: Hint) -> tuple[ForkPoint | None, str | None]:
    """Return the newest snapshot before what the hint is about, or None and the reason, as a sentence."""
    total = row.total_timesteps
    if hint.from_step <= WHOLE * total:
        return None, "The hint is about the run from the beginning on, so new runs start there."
    before = [one for one in usable_snapshots(folder) if not one.is_inherited and one.manifest.step <= hint.from_step]
    found = before[-1] if before else None
    if found is None:
        return None, (
            f"The run has no snapshot at or before step {hint.from_step:,}, where the hint starts, so new runs start "
            "from the beginning."
        )
    if total - found.manifest.step < LEAST_LEFT * total:
        return None, (
            f"After the snapshot at step {found.manifest.step:,}, too few of the {total:,} steps are left to show an "
            "effect, so new runs start from the beginning."
        )
    return ForkPoint(run_id=row.id, snapshot=found.name, step=found.manifest.step), None


def specification_of(subject: _Subject, point: ForkPoint | None) -> ExperimentSpec:
    """Return the experiment that trains the same seeds without and with the change, for the same number of steps."""
    config, change = subject.config, subject.change
    base = RunSpec(
        algo=config.algo,
        env_id=config.env_id,
        preset=None,
        total_timesteps=subject.row.total_timesteps,
        env_options=config.env_options,
        hyperparameters=_settings_now(subject.folder, config),
        evaluation=config.evaluation.model_copy(update={"stop_after": None}),
        snapshots=subject.folder.snapshot_plan(config),
        exploration=config.exploration if point is None else None,
        reward=config.reward if point is None else None,
    )
    direction = direction_of(subject.before, change.value)
    name = f"Test: {direction} {change.name} of {_algorithm_name(config.algo)} on {config.env_id}"
    return ExperimentSpec(
        name=name[: LIMITS.run_name.maximum],
        base=base,
        grid={change.name: [subject.before, change.value]},
        seeds=_fresh_seeds(config.seed, len(subject.earlier)),
        parallel=2 * SEEDS,  # all runs are queued at once, so each has its copy of the snapshot
        score=ScorePlan(
            episodes=DEFAULT_SCORED_EPISODES,
            policy=PolicyChoice.LATEST,
            deterministic=config.evaluation.is_greedy,
        ),
        fork=point,
        tests=HintTest(run_id=config.run_id, hint=subject.hint.id, title=subject.hint.title),
    )


def _fresh_seeds(own: int, tests: int) -> list[int]:
    """Return seeds that neither the run nor one of its ``tests`` earlier tests has used."""
    first = own + 1 + tests * SEEDS
    if first + SEEDS > LIMITS.seed.maximum:
        first = 1 + tests * SEEDS
    return list(range(first, first + SEEDS))


def _notes(subject: _Subject) -> list[str]:
    notes = []
    if subject.folder.rules(subject.config):
        notes.append("The rules of the run do not apply, so that all runs train equally.")
    if subject.config.evaluation.stop_after is not None:
        notes.append("The runs do not end early when the task is solved, so that all train for the same steps.")
    return notes


def _settings_now(folder: RunFolder, config: RunConfig) -> dict[str, JsonValue]:
    """Return every hyperparameter with its current value, including those changed while the run trained."""
    completed = ALGORITHMS.get(config.algo).completed(config.hyperparameters)
    return {**completed, **knobs_in_force_now(folder, config)}


def _record(outcomes: Sequence[HintOutcome], row: RunRow, hint: Hint) -> HintRecord:
    """Return the complete tests of this kind of hint with the run's algorithm in its environment."""
    kind = (hint.id, row.algo, row.env_id)
    return HintRecord(
        tuple(
            one for one in outcomes if one.state is OutcomeState.COMPLETE and (one.hint, one.algo, one.env_id) == kind
        )
    )


def _algorithm_name(algo: str) -> str:
    return ALGORITHMS.get(algo).name if algo in ALGORITHMS.names() else algo
