"""Compute the progress of experiments: a cheap summary for lists, and the full state with every trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from rlviz.domain.experiments import CellStatus, ExperimentStatus, RunSpec, TrialState
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.status import RunStatus
from rlviz.server.catalog.models import RunRow
from rlviz.server.experiments.lengths import end_of, ends_of, length_note
from rlviz.server.experiments.models import Experiment, ExperimentCell, ExperimentSummary, ExperimentVariant
from rlviz.server.experiments.open_experiment import SEARCHED, OpenExperiment, Trial
from rlviz.stats.hints.outcomes import HintChange, HintOutcome, hint_outcome
from rlviz.stats.return_curve import SPARKLINE_POINTS, thin_sparkline

OVER = (ExperimentStatus.COMPLETED, ExperimentStatus.FAILED)

LEAST_PROGRESS = 0.01
"""Share of all steps from which the time left can be estimated."""

_FINAL = {
    TrialState.SCORED: CellStatus.SCORED,
    TrialState.FAILED: CellStatus.FAILED,
    TrialState.PRUNED: CellStatus.PRUNED,
}
_BEGUN = {
    RunStatus.QUEUED: CellStatus.WAITING,
    RunStatus.PAUSED: CellStatus.PAUSED,
    RunStatus.COMPLETED: CellStatus.SCORING,
}
"""Status of a started trial by the status of its run; in all other statuses it trains."""


def summary_of(
    experiment: OpenExperiment, rows: Mapping[str, RunRow], *, now: float, parallel: int
) -> ExperimentSummary:
    """Return the summary. The caller holds the experiment's lock.

    Args:
        experiment: The experiment.
        rows: Rows of its runs by id.
        now: Unix seconds.
        parallel: Number of runs that train at the same time.
    """
    control, status = experiment.control, status_of(experiment)
    trials = [(trial, rows.get(trial.run_id or "")) for trial in experiment.trials.values()]
    planned = max(experiment.spec.cells, len(trials))
    ends = _ends(experiment, trials, planned)
    lengths = [most for _, most in ends]
    first = experiment.spec.first_step
    shares = [progress_of(trial, row, first) for trial, row in trials]
    total = sum(lengths)
    progress = sum(share * length for share, length in zip(shares, lengths, strict=False)) / total
    trained = sum(row.clock.at(now) for row in rows.values() if row.attempts)
    is_running = status is ExperimentStatus.RUNNING
    return ExperimentSummary(
        id=experiment.id,
        name=experiment.stored.name,
        created_at=experiment.stored.created_at,
        status=status,
        cause=control.cause or control.skipped,
        problem=experiment.problem if is_running or experiment.stored.is_newer else None,
        searches=experiment.spec.sweep is not None,
        trials=planned,
        total_timesteps=total,
        least_timesteps=sum(least for least, _ in ends),
        length_note=length_note(experiment.spec, experiment.stored.resolved) if experiment.stored.resolved else None,
        counts=dict(Counter(cell_status(trial, row, status) for trial, row in trials)),
        progress=1.0 if status in OVER else min(1.0, progress),
        seconds_left=_seconds_left(trained, progress, planned - sum(shares), parallel) if is_running else None,
        core_seconds=sum(row.core_seconds(now) for row in rows.values()),
        hint_test=outcome_of(experiment),
        best_return=_best_return(rows.values()),
    )


def outcome_of(experiment: OpenExperiment) -> HintOutcome | None:
    """Return what a test of a hint has shown so far; None if the experiment tests none. The caller holds the lock."""
    spec = experiment.spec
    if spec.tests is None:
        return None
    [(name, (before, value))] = spec.grid.items()
    without, with_it = list(experiment.run_specs)
    scores = {(trial.variant, trial.seed): trial.score for trial in experiment.trials.values()}
    return hint_outcome(
        HintChange(
            experiment_id=experiment.id,
            run_id=spec.tests.run_id,
            hint=spec.tests.hint,
            title=spec.tests.title,
            algo=spec.base.algo,
            env_id=spec.base.env_id,
            name=name,
            before=before,
            value=value,
        ),
        [(scores[without, seed], scores[with_it, seed]) for seed in spec.seed_list],
        failed=sum(trial.is_final and trial.score is None for trial in experiment.trials.values()),
        is_over=experiment.is_over,
        is_stopped=experiment.control.desired == "stop",
    )


def _best_return(rows: Iterable[RunRow]) -> float | None:
    """Return the highest best average; None without one, or if the runs have several environments."""
    places = {(row.env_id, str(row.env_options)): None for row in rows}
    found = [row.best_moving_average for row in rows if row.best_moving_average is not None]
    return max(found) if found and len(places) == 1 else None


def status_of(experiment: OpenExperiment) -> ExperimentStatus:
    match experiment.control.desired:
        case "run":
            return ExperimentStatus.RUNNING
        case "stop":
            return ExperimentStatus.STOPPED
        case _:
            return ExperimentStatus.COMPLETED if experiment.control.cause is None else ExperimentStatus.FAILED


def cell_status(trial: Trial, row: RunRow | None, status: ExperimentStatus) -> CellStatus:
    """Return what a trial does now. ``row``: its newest run; ``status``: that of its experiment."""
    if trial.last is not None and trial.last.state in _FINAL:
        return _FINAL[trial.last.state]
    if status in OVER:
        return CellStatus.SKIPPED
    if not trial.is_begun or row is None:
        return CellStatus.WAITING
    if row.state not in _BEGUN and row.state.has_ended and status is ExperimentStatus.STOPPED:
        return CellStatus.PAUSED  # interrupted or stopped by hand; it resumes with the experiment
    return _BEGUN.get(row.state, CellStatus.TRAINING)


def share_trained(row: RunRow | None, first: int = 0) -> float:
    """Return the share of a run's steps that are trained, from 0 to 1. ``first``: the step that it starts at."""
    length = 0 if row is None else (row.end_step or row.total_timesteps) - first
    return min(1.0, max(0, row.step - first) / length) if row is not None and length > 0 else 0.0


def progress_of(trial: Trial, row: RunRow | None, first: int = 0) -> float:
    return 1.0 if trial.is_final else share_trained(row, first)


def training_seconds(rows: Iterable[RunRow], now: float) -> float:
    """Return the seconds in which at least one of the runs trained, up to ``now`` (Unix seconds)."""
    total, until = 0.0, -inf
    for start, end in sorted((start or now, end or now) for row in rows for start, end in row.attempts):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def _ends(
    experiment: OpenExperiment, trials: Sequence[tuple[Trial, RunRow | None]], planned: int
) -> list[tuple[int, int]]:
    """Return the fewest and the most steps that each trial trains, those included that a search has yet to propose.

    If an older version did not store it for a waiting trial, the mean of the others is used.
    """
    base = experiment.stored.resolved.get(SEARCHED)
    typed = experiment.spec.base.total_timesteps or 0
    proposed = (typed, typed) if base is None else ends_of(experiment.spec, base)
    first = experiment.spec.first_step
    ends = [max(0, (_end(experiment, trial, row) or 0) - first) for trial, row in trials]
    found = [*((end, end) for end in ends), *[proposed] * (planned - len(trials))]
    noted = [most for _, most in found if most]
    mean = round(sum(noted) / len(noted)) if noted else 1
    return [(least, most) if most else (mean, mean) for least, most in found]


def _end(experiment: OpenExperiment, trial: Trial, row: RunRow | None) -> int | None:
    if row is not None:
        return row.end_step or row.total_timesteps
    trained = experiment.run_spec_of(trial.variant)
    return end_of(trained) if experiment.stored.resolved else trained.total_timesteps


def _seconds_left(trained: float, progress: float, trials_left: float, parallel: int) -> float | None:
    """Return the estimated seconds of training left; None before there is an estimate, and while only scoring is left.

    Args:
        trained: Total seconds of all runs so far.
        progress: Share of all steps that is done, 0 to 1.
        trials_left: Number of trials that have yet to train, as a sum of shares.
        parallel: Number of runs that train at the same time.
    """
    if progress <= LEAST_PROGRESS or progress >= 1 or trained <= 0:
        return None
    still = trained * (1 - progress) / progress
    at_once = min(float(parallel), trials_left)
    return still / max(1.0, at_once)


SPARKLINES_POINTS = 8_000
"""Approximate number of sparkline points of all trials together, which bounds the size of the response."""

FEWEST_POINTS = 8


def state_of(experiment: OpenExperiment, rows: Mapping[str, RunRow], *, now: float, parallel: int) -> Experiment:
    """Return the full state. Args as for ``summary_of``; the caller holds the experiment's lock."""
    summary = summary_of(experiment, rows, now=now, parallel=parallel)
    most = min(SPARKLINE_POINTS, max(FEWEST_POINTS, SPARKLINES_POINTS // max(len(experiment.trials), 1)))
    return Experiment(
        **vars(summary),
        specification=experiment.spec,
        variants=[
            _variant(name, label, experiment.run_specs[name], experiment.run_spec_of(name))
            for name, label in experiment.labels.items()
        ],
        seeds=list(experiment.spec.seed_list),
        cells=[
            _cell(trial, rows.get(trial.run_id or ""), summary, most, experiment.spec.first_step)
            for trial in experiment.trials.values()
        ],
    )


def _variant(name: str, label: str, run_spec: RunSpec, trained: RunSpec) -> ExperimentVariant:
    """Return a variant. ``run_spec``: as requested; ``trained``: with all values of its preset."""
    return ExperimentVariant(
        id=name,
        label=label,
        algo=run_spec.algo,
        env_id=run_spec.env_id,
        preset=trained.preset if run_spec.preset == RECOMMENDED else run_spec.preset,
        hyperparameters=run_spec.hyperparameters,
        total_timesteps=trained.total_timesteps,
        end_step=end_of(trained),
        evaluation=trained.evaluation,
    )


def _cell(trial: Trial, row: RunRow | None, summary: ExperimentSummary, most: int, first: int) -> ExperimentCell:
    """Return the state of a trial. ``most``: the maximum number of sparkline points; ``first``: its first step."""
    last = trial.last
    return ExperimentCell(
        trial=trial.number,
        variant=trial.variant,
        seed=trial.seed,
        status=cell_status(trial, row, summary.status),
        run_id=trial.run_id or None,
        attempt=last.attempt if last is not None else 0,
        score=trial.score,
        cause=_cause(trial, row),
        progress=progress_of(trial, row, first),
        trained=share_trained(row, first),
        sparkline=[] if row is None else thin_sparkline(row.sparkline, most),
    )


def _cause(trial: Trial, row: RunRow | None) -> str | None:
    """Return why a trial has no score; for an interrupted run that waits to continue, the cause of its run."""
    if trial.last is not None and trial.last.cause is not None:
        return trial.last.cause
    is_cut_off = trial.is_begun and row is not None and row.state in (RunStatus.FAILED, RunStatus.INTERRUPTED)
    return row.cause if is_cut_off and row is not None else None
