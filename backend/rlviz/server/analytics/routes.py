"""HTTP routes for queries over all runs: read-only SQL, groups, scatter plots and curves."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from rlviz.domain.errors import AnalyticsBusy, AnalyticsUnusable, InvalidRequest, QueryRefused
from rlviz.domain.limits import LIMITS
from rlviz.domain.plain_text import split_names
from rlviz.domain.status import RunStatus
from rlviz.server.analytics.models import (
    AnalyticsSchema,
    AnalyticsTable,
    QueryAnswer,
    QueryBody,
    RunGroupCurves,
    RunGroups,
    RunScatter,
    TableColumn,
)
from rlviz.server.analytics.service import NOT_A_SETTING, AnalyticsService, Question, check_by
from rlviz.server.catalog.runs import RunQuery
from rlviz.server.dependencies import provided
from rlviz.server.lanes import Lane
from rlviz.server.problems import documented
from rlviz.server.router import Router

Analytics = Annotated[AnalyticsService, Depends(provided(AnalyticsService))]

router = Router(prefix="/analytics", tag="analytics", lane=Lane.QUERIES)

_Names = Annotated[list[str] | None, Query(max_length=50, description="Repeatable.")]


def _question(
    by: Annotated[
        list[str] | None,
        Query(max_length=10, description="Columns of runs to group by, at most two; default: algo."),
    ] = None,
    measure: Annotated[str, Query(max_length=100, description="Numeric column of runs.")] = "best_moving_average",
    status: Annotated[list[RunStatus] | None, Query(description="Repeatable.")] = None,
    algo: _Names = None,
    env_id: _Names = None,
    tag: _Names = None,
    group: _Names = None,
    run: Annotated[
        str, Query(max_length=20_000, description="Ids of runs, comma-separated: only these; all if left out.")
    ] = "",
    q: Annotated[
        str | None,
        Query(max_length=LIMITS.search.maximum, description="Text in name, id, environment, tags or notes."),
    ] = None,
) -> Question:
    runs = RunQuery(
        status=[item.value for item in status or ()],
        algo=algo or (),
        env_id=env_id or (),
        tag=tag or (),
        group_id=group or (),
        ids=split_names(run) if run else None,
        q=q,
    )
    return Question(check_by(by or ["algo"]), measure, runs)


Asked = Annotated[Question, Depends(_question)]


@router.get("/schema", responses=documented(AnalyticsUnusable, AnalyticsBusy))
def get_analytics_schema(analytics: Analytics) -> AnalyticsSchema:
    """List the tables that you can query, and the columns of runs that are settings and measures."""
    tables = [
        AnalyticsTable(name=name, columns=[TableColumn.model_validate(column) for column in columns])
        for name, columns in analytics.schema().items()
    ]
    runs = next(table for table in tables if table.name == "runs").columns
    return AnalyticsSchema(
        tables=tables,
        settings=[column.name for column in runs if column.name not in NOT_A_SETTING],
        measures=[column.name for column in runs if column.kind in ("number", "integer")],
    )


@router.post("/query", responses=documented(QueryRefused, AnalyticsUnusable, AnalyticsBusy))
def query_runs(body: QueryBody, analytics: Analytics) -> QueryAnswer:
    """Run one SELECT. It cannot read files or change anything, and is stopped after ten seconds."""
    return QueryAnswer(**analytics.query(body.sql, body.limit))


@router.get("/groups", responses=documented(InvalidRequest, AnalyticsUnusable, AnalyticsBusy))
def group_runs(analytics: Analytics, asked: Asked) -> RunGroups:
    """Group runs by one or two settings: statistics of a measure with intervals, and a box for each group."""
    return analytics.groups(asked)


@router.get("/scatter", responses=documented(InvalidRequest, AnalyticsUnusable, AnalyticsBusy))
def scatter_runs(
    analytics: Analytics,
    asked: Asked,
    x: Annotated[str, Query(max_length=100, description="Numeric column of runs.")],
) -> RunScatter:
    """Plot a measure of each run against a setting, with their rank correlation."""
    return analytics.scatter(asked, x)


@router.get("/curves", responses=documented(InvalidRequest, AnalyticsUnusable, AnalyticsBusy))
def curves_of_groups(analytics: Analytics, asked: Asked) -> RunGroupCurves:
    """Return the learning curve of each group, with the 95 % band of its interquartile mean."""
    return analytics.curves(asked)
