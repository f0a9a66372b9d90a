"""ExperimentState: an experiment and each of its trials as they are now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rlviz.analysis.return_curve import SPARKLINE_POINTS, thinned_sparkline
from rlviz.catalog.models import RunRow
from rlviz.domain.experiments import CellStatus, ExperimentSpec, ExperimentStatus, RunWishes, TrialState
from rlviz.domain.status import RunStatus
from rlviz.services.experiments.book import ExperimentBook, Trial

OVER = (ExperimentStatus.COMPLETED, ExperimentStatus.FAILED)

LEAST_PROGRESS = 0.01
"""Share of all steps from which on the time left can be told."""

SPARKLINES_POINTS = 8_000
"""Of the sparklines of all trials together, about, so that a table of many stays one small answer."""

FEWEST_POINTS = 8

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
class CellState:
    """One trial as it is now. ``progress``: the share of its steps that are done with, from 0 to 1, and 1 once it has
    ended; ``trained``: the share that it has trained. ``sparkline``: of its returns, evenly spaced over those."""

    trial: int
    variant: str
    seed: int
    status: CellStatus
    run_id: str | None
    attempt: int
    score: float | None
    cause: str | None
    progress: float
    trained: float
    sparkline: Sequence[float]


@dataclass(frozen=True)
class VariantState:
    id: str
    label: str
    wishes: RunWishes


@dataclass(frozen=True)
class ExperimentState:
    """An experiment as it is now. ``problem``: what holds it up for now. ``cause``: why it failed or was stopped.

    ``progress``: share of all trials' steps, from 0 to 1. ``core_seconds``: processor time of all its runs together,
    also of those that were lost. ``seconds_left``: at the pace of its runs so far; None while that cannot be told.
    """

    id: str
    name: str
    created_at: datetime
    status: ExperimentStatus
    cause: str | None
    problem: str | None
    spec: ExperimentSpec
    variants: Sequence[VariantState]
    seeds: Sequence[int]
    cells: Sequence[CellState]
    planned: int
    progress: float
    seconds_left: float | None
    core_seconds: float


def state_of(book: ExperimentBook, rows: Mapping[str, RunRow], *, now: float, parallel: int) -> ExperimentState:
    """``rows``: of the book's runs, by id. ``now``: seconds since 1970. The caller holds the book's lock."""
    control, status = book.control, status_of(book)
    most = min(SPARKLINE_POINTS, max(FEWEST_POINTS, SPARKLINES_POINTS // max(len(book.trials), 1)))
    cells = [_cell(trial, rows.get(trial.run_id or ""), status, most) for trial in book.trials.values()]
    planned = max(book.spec.cells, len(cells))
    progress = sum(cell.progress for cell in cells) / planned
    trained = sum(row.clock.at(now) for row in rows.values() if row.attempts)
    goes_on = status is ExperimentStatus.RUNNING
    return ExperimentState(
        id=book.id,
        name=book.stored.name,
        created_at=book.stored.created_at,
        status=status,
        cause=control.cause or control.skipped,
        problem=book.problem if goes_on or book.stored.is_newer else None,
        spec=book.spec,
        variants=[VariantState(name, label, book.wishes[name]) for name, label in book.labels.items()],
        seeds=book.spec.seed_list,
        cells=cells,
        planned=planned,
        progress=1.0 if status in OVER else progress,
        seconds_left=_seconds_left(trained, progress, planned, parallel) if goes_on else None,
        core_seconds=sum(row.core_seconds(now) for row in rows.values()),
    )


def status_of(book: ExperimentBook) -> ExperimentStatus:
    match book.control.desired:
        case "run":
            return ExperimentStatus.RUNNING
        case "stop":
            return ExperimentStatus.STOPPED
        case _:
            return ExperimentStatus.COMPLETED if book.control.cause is None else ExperimentStatus.FAILED


def _seconds_left(trained: float, progress: float, planned: int, parallel: int) -> float | None:
    """``trained``: seconds that the runs took so far, added up."""
    if progress <= LEAST_PROGRESS or trained <= 0:
        return None
    still = trained * (1 - progress) / progress
    at_once = min(float(parallel), planned * (1 - progress))
    return still / max(1.0, at_once)


def _cell(trial: Trial, row: RunRow | None, status: ExperimentStatus, most: int) -> CellState:
    """``most``: points of its sparkline."""
    last = trial.last
    over = status in OVER
    found = CellStatus.SKIPPED if over else CellStatus.WAITING
    if last is not None and last.state in _FINAL:
        found = _FINAL[last.state]
    elif trial.is_begun and not over and row is not None:
        found = _BEGUN.get(row.state, CellStatus.TRAINING)
    trained = min(1.0, row.step / row.total_timesteps) if row is not None and row.total_timesteps else 0.0
    return CellState(
        trial=trial.number,
        variant=trial.variant,
        seed=trial.seed,
        status=found,
        run_id=trial.run_id or None,
        attempt=last.attempt if last is not None else 0,
        score=trial.score,
        cause=last.cause if last is not None else None,
        progress=1.0 if trial.is_final else trained,
        trained=trained,
        sparkline=[] if row is None else thinned_sparkline(row.sparkline, most),
    )
