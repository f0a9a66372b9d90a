"""The requests and answers of the API about all runs: queries, groups, scatter plots and curves."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, JsonValue

from rlviz.domain.limits import LIMITS
from rlviz.server.wire import Body, Wire
from rlviz.stats.experiments.across import NormalisedEnvironment
from rlviz.stats.experiments.curves import Curves
from rlviz.stats.groups import Box, Group
from rlviz.stats.return_scale import ReturnScale

ROWS = LIMITS.query_rows


class QueryBody(Body):
    sql: str = Field(min_length=1, max_length=LIMITS.query.maximum, description="One SELECT, in DuckDB's SQL.")
    limit: int = Field(
        ROWS.default or ROWS.maximum,
        ge=ROWS.minimum,
        le=ROWS.maximum,
        strict=True,
        description="Maximum number of rows.",
    )


class QueryAnswer(Wire):
    columns: list[str]
    types: list[str] = Field(description="DuckDB's type of each column.")
    rows: list[list[JsonValue]] = Field(description="NaN and infinite numbers are null.")
    truncated: bool = Field(description="Whether there are more rows.")
    seconds: float = Field(description="Duration of the query.")
    notes: list[str] = Field(description="Sentences on what is missing in the data.")


class TableColumn(Wire):
    name: str
    type: str = Field(description="DuckDB's type.")
    kind: Literal["text", "integer", "number", "truth", "time", "list"]
    description: str


class AnalyticsTable(Wire):
    name: str
    columns: list[TableColumn]


class AnalyticsSchema(Wire):
    tables: list[AnalyticsTable]
    settings: list[str] = Field(description="Columns of runs that can be grouped by.")
    measures: list[str] = Field(description="Columns of runs that are numbers.")


class EnvironmentOfRuns(Wire):
    title: str = Field(description="Its id, with its options if runs have different ones.")
    env_id: str
    runs: int


class ReturnsScale(Wire):
    """The scale of returns: unchanged within one environment, normalised over several environments."""

    environments: list[EnvironmentOfRuns] = Field(
        description="Environments of the runs with a value, those with the most runs first; empty if no value is a "
        "return."
    )
    normalised: list[NormalisedEnvironment] = Field(
        description="The returns that became 0 and 1 in each environment; empty if returns are not normalised."
    )
    is_normalised: bool
    notes: list[str] = Field(description="Sentences on the scale, and on runs without a value on it.")

    @classmethod
    def from_scale(cls, scale: ReturnScale) -> Self:
        return cls(
            environments=[
                EnvironmentOfRuns(title=place.title, env_id=place.env_id, runs=runs)
                for place, runs in scale.places.items()
            ],
            normalised=scale.normalised,
            is_normalised=scale.is_normalised,
            notes=list(scale.notes),
        )


class GroupMember(Wire):
    run_id: str
    value: float | None


class GroupBox(Wire):
    low: float = Field(description="Lowest value within 1.5 interquartile ranges of the quartiles.")
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float = Field(description="Highest value within 1.5 interquartile ranges of the quartiles.")
    outliers: list[GroupMember] = Field(description="Values outside low and high, the furthest first; at most 20.")
    beyond: int = Field(description="Number of values outside low and high.")

    @classmethod
    def from_box(cls, box: Box) -> Self:
        return cls(
            low=box.low,
            lower_quartile=box.lower_quartile,
            median=box.median,
            upper_quartile=box.upper_quartile,
            high=box.high,
            outliers=[GroupMember(run_id=one.run_id, value=one.value) for one in box.outliers],
            beyond=box.beyond,
        )


class RunsInGroup(Wire):
    key: list[str | None] = Field(description="The value of each column that is grouped by; null if it has none.")
    runs: int
    count: int = Field(description="Number of runs with a value; the statistics are of these runs.")
    iqm: float | None = Field(description="Interquartile mean.")
    low: float | None = Field(description="Lower end of its 95 % bootstrap interval; null for fewer than two runs.")
    high: float | None
    mean: float | None
    median: float | None
    std: float | None = Field(description="Sample standard deviation; null for fewer than two runs.")
    box: GroupBox | None

    @classmethod
    def from_group(cls, group: Group) -> Self:
        summary = group.summary
        interval = summary and summary.interval
        return cls(
            key=list(group.key),
            runs=group.runs,
            count=group.count,
            iqm=summary and summary.iqm,
            low=interval and interval.low,
            high=interval and interval.high,
            mean=summary and summary.mean,
            median=summary and summary.median,
            std=summary and summary.std,
            box=group.box and GroupBox.from_box(group.box),
        )


class RunGroups(Wire):
    by: list[str]
    measure: str
    groups: list[RunsInGroup] = Field(description="Ordered by interquartile mean, the greatest first.")
    runs: int = Field(description="Number of matching runs.")
    left_out: int = Field(description="Number of groups beyond the 60 with the most runs.")
    scale: ReturnsScale


class ScatterPoint(Wire):
    run_id: str
    group: str
    x: float
    y: float


class RunScatter(Wire):
    points: list[ScatterPoint] = Field(description="The newest runs, at most 5,000.")
    count: int = Field(description="Number of runs with both values.")
    runs: int = Field(description="Number of matching runs.")
    correlation: float | None = Field(
        description="Spearman's rank correlation; null for fewer than three runs, or if the runs have no common scale."
    )
    by_group: dict[str, float | None]
    scale: ReturnsScale


class RunGroupCurves(Wire):
    curves: Curves
    drawn: int = Field(description="Number of runs in the curves: the newest, at most 300.")
    runs: int = Field(description="Number of matching runs.")
    scale: ReturnsScale
