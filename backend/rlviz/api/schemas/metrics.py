"""Metrics: rows as they were logged, or curves."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.problems import Problem
from rlviz.api.schemas.wire import Wire
from rlviz.domain.records import MetricRecord


class MetricRows(Wire):
    run_id: str
    rows: list[MetricRecord]
    broken_lines: int = Field(description="Lines among these that are no records and were left out.")
    cursor: str = Field(description="Stream position just after these rows.")


class SmoothedCurve(Wire):
    """The exponential moving average over all points of the run, also those that were left out."""

    y: list[float | None] = Field(description="At each point of the curve; null at a gap.")
    mean: float | None = Field(description="After the last point; null before there is a number.")
    weight: float = Field(description="Of all numbers so far, 1 - smoothing^n: what is needed to go on with the mean.")


class MetricCurve(Wire):
    x: list[float]
    y: list[float | None] = Field(description="null is a gap.")
    count: int = Field(description="Points before thinning.")
    smoothed: SmoothedCurve | None = Field(
        None, description="null without smoothing, and where no point was left out: it follows from y then."
    )


class MetricCurves(Wire):
    run_id: str
    x: Literal["step", "time", "episode"]
    series: dict[str, MetricCurve]
    broken_lines: int = Field(description="Lines of the journal that are no records and were left out.")
    cursor: str = Field(description="Stream position just after these points.")


class RunsMetricCurves(Wire):
    runs: list[MetricCurves] = Field(description="In the order asked for, without those that have a problem.")
    problems: dict[str, Problem] = Field(description="By run id: why there are no curves of it.")
