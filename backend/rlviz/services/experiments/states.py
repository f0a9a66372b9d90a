"""ExperimentState: an experiment and each of its trials as they are now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rlviz.analysis.return_curve import SPARKLINE_POINTS, thinned_sparkline
from rlviz.catalog.models import RunRow
from rlviz.domain.experiments import CellStatus, ExperimentSpec, RunSpec
from rlviz.domain.status import RunStatus
from rlviz.services.experiments.open_experiment import OpenExperiment, Trial
from rlviz.services.experiments.summaries import (
    ExperimentSummary,
    cell_status,
    progress_of,
    share_trained,
    summary_of,
)

SPARKLINES_POINTS = 8_000
"""Of the sparklines of all trials together, about, so that a table of many stays one small answer."""

FEWEST_POINTS = 8


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
    """``run_spec``: as it was asked for; ``trained``: with the values of its preset."""

    id: str
    label: str
    run_spec: RunSpec
    trained: RunSpec


@dataclass(frozen=True)
class ExperimentState(ExperimentSummary):
    """An experiment with its trials as they are now."""

    spec: ExperimentSpec
    variants: Sequence[VariantState]
    seeds: Sequence[int]
    cells: Sequence[CellState]


def state_of(experiment: OpenExperiment, rows: Mapping[str, RunRow], *, now: float, parallel: int) -> ExperimentState:
    """``rows``: of its runs, by id. ``now``: seconds since 1970. The caller holds the experiment's lock."""
    summary = summary_of(experiment, rows, now=now, parallel=parallel)
    most = min(SPARKLINE_POINTS, max(FEWEST_POINTS, SPARKLINES_POINTS // max(len(experiment.trials), 1)))
    return ExperimentState(
        **vars(summary),
        spec=experiment.spec,
        variants=[
            VariantState(name, label, experiment.run_specs[name], experiment.trained(name))
            for name, label in experiment.labels.items()
        ],
        seeds=experiment.spec.seed_list,
        cells=[_cell(trial, rows.get(trial.run_id or ""), summary, most) for trial in experiment.trials.values()],
    )


def _cell(trial: Trial, row: RunRow | None, summary: ExperimentSummary, most: int) -> CellState:
    """``most``: points of its sparkline."""
    last = trial.last
    return CellState(
        trial=trial.number,
        variant=trial.variant,
        seed=trial.seed,
        status=cell_status(trial, row, summary.status),
        run_id=trial.run_id or None,
        attempt=last.attempt if last is not None else 0,
        score=trial.score,
        cause=_cause(trial, row),
        progress=progress_of(trial, row),
        trained=share_trained(row),
        sparkline=[] if row is None else thinned_sparkline(row.sparkline, most),
    )


def _cause(trial: Trial, row: RunRow | None) -> str | None:
    """Why it has no score; of a trial whose run was cut off and waits to continue, what its run says."""
    if trial.last is not None and trial.last.cause is not None:
        return trial.last.cause
    is_cut_off = trial.is_begun and row is not None and row.state in (RunStatus.FAILED, RunStatus.INTERRUPTED)
    return row.cause if is_cut_off and row is not None else None
