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


class EpisodesBefore(Wire):
    """The last episodes before a fork: its means over several episodes reach back to them."""

    returns: list[float | None]
    lengths: list[float | None]


class MetricCurves(Wire):
    run_id: str
    x: Literal["step", "time", "seconds", "episode"]
    series: dict[str, MetricCurve]
    broken_lines: int = Field(description="Lines of the journal that are no records and were left out.")
    cursor: str = Field(description="Stream position just after these points.")
    mean_episodes: int = Field(description="Episodes in the mean return and in the mean length.")
    before: EpisodesBefore | None = Field(None, description="null: the run is no fork, or none are known.")


class GhostCurves(Wire):
    """What a run had trained before it went back, or before it came out otherwise when it was resumed."""

    attempt: int = Field(description="The later attempt, whose rows count instead.")
    cause: Literal["rollback", "diverged"]
    from_step: int
    to_step: int
    series: dict[str, MetricCurve]


class AncestorCurves(Wire):
    """A run that led to this one, up to where the next was forked from it."""

    run_id: str
    name: str
    to_step: int = Field(description="Step of the fork.")
    series: dict[str, MetricCurve]


class PastCurves(Wire):
    """What is drawn behind the curves of a run, and is in no figure of it."""

    run_id: str
    x: Literal["step", "time", "seconds", "episode"]
    ghosts: list[GhostCurves] = Field(description="Oldest first.")
    ghosts_left_out: int = Field(description="Older ones that are not in this answer.")
    mean_episodes: int = Field(description="As for the curves of the run.")
    ancestors: list[AncestorCurves] = Field(
        description="Oldest first; none along a clock, as each run has its own, and none beyond one that is deleted."
    )


class RunsMetricCurves(Wire):
    runs: list[MetricCurves] = Field(description="In the order asked for, without those that have a problem.")
    problems: dict[str, Problem] = Field(description="By run id: why there are no curves of it.")
