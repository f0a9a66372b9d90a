"""Evaluations of a run."""

from typing import Annotated

from fastapi import Query

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.evaluations import Evaluation, EvaluationCreate
from rlviz.api.views import view_evaluation
from rlviz.catalog.models import EvaluationRow
from rlviz.domain.errors import (
    EvaluationInProgress,
    EvaluationNotFound,
    InvalidRequest,
    NewerVersion,
    NotControlled,
    NotEnoughDisk,
    NothingToEvaluate,
    RunNotFound,
)
from rlviz.services.application import Application

router = Router(prefix="/runs/{run_id}/evaluations", tag="evaluations", lane=Lane.READS)


ByRun = Annotated[
    bool,
    Query(
        description="Instead of those that somebody asked for or played: episodes that the run has recorded itself "
        "while it went on."
    ),
]


@router.post(
    "",
    status_code=202,
    responses=documented(
        RunNotFound, NothingToEvaluate, EvaluationInProgress, NotControlled, NewerVersion, InvalidRequest, NotEnoughDisk
    ),
)
def create_evaluation(run_id: str, app: App, body: EvaluationCreate | None = None) -> Evaluation:
    """Evaluate the newest policy and record a video. A run that trains saves a checkpoint for it first."""
    wanted = body or EvaluationCreate()
    return _view(app, app.evaluations.create(run_id, **wanted.model_dump()))


@router.get("", responses=documented(RunNotFound))
def list_evaluations(run_id: str, app: App, by_run: ByRun = False) -> list[Evaluation]:
    """The evaluations of the run, newest first."""
    return [_view(app, row) for row in app.evaluations.list(run_id, by_run=by_run)]


@router.get("/latest", responses=documented(RunNotFound, EvaluationNotFound))
def get_latest_evaluation(run_id: str, app: App) -> Evaluation:
    """The newest evaluation, whatever its status."""
    return _view(app, app.evaluations.latest(run_id))


def _view(app: Application, row: EvaluationRow) -> Evaluation:
    return view_evaluation(row, app.evaluations.kept(row), app.evaluations.short_of_solved(row))
