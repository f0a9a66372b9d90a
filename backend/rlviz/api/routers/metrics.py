"""Metrics: the last rows of a run, or the curves of one or several."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Literal

from fastapi import Depends, Query
from pydantic import ValidationError

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane
from rlviz.api.names import named
from rlviz.api.problems import as_problem, documented
from rlviz.api.router import Router
from rlviz.api.schemas.metrics import MetricCurves, MetricRows, PastCurves, RunsMetricCurves
from rlviz.api.views import view_metric_curves, view_past
from rlviz.domain.errors import InvalidRequest, RlvizError, RunNotFound
from rlviz.domain.limits import DEFAULT_CURVE_POINTS, LIMITS
from rlviz.domain.name_list import split_names
from rlviz.domain.records import MetricRecord
from rlviz.rundir.journal import Line
from rlviz.services.application import Application
from rlviz.services.use_cases.metrics import CurveRequest, Window

router = Router(tag="metrics", lane=Lane.CURVES)

MAX_ROWS = 100_000

RUNS = LIMITS.compared_runs

Names = Annotated[
    str | None,
    Query(max_length=4_000, description="Comma-separated, all if left out; a comma within a name is written `\\,`."),
]
MaxPoints = Annotated[
    int,
    Query(ge=LIMITS.curve_points.minimum, le=LIMITS.curve_points.maximum, description="Points a curve, extremes kept."),
]
Axis = Annotated[
    Literal["step", "time", "seconds", "episode"],
    Query(description="Environment steps, Unix seconds, seconds of training, or episodes finished."),
]
Start = Annotated[float | None, Query(alias="from", description="Points from here on, in units of x.")]
End = Annotated[float | None, Query(alias="to", description="Points up to here, in units of x.")]


def _curve_request(
    max_points: MaxPoints = DEFAULT_CURVE_POINTS,
    x: Axis = "step",
    start: Start = None,
    end: End = None,
    newest: Annotated[int | None, Query(ge=1, le=MAX_ROWS, description="Only so many of the newest points.")] = None,
    smoothing: Annotated[
        float, Query(ge=0, lt=1, description="Of the exponential moving average over the points; 0: none.")
    ] = 0.0,
) -> CurveRequest:
    return CurveRequest(max_points, x, _window(start, end), newest, smoothing)


Wanted = Annotated[CurveRequest, Depends(_curve_request)]


@router.get("/runs/{run_id}/metrics/rows", responses=documented(RunNotFound, InvalidRequest))
def get_metric_rows(
    run_id: str,
    app: App,
    tail: Annotated[int, Query(ge=1, le=MAX_ROWS, description="How many of the last rows.")] = 100,
) -> MetricRows:
    """The last rows, as they stand in the journal."""
    found = app.metrics.tail(app.runs.folder(run_id), tail)
    rows = list(_records(found.lines))
    return MetricRows(run_id=run_id, rows=rows, broken_lines=len(found.lines) - len(rows), cursor=found.cursor)


@router.get("/runs/{run_id}/metrics/curves", responses=documented(RunNotFound, InvalidRequest))
def get_metric_curves(run_id: str, app: App, wanted: Wanted, names: Names = None) -> MetricCurves:
    """One curve for each name, thinned with every extreme kept."""
    return _curves(app, run_id, _named(names), wanted)


@router.get("/runs/{run_id}/metrics/past", responses=documented(RunNotFound, InvalidRequest))
def get_past_curves(run_id: str, app: App, wanted: Wanted, names: Names = None) -> PastCurves:
    """What the run has left behind by going back, and the runs that it was forked from, up to the fork."""
    return view_past(run_id, wanted.axis, app.past.of(run_id, _named(names), wanted))


@router.get("/metrics/curves", responses=documented(InvalidRequest))
def get_metric_curves_of_runs(
    app: App,
    wanted: Wanted,
    runs: Annotated[str, Query(max_length=10_000, description=f"Run ids, comma-separated, up to {RUNS.maximum}.")],
    names: Names = None,
) -> RunsMetricCurves:
    """The same of several runs. One that is gone or cannot be read is told as a problem, beside the others."""
    found, problems = [], {}
    for run_id in named(runs, "runs", RUNS):
        try:
            found.append(_curves(app, run_id, _named(names), wanted))
        except RlvizError as error:
            problems[run_id] = as_problem(error)
    return RunsMetricCurves(runs=found, problems=problems)


@router.get("/runs/{run_id}/metrics", deprecated=True, responses=documented(RunNotFound, InvalidRequest))
def get_metrics(
    run_id: str,
    app: App,
    tail: Annotated[int | None, Query(ge=1, le=MAX_ROWS, description="Answer the last N rows as they are.")] = None,
    names: Names = None,
    max_points: MaxPoints = DEFAULT_CURVE_POINTS,
    x: Axis = "step",
    start: Start = None,
    end: End = None,
) -> MetricRows | MetricCurves:
    """Rows with `tail`, otherwise curves: use `/metrics/rows` and `/metrics/curves`, which answer one shape each."""
    if tail is None:
        return _curves(app, run_id, _named(names), CurveRequest(max_points, x, _window(start, end)))
    if names is not None:
        raise InvalidRequest.field("/tail", "Give either tail, for rows, or names, for curves, not both.")
    return get_metric_rows(run_id, app, tail)


def _named(names: str | None) -> list[str] | None:
    return None if names is None else split_names(names)


def _curves(app: Application, run_id: str, names: Sequence[str] | None, wanted: CurveRequest) -> MetricCurves:
    row = app.runs.get(run_id)
    return view_metric_curves(row, wanted.axis, app.metrics.curves(app.runs.folder(run_id), names, wanted, row.clock))


def _window(start: float | None, end: float | None) -> Window:
    window = Window(-math.inf if start is None else start, math.inf if end is None else end)
    if not window.start <= window.end:
        raise InvalidRequest.field("/from", f"A window begins before it ends; got {start:g} to {end:g}.")
    return window


def _records(lines: Iterable[Line]) -> Iterator[MetricRecord]:
    for line in lines:
        with suppress(ValidationError):  # a broken line
            yield MetricRecord.model_validate(line.record)
