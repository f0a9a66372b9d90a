"""ExperimentSummary: how far an experiment has come, without its trials; cheap for lists of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf

from rlviz.catalog.models import RunRow
from rlviz.domain.experiments import CellStatus, ExperimentStatus, TrialState
from rlviz.domain.status import RunStatus
from rlviz.services.experiments.open_experiment import SEARCHED, OpenExperiment, Trial

OVER = (ExperimentStatus.COMPLETED, ExperimentStatus.FAILED)

LEAST_PROGRESS = 0.01
"""Share of all steps from which on the time left can be told."""

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
"""What a begun trial does, by the status of its run; it is training in all others."""


@dataclass(frozen=True)
class ExperimentSummary:
    """``problem``: what holds it up for now. ``cause``: why it failed or was stopped. ``counts``: trials by status.

    ``total_timesteps``: that all trials are trained for together; ``progress``: the share of them that are done with,
    from 0 to 1. ``core_seconds``: processor time of all its runs together, also of those that were lost.
    ``seconds_left``: at the pace of its runs so far; None while that cannot be told.
    """

    id: str
    name: str
    created_at: datetime
    status: ExperimentStatus
    cause: str | None
    problem: str | None
    searches: bool
    planned: int
    total_timesteps: int
    counts: Mapping[CellStatus, int]
    progress: float
    seconds_left: float | None
    core_seconds: float


def summary_of(
    experiment: OpenExperiment, rows: Mapping[str, RunRow], *, now: float, parallel: int
) -> ExperimentSummary:
    """``rows``: of its runs, by id. ``now``: seconds since 1970. The caller holds the experiment's lock."""
    control, status = experiment.control, status_of(experiment)
    trials = [(trial, rows.get(trial.run_id or "")) for trial in experiment.trials.values()]
    planned = max(experiment.spec.cells, len(trials))
    lengths = _lengths(experiment, trials, planned)
    shares = [progress_of(trial, row) for trial, row in trials]
    total = sum(lengths)
    progress = sum(share * length for share, length in zip(shares, lengths, strict=False)) / total
    trained = sum(row.clock.at(now) for row in rows.values() if row.attempts)
    goes_on = status is ExperimentStatus.RUNNING
    return ExperimentSummary(
        id=experiment.id,
        name=experiment.stored.name,
        created_at=experiment.stored.created_at,
        status=status,
        cause=control.cause or control.skipped,
        problem=experiment.problem if goes_on or experiment.stored.is_newer else None,
        searches=experiment.spec.sweep is not None,
        planned=planned,
        total_timesteps=total,
        counts=Counter(cell_status(trial, row, status) for trial, row in trials),
        progress=1.0 if status in OVER else min(1.0, progress),
        seconds_left=_seconds_left(trained, progress, planned - sum(shares), parallel) if goes_on else None,
        core_seconds=sum(row.core_seconds(now) for row in rows.values()),
    )


def status_of(experiment: OpenExperiment) -> ExperimentStatus:
    match experiment.control.desired:
        case "run":
            return ExperimentStatus.RUNNING
        case "stop":
            return ExperimentStatus.STOPPED
        case _:
            return ExperimentStatus.COMPLETED if experiment.control.cause is None else ExperimentStatus.FAILED


def cell_status(trial: Trial, row: RunRow | None, status: ExperimentStatus) -> CellStatus:
    """What a trial does now. ``row``: of its newest run; ``status``: of its experiment."""
    if trial.last is not None and trial.last.state in _FINAL:
        return _FINAL[trial.last.state]
    if status in OVER:
        return CellStatus.SKIPPED
    if not trial.is_begun or row is None:
        return CellStatus.WAITING
    if row.state not in _BEGUN and row.state.has_ended and status is ExperimentStatus.STOPPED:
        return CellStatus.PAUSED  # it was interrupted, or stopped by hand, and goes on when the experiment does
    return _BEGUN.get(row.state, CellStatus.TRAINING)


def share_trained(row: RunRow | None) -> float:
    """Of the steps of a run, from 0 to 1."""
    return min(1.0, row.step / row.total_timesteps) if row is not None and row.total_timesteps else 0.0


def progress_of(trial: Trial, row: RunRow | None) -> float:
    return 1.0 if trial.is_final else share_trained(row)


def training_seconds(rows: Iterable[RunRow], now: float) -> float:
    """In which at least one of the runs trained, by ``now`` (Unix seconds)."""
    total, until = 0.0, -inf
    for start, end in sorted((start or now, end or now) for row in rows for start, end in row.attempts):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def _lengths(experiment: OpenExperiment, trials: Sequence[tuple[Trial, RunRow | None]], planned: int) -> list[int]:
    """Environment steps that each of ``trials`` is trained for, and then those that a search has not proposed yet.
    Where an older version did not note it of one that waits, the mean of the others."""
    known = [
        row.total_timesteps if row is not None else experiment.trained(trial.variant).total_timesteps
        for trial, row in trials
    ]
    base = experiment.stored.resolved.get(SEARCHED, experiment.spec.base).total_timesteps
    known += [base] * (planned - len(trials))
    noted = [steps for steps in known if steps]
    mean = round(sum(noted) / len(noted)) if noted else 1
    return [steps or mean for steps in known]


def _seconds_left(trained: float, progress: float, trials_left: float, parallel: int) -> float | None:
    """``trained``: seconds that the runs took so far, added up."""
    if progress <= LEAST_PROGRESS or trained <= 0:
        return None
    still = trained * (1 - progress) / progress
    at_once = min(float(parallel), trials_left)
    return still / max(1.0, at_once)
