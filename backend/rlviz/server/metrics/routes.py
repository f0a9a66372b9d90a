"""HTTP endpoints of metrics: rows, curves, past curves, events, hints, anatomy of updates, map, and comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Literal

from fastapi import Depends, Query
from pydantic import Field, ValidationError

from rlviz.domain.errors import (
    ArtifactNotFound,
    Conflict,
    ExperimentConflict,
    HintNotFound,
    InvalidRequest,
    NotEnoughDisk,
    RlvizError,
    RunFolderError,
    RunNotFound,
)
from rlviz.domain.limits import DEFAULT_COMPARISON_POINTS, DEFAULT_CURVE_POINTS, DEFAULT_UPDATES, DEFAULT_WINDOW, LIMITS
from rlviz.domain.metrics import MetricRecord
from rlviz.domain.plain_text import split_names
from rlviz.learning.environments.custom import find_environment as find_environment_of
from rlviz.rundir.journal import Line
from rlviz.server.dependencies import provided
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.experiments.hint_tests import HintTestPlan, HintTestService
from rlviz.server.experiments.models import Experiment
from rlviz.server.files import split_parameter
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.metrics import models
from rlviz.server.metrics.comparison import ComparisonRequest, ComparisonService, view_comparison
from rlviz.server.metrics.models import (
    Comparison,
    EpisodesBefore,
    MetricCurves,
    MetricRows,
    PastCurves,
    RunAnatomy,
    RunEvents,
    RunHints,
    RunMap,
    RunOpening,
    RunsMetricCurves,
)
from rlviz.server.metrics.past import PastService
from rlviz.server.metrics.service import CurveRequest, MetricsService, Window, read_anatomy, read_map
from rlviz.server.problems import as_problem, documented
from rlviz.server.router import Router
from rlviz.server.runs.choices import find_algorithm, find_environment, view_metric_definitions
from rlviz.server.runs.events import read_events
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.routes import view_detail
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.damage import DamageService
from rlviz.server.trust.service import TrustService
from rlviz.server.wire import Body
from rlviz.stats.returns import MEAN_EPISODES

ComparisonAccess = Annotated[ComparisonService, Depends(provided(ComparisonService))]
Damage = Annotated[DamageService, Depends(provided(DamageService))]
Evaluations = Annotated[EvaluationService, Depends(provided(EvaluationService))]
Hints = Annotated[HintTestService, Depends(provided(HintTestService))]
Metrics = Annotated[MetricsService, Depends(provided(MetricsService))]
OwnPresetsAccess = Annotated[OwnPresets, Depends(provided(OwnPresets))]
Past = Annotated[PastService, Depends(provided(PastService))]
Runs = Annotated[RunService, Depends(provided(RunService))]
Trust = Annotated[TrustService, Depends(provided(TrustService))]

router = Router(tag="metrics", lane=Lane.CURVES)

MAX_ROWS = 100_000

RUNS = LIMITS.compared_runs

Names = Annotated[
    str | None,
    Query(max_length=4_000, description="Comma-separated, default: all. Write a comma within a name as `\\,`."),
]
MaxPoints = Annotated[
    int,
    Query(
        ge=LIMITS.curve_points.minimum,
        le=LIMITS.curve_points.maximum,
        description="Points per curve; extremes are kept.",
    ),
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
    newest: Annotated[int | None, Query(ge=1, le=MAX_ROWS, description="Number of newest points.")] = None,
    smoothing: Annotated[
        float, Query(ge=0, lt=1, description="Smoothing of the exponential moving average; 0: none.")
    ] = 0.0,
) -> CurveRequest:
    return CurveRequest(max_points, x, _window(start, end), newest, smoothing)


Wanted = Annotated[CurveRequest, Depends(_curve_request)]


@router.get("/runs/{run_id}/metrics/rows", responses=documented(RunNotFound, InvalidRequest))
def get_metric_rows(
    run_id: str,
    metrics: Metrics,
    runs: Runs,
    tail: Annotated[int, Query(ge=1, le=MAX_ROWS, description="Number of last rows.")] = 100,
) -> MetricRows:
    """Return the last rows of the journal."""
    found = metrics.tail(runs.folder(run_id), tail)
    rows = list(_records(found.lines))
    return MetricRows(run_id=run_id, rows=rows, broken_lines=len(found.lines) - len(rows), cursor=found.cursor)


@router.get("/runs/{run_id}/metrics/curves", responses=documented(RunNotFound, InvalidRequest))
def get_metric_curves(run_id: str, runs: Runs, metrics: Metrics, wanted: Wanted, names: Names = None) -> MetricCurves:
    """Return a curve for each metric, thinned with all extremes kept."""
    return _curves(runs, metrics, run_id, _split_names(names), wanted)


@router.get("/runs/{run_id}/page", responses=documented(RunNotFound, ArtifactNotFound, InvalidRequest))
def open_run(
    run_id: str,
    runs: Runs,
    metrics: Metrics,
    damage: Damage,
    evaluations: Evaluations,
    trust: Trust,
    own_presets: OwnPresetsAccess,
    wanted: Wanted,
    names: Names = None,
) -> RunOpening:
    """Return in one response what the page of a run shows first: the run, its curves, and what describes them."""
    row = damage.inspect(run_id)
    return RunOpening(
        run=view_detail(runs, evaluations, trust, row),
        curves=_quick_curves(runs, metrics, run_id, _split_names(names), wanted),
        algorithm=find_algorithm(row.algo),
        environment=find_environment(row.env_id, own_presets.all()),
        metric_definitions=view_metric_definitions(),
        limits=LIMITS,
    )


def _quick_curves(
    runs: RunService, metrics: MetricsService, run_id: str, names: Sequence[str] | None, wanted: CurveRequest
) -> MetricCurves | None:
    with suppress(RunFolderError):  # the run is shown all the same, and the request for the curves says why
        if metrics.reads_quickly(folder := runs.folder(run_id)):
            return _curves(runs, metrics, run_id, names, wanted)
        metrics.read_ahead(folder)
    return None


@router.get("/runs/{run_id}/metrics/past", responses=documented(RunNotFound, InvalidRequest))
def get_past_curves(run_id: str, past: Past, wanted: Wanted, names: Names = None) -> PastCurves:
    """Return curves of training that no longer counts after a rollback, and of the run's ancestors up to the fork."""
    return past.read_past(run_id, _split_names(names), wanted)


@router.get("/metrics/curves", responses=documented(InvalidRequest))
def get_metric_curves_of_runs(
    runs_service: Runs,
    metrics: Metrics,
    wanted: Wanted,
    runs: Annotated[str, Query(max_length=10_000, description=f"Run ids, comma-separated, up to {RUNS.maximum}.")],
    names: Names = None,
) -> RunsMetricCurves:
    """Return the curves of several runs. A run that is missing or unreadable is listed in `problems`."""
    found, problems = [], {}
    for run_id in split_parameter(runs, "runs", RUNS):
        try:
            found.append(_curves(runs_service, metrics, run_id, _split_names(names), wanted))
        except RlvizError as error:
            problems[run_id] = as_problem(error)
    return RunsMetricCurves(runs=found, problems=problems)


@router.get("/runs/{run_id}/metrics", deprecated=True, responses=documented(RunNotFound, InvalidRequest))
def get_metrics(
    run_id: str,
    metrics: Metrics,
    runs: Runs,
    tail: Annotated[int | None, Query(ge=1, le=MAX_ROWS, description="Return the last N rows of the journal.")] = None,
    names: Names = None,
    max_points: MaxPoints = DEFAULT_CURVE_POINTS,
    x: Axis = "step",
    start: Start = None,
    end: End = None,
) -> MetricRows | MetricCurves:
    """Return rows with `tail`, otherwise curves. Prefer `/metrics/rows` and `/metrics/curves`."""
    if tail is None:
        return _curves(runs, metrics, run_id, _split_names(names), CurveRequest(max_points, x, _window(start, end)))
    if names is not None:
        raise InvalidRequest.field("/tail", "Give either tail, for rows, or names, for curves, not both.")
    return get_metric_rows(run_id, metrics, runs, tail)


def _split_names(names: str | None) -> list[str] | None:
    return None if names is None else split_names(names)


def _curves(
    runs: RunService, metrics: MetricsService, run_id: str, names: Sequence[str] | None, wanted: CurveRequest
) -> MetricCurves:
    row = runs.get(run_id)
    found, before = metrics.curves(runs.folder(run_id), names, wanted, row.clock), row.episodes_before
    return MetricCurves(
        run_id=run_id,
        x=wanted.axis,
        series=found.curves,
        broken_lines=found.broken_lines,
        cursor=found.cursor,
        mean_episodes=MEAN_EPISODES,
        before=EpisodesBefore(returns=[one.episode_return for one in before], lengths=[one.length for one in before])
        if before
        else None,
    )


def _window(start: float | None, end: float | None) -> Window:
    window = Window(-math.inf if start is None else start, math.inf if end is None else end)
    if not window.start <= window.end:
        raise InvalidRequest.field("/from", f"`from` must not be greater than `to`; got {start:g} to {end:g}.")
    return window


def _records(lines: Iterable[Line]) -> Iterator[MetricRecord]:
    for line in lines:
        with suppress(ValidationError):  # a broken line
            yield MetricRecord.model_validate(line.record)


events_router = Router(prefix="/runs/{run_id}/events", tag="events", lane=Lane.READS)


@events_router.get("", responses=documented(RunNotFound))
def list_events(run_id: str, runs: Runs, evaluations_service: Evaluations) -> RunEvents:
    """List lifecycle events, such as checkpoints, warnings and errors with traceback, and ended evaluations."""
    log = read_events(runs.folder(run_id))
    events = models.list_events(log, evaluations_service.list(run_id))
    return RunEvents(run_id=run_id, events=events, broken_lines=log.broken_lines)


hints_router = Router(prefix="/runs/{run_id}/hints", tag="hints", lane=Lane.CURVES)

_CHANGE = "Hyperparameter of the suggested change to test; null: the one that helped most, or the first."
TestedName = Annotated[str | None, Query(max_length=LIMITS.choice.maximum, description=_CHANGE)]


class HintTestCreate(Body):
    change: str | None = Field(None, max_length=LIMITS.choice.maximum, description=_CHANGE)


@hints_router.get("", responses=documented(RunNotFound, ArtifactNotFound))
def list_hints(run_id: str, hints: Hints) -> RunHints:
    """List known problems that the curves show, where they show, and what to try."""
    return hints.hints(run_id)


@hints_router.get("/{kind}/test", responses=documented(HintNotFound, Conflict, InvalidRequest, RunFolderError))
def plan_hint_test(run_id: str, kind: str, hints: Hints, change: TestedName = None) -> HintTestPlan:
    """Return what a test of a hint would train, and how long it takes, without starting it.

    `kind` is the id of the hint.
    """
    return hints.plan(run_id, kind, change)


@hints_router.post(
    "/{kind}/test",
    status_code=201,
    responses=documented(HintNotFound, ExperimentConflict, InvalidRequest, RunFolderError, NotEnoughDisk),
)
@in_lane(Lane.CHANGES)
def start_hint_test(run_id: str, kind: str, hints: Hints, body: HintTestCreate) -> Experiment:
    """Train the same seeds without and with a suggested change, as an experiment.

    The result is in `tests` of the hint, and in `hint_test` of the experiment.
    """
    return hints.start(run_id, kind, body.change)


anatomy_router = Router(prefix="/runs/{run_id}/anatomy", tag="metrics", lane=Lane.READS)


@anatomy_router.get("", responses=documented(RunNotFound, RunFolderError))
def get_anatomy(
    run_id: str,
    runs: Runs,
    updates: Annotated[
        int,
        Query(ge=LIMITS.anatomy_updates.minimum, le=LIMITS.anatomy_updates.maximum, description="Maximum number."),
    ] = DEFAULT_UPDATES,
) -> RunAnatomy:
    """Return histograms of advantages, ratios, errors, actions, weights and gradients of some updates."""
    return RunAnatomy(run_id=run_id, updates=read_anatomy(runs.folder(run_id), updates))


map_router = Router(prefix="/runs/{run_id}/map", tag="metrics", lane=Lane.READS)


@map_router.get("", responses=documented(RunNotFound, RunFolderError))
def get_map(
    run_id: str,
    runs: Runs,
    step: Annotated[
        int | None, Query(ge=0, description="Newest map up to this environment step; left out: the newest one.")
    ] = None,
) -> RunMap:
    """Return how often training visited each cell of the environment, and where its newest policy walks."""
    folder = runs.folder(run_id)
    environment = None
    with suppress(InvalidRequest):  # it is not installed any more
        environment = find_environment_of(folder.read_config())
    return read_map(folder, environment, step)


compare_router = Router(tag="compare", lane=Lane.COMPARISONS)


@compare_router.get("/compare", responses=documented(RunNotFound, ArtifactNotFound, InvalidRequest))
def compare_runs(
    comparison: ComparisonAccess,
    runs_service: Runs,
    runs: Annotated[str, Query(max_length=10_000, description=f"Run ids, comma-separated, up to {RUNS.maximum}.")],
    threshold: Annotated[
        float | None, Query(description="Return to reach; defaults to that of each environment.", allow_inf_nan=False)
    ] = None,
    window: Annotated[
        int,
        Query(
            ge=LIMITS.average_window.minimum,
            le=LIMITS.average_window.maximum,
            description="Episodes in the moving average.",
        ),
    ] = DEFAULT_WINDOW,
    metrics: Annotated[str, Query(max_length=4_000, description="Additional metrics, comma-separated.")] = "",
    seed_metrics: Annotated[
        str, Query(max_length=4_000, description="Metrics of groups of seeds, comma-separated.")
    ] = "",
    max_points: Annotated[
        int,
        Query(
            ge=LIMITS.comparison_points.minimum,
            le=LIMITS.comparison_points.maximum,
            description="Points per curve; extremes are kept.",
        ),
    ] = DEFAULT_COMPARISON_POINTS,
    x: Annotated[
        Literal["step", "seconds", "episode"],
        Query(description="Environment steps, seconds since the run was started, or episodes finished."),
    ] = "step",
) -> Comparison:
    """Compare runs: learning curves, figures, which run is better, and how the configurations differ."""
    request = ComparisonRequest(
        run_ids=split_parameter(runs, "runs", LIMITS.compared_runs),
        threshold=threshold,
        window=window,
        metrics=split_parameter(metrics, "metrics", LIMITS.compared_metrics),
        max_points=max_points,
        axis=x,
        seed_metrics=split_parameter(seed_metrics, "seed_metrics", LIMITS.compared_metrics),
    )
    return view_comparison(comparison.compare(request), runs_service.queue_positions())
