"""HTTP endpoints of experiments: create, list, show, stop, resume and delete them; read and export their results."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import Field

from rlviz.domain.errors import (
    ExperimentConflict,
    ExperimentNotFound,
    ExtraMissing,
    InvalidRequest,
    NewerVersion,
    NotEnoughDisk,
    RunFolderError,
    SearchNotFound,
)
from rlviz.domain.experiments import ExperimentSpec
from rlviz.domain.export_formats import ResultsFormat, media_types
from rlviz.domain.limits import DEFAULT_EXPERIMENTS_PER_PAGE, LIMITS
from rlviz.domain.presets import OwnPreset, PresetTitle
from rlviz.learning.search.results import SearchResults
from rlviz.server.dependencies import provided
from rlviz.server.exchange.sinks import SinkService
from rlviz.server.experiments.models import (
    Experiment,
    ExperimentEstimate,
    ExperimentList,
)
from rlviz.server.experiments.results.service import ExperimentResultsService, ResultsRequest
from rlviz.server.experiments.service import ExperimentService
from rlviz.server.files import ARTIFACT, POLICY, policy
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.wire import Body
from rlviz.stats.experiments import ExperimentResults, ScoreKind

ExperimentResultsAccess = Annotated[ExperimentResultsService, Depends(provided(ExperimentResultsService))]
Experiments = Annotated[ExperimentService, Depends(provided(ExperimentService))]
Sinks = Annotated[SinkService, Depends(provided(SinkService))]

router = Router(prefix="/experiments", tag="experiments", lane=Lane.CHANGES)


@router.post("", status_code=201, responses=documented(InvalidRequest, NotEnoughDisk, ExtraMissing))
def create_experiment(body: ExperimentSpec, sinks: Sinks, experiments: Experiments) -> Experiment:
    """Create an experiment, which trains every variant with every seed and scores the policies. It starts at once."""
    sinks.check(body.sinks)
    return experiments.create(body)


@router.post("/estimate", responses=documented(InvalidRequest))
def estimate_experiment(body: ExperimentSpec, experiments: Experiments) -> ExperimentEstimate:
    """Return how many runs an experiment would train and for how many steps, without starting it."""
    return experiments.estimate(body)


@router.get("", responses=documented(InvalidRequest))
@in_lane(Lane.LISTS)
def list_experiments(
    experiments: Experiments,
    q: Annotated[
        str | None, Query(max_length=LIMITS.search.maximum, description="Text that the name or id contains.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=LIMITS.experiments_per_page.maximum)] = DEFAULT_EXPERIMENTS_PER_PAGE,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
) -> ExperimentList:
    """List experiments without their trials, newest first."""
    return experiments.list(q=q, limit=limit, cursor=cursor)


@router.get("/{experiment_id}", responses=documented(ExperimentNotFound, RunFolderError))
@in_lane(Lane.READS)
def get_experiment(experiment_id: str, experiments: Experiments) -> Experiment:
    """Return an experiment with all of its trials."""
    return experiments.get(experiment_id)


@router.post(
    "/{experiment_id}/stop", status_code=202, responses=documented(ExperimentNotFound, ExperimentConflict, NewerVersion)
)
@in_lane(None)
def stop_experiment(experiment_id: str, experiments: Experiments) -> Experiment:
    """Stop an experiment: start no more trials and pause its runs."""
    return experiments.stop(experiment_id)


@router.post(
    "/{experiment_id}/resume",
    status_code=202,
    responses=documented(ExperimentNotFound, ExperimentConflict, NewerVersion),
)
def resume_experiment(experiment_id: str, experiments: Experiments) -> Experiment:
    """Resume a stopped experiment; each run continues where it was."""
    return experiments.resume(experiment_id)


@router.delete("/{experiment_id}", status_code=204, responses=documented(ExperimentNotFound))
def delete_experiment(experiment_id: str, experiments: Experiments) -> None:
    """Delete an experiment and stop its runs, which stay."""
    experiments.delete(experiment_id)


experiment_results_router = Router(prefix="/experiments/{experiment_id}", tag="experiments", lane=Lane.COMPARISONS)

REPORT = policy(sandbox="", style_src="'unsafe-inline'")
"""Headers of the report, a self-contained page that loads and runs nothing."""


class KeepAsPreset(Body):
    variant: str = Field(max_length=200, description="Id of the variant.")
    title: PresetTitle


def _request(
    score: Annotated[
        ScoreKind,
        Query(
            description="trial: on new episodes after training. training: mean return of the last 100 episodes. "
            "best: of the best saved policy."
        ),
    ] = ScoreKind.TRIAL,
    threshold: Annotated[
        float | None,
        Query(description="Return to reach; defaults to the environment's threshold.", allow_inf_nan=False),
    ] = None,
) -> ResultsRequest:
    return ResultsRequest(score, threshold)


Wanted = Annotated[ResultsRequest, Depends(_request)]


@experiment_results_router.get("/results", responses=documented(ExperimentNotFound, InvalidRequest))
def get_experiment_results(
    experiment_id: str, experiment_results: ExperimentResultsAccess, wanted: Wanted
) -> ExperimentResults:
    """Return scores with intervals, pairwise comparisons, performance profiles, curves, steps to the threshold, cost,
    and a verdict in words."""
    return experiment_results.results(experiment_id, wanted)


@experiment_results_router.get("/search", responses=documented(ExperimentNotFound, SearchNotFound))
def get_search_results(experiment_id: str, experiment_results: ExperimentResultsAccess) -> SearchResults:
    """Return a search's history, best trial so far, importance of hyperparameters, slices and parallel coordinates."""
    return experiment_results.search(experiment_id)


@experiment_results_router.get(
    "/export",
    response_class=Response,
    responses={
        200: {"description": "The table", "content": media_types(ResultsFormat)},
        **documented(ExperimentNotFound, InvalidRequest),
    },
)
@in_lane(Lane.EXPORTS)
def export_experiment(
    experiment_id: str,
    experiment_results: ExperimentResultsAccess,
    wanted: Wanted,
    form: Annotated[ResultsFormat, Query(alias="format", description="Format of the response.")] = ResultsFormat.JSON,
) -> Response:
    """Export results with a row for each trial (json, csv, parquet) or variant (markdown, latex)."""
    content = experiment_results.export(experiment_id, wanted, form)
    headers = {
        "Content-Disposition": f'attachment; filename="{experiment_id}.{form.extension}"',
        POLICY: ARTIFACT,
    }
    return Response(content, headers=headers, media_type=form.media_type)


@experiment_results_router.get(
    "/report", response_class=HTMLResponse, responses={**documented(ExperimentNotFound, InvalidRequest)}
)
@in_lane(Lane.EXPORTS)
def get_experiment_report(
    experiment_id: str, experiment_results: ExperimentResultsAccess, wanted: Wanted
) -> HTMLResponse:
    """Return the whole report as one self-contained HTML file."""
    return HTMLResponse(experiment_results.report(experiment_id, wanted), headers={POLICY: REPORT})


@experiment_results_router.post(
    "/keep-as-preset",
    status_code=201,
    responses=documented(ExperimentNotFound, InvalidRequest, RunFolderError),
)
def keep_as_preset(experiment_id: str, body: KeepAsPreset, experiment_results: ExperimentResultsAccess) -> OwnPreset:
    """Save a variant as one of your own presets, with its measured results."""
    return experiment_results.keep(experiment_id, body.variant, body.title)
