"""Metrics: rows as they were logged, or curves."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.records import MetricRecord


class MetricRows(Wire):
    run_id: str
    rows: list[MetricRecord]
    broken_lines: int = Field(description="Lines among these that are no records and were left out.")
    cursor: str = Field(description="Stream position just after these rows.")


class MetricCurve(Wire):
    x: list[float]
    y: list[float | None] = Field(description="null is a gap.")
    count: int = Field(description="Points before thinning.")


class MetricCurves(Wire):
    run_id: str
    x: Literal["step", "time", "episode"]
    series: dict[str, MetricCurve]
    broken_lines: int = Field(description="Lines of the journal that are no records and were left out.")
    cursor: str = Field(description="Stream position just after these points.")
