"""What an experiment has shown: results, exports, the report, the search, and a variant kept as a preset."""

from typing import Annotated

from fastapi import Depends, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import Field

from rlviz.analysis.experiments import ExperimentResults, ScoreKind
from rlviz.api.dependencies import App
from rlviz.api.headers import ARTIFACT, POLICY, policy
from rlviz.api.lanes import Lane, in_lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.wire import Body
from rlviz.domain.errors import (
    ExperimentNotFound,
    InvalidRequest,
    RunFolderError,
    SearchNotFound,
)
from rlviz.domain.presets import OwnPreset, PresetTitle
from rlviz.search.results import SearchResults
from rlviz.services.experiment_results.exports import MEDIA_TYPES, SUFFIXES, ExportFormat
from rlviz.services.experiment_results.service import ResultsRequest

router = Router(prefix="/experiments/{experiment_id}", tag="experiments", lane=Lane.COMPARISONS)

REPORT = policy(sandbox="", style_src="'unsafe-inline'")
"""The report is a page by itself: it loads and runs nothing."""


class KeepAsPreset(Body):
    variant: str = Field(max_length=200, description="Id of the variant.")
    title: PresetTitle


def _request(
    score: Annotated[
        ScoreKind,
        Query(
            description="trial: on fresh episodes after training. training: mean return of the last 100 episodes. "
            "best: of the best policy that was kept."
        ),
    ] = ScoreKind.TRIAL,
    threshold: Annotated[
        float | None, Query(description="Return to reach; the environment's if left out.", allow_inf_nan=False)
    ] = None,
) -> ResultsRequest:
    return ResultsRequest(score, threshold)


Wanted = Annotated[ResultsRequest, Depends(_request)]


@router.get("/results", responses=documented(ExperimentNotFound, InvalidRequest))
def get_experiment_results(experiment_id: str, app: App, wanted: Wanted) -> ExperimentResults:
    """Scores with intervals, pairs, profiles, curves, steps to the threshold, cost, and a verdict in words."""
    return app.experiment_results.results(experiment_id, wanted)


@router.get("/search", responses=documented(ExperimentNotFound, SearchNotFound))
def get_search_results(experiment_id: str, app: App) -> SearchResults:
    """History, best so far, importance, slices and parallel coordinates of a search."""
    return app.experiment_results.search(experiment_id)


@router.get(
    "/export",
    response_class=Response,
    responses={
        200: {"description": "The table", "content": {media: {} for media in MEDIA_TYPES.values()}},
        **documented(ExperimentNotFound, InvalidRequest),
    },
)
@in_lane(Lane.EXPORTS)
def export_experiment(
    experiment_id: str,
    app: App,
    wanted: Wanted,
    form: Annotated[ExportFormat, Query(alias="format", description="Of the answer.")] = ExportFormat.JSON,
) -> Response:
    """A row for each trial (json, csv, parquet) or for each variant (markdown, latex)."""
    content = app.experiment_results.export(experiment_id, wanted, form)
    headers = {
        "Content-Disposition": f'attachment; filename="{experiment_id}.{SUFFIXES[form]}"',
        POLICY: ARTIFACT,
    }
    return Response(content, headers=headers, media_type=MEDIA_TYPES[form])


@router.get("/report", response_class=HTMLResponse, responses={**documented(ExperimentNotFound, InvalidRequest)})
@in_lane(Lane.EXPORTS)
def get_experiment_report(experiment_id: str, app: App, wanted: Wanted) -> HTMLResponse:
    """All of it in one HTML file that needs nothing else, to be saved or sent."""
    return HTMLResponse(app.experiment_results.report(experiment_id, wanted), headers={POLICY: REPORT})


@router.post(
    "/keep-as-preset",
    status_code=201,
    responses=documented(ExperimentNotFound, InvalidRequest, RunFolderError),
)
def keep_as_preset(experiment_id: str, body: KeepAsPreset, app: App) -> OwnPreset:
    """A preset of the user's own from a variant, with what was measured."""
    return app.experiment_results.keep(experiment_id, body.variant, body.title)
