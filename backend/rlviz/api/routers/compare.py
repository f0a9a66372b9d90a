"""Runs side by side."""

from typing import Annotated, Literal

from fastapi import Query

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane
from rlviz.api.names import named
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.comparison import Comparison
from rlviz.api.views import view_comparison
from rlviz.domain.errors import ArtifactNotFound, InvalidRequest, RunNotFound
from rlviz.domain.limits import DEFAULT_COMPARISON_POINTS, DEFAULT_WINDOW, LIMITS
from rlviz.services.use_cases.comparison import ComparisonRequest

router = Router(tag="compare", lane=Lane.COMPARISONS)

RUNS = LIMITS.compared_runs


@router.get("/compare", responses=documented(RunNotFound, ArtifactNotFound, InvalidRequest))
def compare_runs(
    app: App,
    runs: Annotated[str, Query(max_length=10_000, description=f"Run ids, comma-separated, up to {RUNS.maximum}.")],
    threshold: Annotated[
        float | None, Query(description="Return to reach; each environment's own if left out.", allow_inf_nan=False)
    ] = None,
    window: Annotated[
        int,
        Query(
            ge=LIMITS.average_window.minimum,
            le=LIMITS.average_window.maximum,
            description="Episodes in the moving average.",
        ),
    ] = DEFAULT_WINDOW,
    metrics: Annotated[
        str, Query(max_length=4_000, description="Metrics whose curves are wanted too, comma-separated.")
    ] = "",
    max_points: Annotated[
        int,
        Query(
            ge=LIMITS.comparison_points.minimum,
            le=LIMITS.comparison_points.maximum,
            description="Points a curve, extremes kept.",
        ),
    ] = DEFAULT_COMPARISON_POINTS,
    x: Annotated[
        Literal["step", "seconds", "episode"],
        Query(description="Environment steps, seconds since the run was started, or episodes finished."),
    ] = "step",
) -> Comparison:
    """Learning curves side by side, what they amount to, which is better, and how the configurations differ."""
    request = ComparisonRequest(
        run_ids=named(runs, "runs", LIMITS.compared_runs),
        threshold=threshold,
        window=window,
        metrics=named(metrics, "metrics", LIMITS.compared_metrics),
        max_points=max_points,
        axis=x,
    )
    return view_comparison(app.comparison.compare(request), app.runs.queue_positions())
