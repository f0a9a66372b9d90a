"""Runs side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.schemas import Comparison
from rlviz.api.views import view_comparison
from rlviz.domain.errors import InvalidRequest, RunNotFound

router = APIRouter(tags=["compare"])

MAX_RUNS = 10


@router.get("/compare", responses=documented(RunNotFound, InvalidRequest))
def compare_runs(
    app: App,
    runs: Annotated[str, Query(max_length=2_000, description=f"Run ids, comma-separated, up to {MAX_RUNS}.")],
    threshold: Annotated[
        float | None, Query(description="Return to reach; the environment's own if left out.", allow_inf_nan=False)
    ] = None,
    window: Annotated[int, Query(ge=1, le=1_000, description="Episodes in the moving average.")] = 20,
) -> Comparison:
    """Learning curves on common steps, what they amount to, and how the configurations differ."""
    run_ids = list(dict.fromkeys(filter(None, runs.split(","))))
    if not 1 <= len(run_ids) <= MAX_RUNS:
        raise InvalidRequest.field("/runs", f"Name 1 to {MAX_RUNS} runs, separated by commas; got {len(run_ids)}.")
    return view_comparison(app.comparison.compare(run_ids, threshold, window), app.runs.queue_positions())
