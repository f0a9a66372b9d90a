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
    EnvironmentOfRuns,
    GroupBox,
    GroupMember,
    QueryAnswer,
    QueryBody,
    ReturnsScale,
    RunGroupCurves,
    RunGroups,
    RunScatter,
    RunsInGroup,
    ScatterPoint,
    TableColumn,
)
from rlviz.server.analytics.service import NOT_A_SETTING, AnalyticsService, Question, check_by
from rlviz.server.catalog.runs import RunQuery
from rlviz.server.dependencies import provided
from rlviz.server.lanes import Lane
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.stats.groups import Group
from rlviz.stats.return_scale import ReturnScale

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
    found = analytics.groups(asked)
    return RunGroups(
        by=list(asked.by),
        measure=asked.measure,
        groups=[_view(group) for group in found.groups],
        runs=found.runs,
        left_out=found.left_out,
        scale=_view_scale(found.scale),
    )


@router.get("/scatter", responses=documented(InvalidRequest, AnalyticsUnusable, AnalyticsBusy))
def scatter_runs(
    analytics: Analytics,
    asked: Asked,
    x: Annotated[str, Query(max_length=100, description="Numeric column of runs.")],
) -> RunScatter:
    """Plot a measure of each run against a setting, with their rank correlation."""
    found = analytics.scatter(asked, x)
    return RunScatter(
        points=[ScatterPoint(run_id=one.run_id, group=one.group, x=one.x, y=one.y) for one in found.points],
        count=found.count,
        runs=found.runs,
        correlation=found.correlation,
        by_group=found.by_group,
        scale=_view_scale(found.scale),
    )


@router.get("/curves", responses=documented(InvalidRequest, AnalyticsUnusable, AnalyticsBusy))
def curves_of_groups(analytics: Analytics, asked: Asked) -> RunGroupCurves:
    """Return the learning curve of each group, with the 95 % band of its interquartile mean."""
    found = analytics.curves(asked)
    return RunGroupCurves(curves=found.curves, drawn=found.drawn, runs=found.runs, scale=_view_scale(found.scale))


def _view_scale(scale: ReturnScale) -> ReturnsScale:
    return ReturnsScale(
        environments=[
            EnvironmentOfRuns(title=place.title, env_id=place.env_id, runs=runs) for place, runs in scale.places.items()
        ],
        normalised=scale.normalised,
        is_normalised=scale.is_normalised,
        notes=list(scale.notes),
    )


def _view(group: Group) -> RunsInGroup:
    summary, box = group.summary, group.box
    interval = summary and summary.interval
    return RunsInGroup(
        key=list(group.key),
        runs=group.runs,
        count=group.count,
        iqm=summary and summary.iqm,
        low=interval and interval.low,
        high=interval and interval.high,
        mean=summary and summary.mean,
        median=summary and summary.median,
        std=summary and summary.std,
        box=box
        and GroupBox(
            low=box.low,
            lower_quartile=box.lower_quartile,
            median=box.median,
            upper_quartile=box.upper_quartile,
            high=box.high,
            outliers=[GroupMember(run_id=one.run_id, value=one.value) for one in box.outliers],
            beyond=box.beyond,
        ),
    )
