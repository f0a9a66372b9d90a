"""A run's metrics: the last rows, or curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import ValidationError

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.schemas import MetricCurves, MetricRows
from rlviz.api.views import view_curve
from rlviz.domain.errors import InvalidRequest, RunNotFound
from rlviz.domain.limits import DEFAULT_CURVE_POINTS, LIMITS
from rlviz.domain.records import MetricRecord
from rlviz.rundir.journal import Line
from rlviz.services.use_cases.metrics import Window

router = APIRouter(prefix="/runs/{run_id}/metrics", tags=["metrics"])

MAX_ROWS = 100_000

Names = Annotated[str | None, Query(max_length=4_000, description="Comma-separated; all if left out.")]
MaxPoints = Annotated[
    int,
    Query(ge=LIMITS.curve_points.minimum, le=LIMITS.curve_points.maximum, description="Points a curve, extremes kept."),
]
Axis = Annotated[
    Literal["step", "time", "episode"], Query(description="Environment steps, Unix seconds, or episodes finished.")
]
Start = Annotated[float | None, Query(alias="from", description="Points from here on, in units of x.")]
End = Annotated[float | None, Query(alias="to", description="Points up to here, in units of x.")]


@router.get("/rows", responses=documented(RunNotFound, InvalidRequest))
def get_metric_rows(
    run_id: str,
    app: App,
    tail: Annotated[int, Query(ge=1, le=MAX_ROWS, description="How many of the last rows.")] = 100,
) -> MetricRows:
    """The last rows, as they stand in the journal."""
    found = app.metrics.tail(app.runs.folder(run_id), tail)
    rows = list(_records(found.lines))
    return MetricRows(run_id=run_id, rows=rows, broken_lines=len(found.lines) - len(rows), cursor=found.cursor)


@router.get("/curves", responses=documented(RunNotFound, InvalidRequest))
def get_metric_curves(
    run_id: str,
    app: App,
    names: Names = None,
    max_points: MaxPoints = DEFAULT_CURVE_POINTS,
    x: Axis = "step",
    start: Start = None,
    end: End = None,
) -> MetricCurves:
    """One curve for each name, thinned with every extreme kept."""
    folder = app.runs.folder(run_id)
    wanted = None if names is None else [name.strip() for name in names.split(",") if name.strip()]
    result = app.metrics.curves(folder, wanted, max_points, x, _window(start, end))
    series = {name: view_curve(curve) for name, curve in result.curves.items()}
    return MetricCurves(run_id=run_id, x=x, series=series, broken_lines=result.broken_lines, cursor=result.cursor)


@router.get("", deprecated=True, responses=documented(RunNotFound, InvalidRequest))
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
        return get_metric_curves(run_id, app, names, max_points, x, start, end)
    if names is not None:
        raise InvalidRequest.field("/tail", "Give either tail, for rows, or names, for curves, not both.")
    return get_metric_rows(run_id, app, tail)


def _window(start: float | None, end: float | None) -> Window:
    window = Window(-math.inf if start is None else start, math.inf if end is None else end)
    if not window.start <= window.end:
        raise InvalidRequest.field("/from", f"A window begins before it ends; got {start:g} to {end:g}.")
    return window


def _records(lines: Iterable[Line]) -> Iterator[MetricRecord]:
    for line in lines:
        with suppress(ValidationError):  # a broken line
            yield MetricRecord.model_validate(line.record)
