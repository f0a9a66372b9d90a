"""Step records of an evaluation: looked through, and handed out in several formats; those of a clip, looked through."""

from typing import Annotated

import orjson
from fastapi import Depends, Query, Request
from starlette.responses import Response, StreamingResponse

from rlviz.api.dependencies import ApiLanes, App
from rlviz.api.files import send_file
from rlviz.api.headers import ARTIFACT, POLICY
from rlviz.api.lanes import Lane, in_lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.steps import StepColumns
from rlviz.api.step_views import view_steps_info
from rlviz.domain.errors import (
    ArtifactNotFound,
    EvaluationNotFound,
    InvalidRequest,
    NotExportable,
    RunFolderError,
    RunIsActive,
    RunNotFound,
    StepsNotFound,
    VerificationInProgress,
)
from rlviz.domain.verification import Verification
from rlviz.records.about import RecordsAbout
from rlviz.records.conditions import LONGEST_CONDITION, MOST_CONDITIONS
from rlviz.records.export import ExportFormat
from rlviz.records.query import FoundSteps, StepQuery

router = Router(prefix="/runs/{run_id}", tag="step records", lane=Lane.READS)
_EVALUATION = "/evaluations/{evaluation_id}"

_MEDIA_TYPES = {
    ExportFormat.NDJSON: "application/x-ndjson",
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
    ExportFormat.MINARI: "application/zip",
}
_EXTENSIONS = {ExportFormat.MINARI: "minari.zip"}

Names = Annotated[str | None, Query(max_length=4_000, description="Comma-separated.")]


Episode = Annotated[int | None, Query(ge=0, le=1_000_000, description="From 0; all episodes if left out.")]
Where = Annotated[
    list[Annotated[str, Query(max_length=LONGEST_CONDITION)]] | None,
    Query(
        max_length=MOST_CONDITIONS,
        description="Conditions, all of which hold: column:test, or in words, as in reward < 0 and action = 1.",
    ),
]


def _query(
    episode: Episode = None,
    start: Annotated[int, Query(alias="from", ge=0, le=1 << 53, description="Place of the first record found.")] = 0,
    stop: Annotated[int | None, Query(alias="to", ge=0, le=1 << 53, description="Place after the last one.")] = None,
    columns: Names = None,
    where: Where = None,
    sort: Annotated[
        str | None, Query(max_length=1_000, description="Columns, comma-separated; -reward: the greatest first.")
    ] = None,
) -> StepQuery:
    return StepQuery(
        episode=episode,
        where=where or (),
        sort=_split(sort) or (),
        columns=_split(columns),
        start=start,
        stop=stop,
    )


Wanted = Annotated[StepQuery, Depends(_query)]


@router.get(
    f"{_EVALUATION}/steps",
    response_model=StepColumns,
    responses=documented(RunNotFound, EvaluationNotFound, StepsNotFound, InvalidRequest, RunFolderError),
)
def get_steps(run_id: str, evaluation_id: str, app: App, query: Wanted) -> Response:
    """Records, filtered and sorted: as many as one answer may hold."""
    found = app.step_records.find(run_id, evaluation_id, query)
    return _answer({"run_id": run_id, "evaluation_id": evaluation_id, "clip_id": None}, *found)


@router.get(
    "/clips/{clip_id}/steps",
    response_model=StepColumns,
    responses=documented(RunNotFound, ArtifactNotFound, StepsNotFound, InvalidRequest, RunFolderError),
)
def get_clip_steps(run_id: str, clip_id: str, app: App, query: Wanted) -> Response:
    """Records of a clip, as those of an evaluation."""
    found = app.step_records.find_in_clip(run_id, clip_id, query)
    return _answer({"run_id": run_id, "evaluation_id": None, "clip_id": clip_id}, *found)


def _answer(whose: dict[str, str | None], about: RecordsAbout, names: list[str], found: FoundSteps) -> Response:
    content = {
        **whose,
        "info": view_steps_info(about, names).model_dump(mode="json"),
        "total": found.total,
        "start": found.start,
        "stop": found.stop,
        "columns": found.columns,
    }
    return Response(orjson.dumps(content), media_type="application/json")  # which says null for NaN and infinity


@router.get(
    f"{_EVALUATION}/export",
    response_class=Response,
    responses={
        200: {"description": "The records", "content": {media: {} for media in _MEDIA_TYPES.values()}},
        **documented(RunNotFound, EvaluationNotFound, StepsNotFound, NotExportable, InvalidRequest, RunFolderError),
    },
)
@in_lane(Lane.EXPORTS)
def export_steps(
    run_id: str,
    evaluation_id: str,
    app: App,
    lanes: ApiLanes,
    request: Request,
    kind: Annotated[ExportFormat, Query(alias="format", description="Of the answer.")] = ExportFormat.NDJSON,
    episode: Episode = None,
    where: Where = None,
) -> Response:
    """The records of the evaluation, in one of several formats: all of them, or those that are asked for as of
    `…/steps`."""
    name = f"{run_id}-{evaluation_id}.{_EXTENSIONS.get(kind, kind.value)}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', POLICY: ARTIFACT}
    if kind is ExportFormat.PARQUET and episode is None and not where:
        response = send_file(request, app.step_records.open(run_id, evaluation_id), _MEDIA_TYPES[kind])
        response.headers.update(headers)
        return response
    pieces = app.step_records.export(run_id, evaluation_id, kind, episode, where or ())
    return StreamingResponse(lanes.make(pieces), headers=headers, media_type=_MEDIA_TYPES[kind])


@router.post(
    f"{_EVALUATION}/verify",
    status_code=202,
    responses=documented(RunNotFound, EvaluationNotFound, StepsNotFound, VerificationInProgress),
)
@in_lane(Lane.CHECKS)
def verify_steps(run_id: str, evaluation_id: str, app: App) -> Verification:
    """Play the episodes again, in a worker, and compare every record."""
    return app.step_records.verify(run_id, evaluation_id)


@router.post(
    f"{_EVALUATION}/film",
    status_code=202,
    responses=documented(RunNotFound, EvaluationNotFound, StepsNotFound, VerificationInProgress, RunIsActive),
)
@in_lane(Lane.CHECKS)
def film_again(run_id: str, evaluation_id: str, app: App) -> Verification:
    """Make the video of an evaluation from its step records, which verifies them: if one differs, there is no video."""
    return app.step_records.verify(run_id, evaluation_id, film=True)


@router.get(f"{_EVALUATION}/verify", responses=documented(RunNotFound, EvaluationNotFound, RunFolderError))
def get_verification(run_id: str, evaluation_id: str, app: App) -> Verification | None:
    """How the last verification goes, or how it went; null if nobody has asked for one."""
    return app.step_records.verification(run_id, evaluation_id)


def _split(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]
