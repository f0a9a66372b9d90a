"""Questions over all runs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from rlviz.domain.limits import LIMITS
from rlviz.server.wire import Body, Wire
from rlviz.stats.experiments.across import NormalisedEnvironment
from rlviz.stats.experiments.curves import Curves

ROWS = LIMITS.query_rows


class QueryBody(Body):
    sql: str = Field(min_length=1, max_length=LIMITS.query.maximum, description="One SELECT, in DuckDB's SQL.")
    limit: int = Field(
        ROWS.default or ROWS.maximum, ge=ROWS.minimum, le=ROWS.maximum, strict=True, description="Rows to answer with."
    )


class QueryAnswer(Wire):
    columns: list[str]
    types: list[str] = Field(description="DuckDB's type of each column.")
    rows: list[list[JsonValue]] = Field(description="Numbers that are no numbers, and infinite ones, are null.")
    truncated: bool = Field(description="There are more rows than these.")
    seconds: float = Field(description="How long it ran.")
    notes: list[str] = Field(description="What has to be known of the data that it ran over.")


class TableColumn(Wire):
    name: str
    type: str = Field(description="DuckDB's.")
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
    title: str = Field(description="With its options, where runs have different ones.")
    env_id: str
    runs: int


class ReturnsScale(Wire):
    """On what scale returns are put together: as they are within one environment, and normalised over several."""

    environments: list[EnvironmentOfRuns] = Field(
        description="Of the runs with a value, those with the most first; empty where no value is a return."
    )
    normalised: list[NormalisedEnvironment] = Field(
        description="What became 0 and 1 in each environment; empty where returns are as they are."
    )
    is_normalised: bool
    notes: list[str] = Field(description="Sentences on what that means, and which runs are left out.")


class GroupMember(Wire):
    run_id: str
    value: float | None


class GroupBox(Wire):
    low: float = Field(description="Lowest value within 1.5 interquartile ranges of the quartiles.")
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float = Field(description="Highest value within 1.5 interquartile ranges of the quartiles.")
    outliers: list[GroupMember] = Field(description="Values beyond, the furthest first; 20 at most.")
    beyond: int = Field(description="How many there are.")


class RunsInGroup(Wire):
    key: list[str | None] = Field(description="The value of each column that is grouped by; null: none.")
    runs: int
    count: int = Field(description="Those that have a value; the figures are of them.")
    iqm: float | None = Field(description="Interquartile mean.")
    low: float | None = Field(description="Its 95 % bootstrap interval; null for fewer than two.")
    high: float | None
    mean: float | None
    median: float | None
    std: float | None = Field(description="Of the sample; null for fewer than two.")
    box: GroupBox | None


class RunGroups(Wire):
    by: list[str]
    measure: str
    groups: list[RunsInGroup] = Field(description="From the greatest interquartile mean to the least.")
    runs: int = Field(description="Runs that match.")
    left_out: int = Field(description="Groups beyond the 60 with the most runs.")
    scale: ReturnsScale


class ScatterPoint(Wire):
    run_id: str
    group: str
    x: float
    y: float


class RunScatter(Wire):
    points: list[ScatterPoint] = Field(description="Of the newest runs, 5,000 at most.")
    count: int = Field(description="Runs with both values.")
    runs: int = Field(description="Runs that match.")
    correlation: float | None = Field(
        description="Spearman's rank correlation; null for fewer than three runs, or runs that are not on one scale."
    )
    by_group: dict[str, float | None]
    scale: ReturnsScale


class RunGroupCurves(Wire):
    curves: Curves
    drawn: int = Field(description="Runs that the curves are of: the newest, 300 at most.")
    runs: int = Field(description="Runs that match.")
    scale: ReturnsScale
