"""How a run is recorded, and the frames that are kept of an evaluation."""

from typing import Annotated

from fastapi import Path, Response

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane
from rlviz.api.problems import documented
from rlviz.api.proxy import link
from rlviz.api.router import Router
from rlviz.api.schemas.recording import KeptFrame, KeptFrames, RecordingBody, RecordingLevel, RunRecording
from rlviz.domain.errors import (
    ArtifactNotFound,
    EvaluationNotFound,
    NewerVersion,
    NotControlled,
    PicturesNotFound,
    RunFolderError,
    RunNotFound,
)
from rlviz.domain.recording import Detail
from rlviz.services.use_cases import recording

router = Router(prefix="/runs/{run_id}", tag="step records", lane=Lane.READS)

_FRAMES = "/evaluations/{evaluation_id}/frames"
Place = Annotated[int, Path(ge=0, le=1_000_000_000, description="From 0.")]


@router.get("/recording", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError))
def get_recording(run_id: str, app: App) -> RunRecording:
    """At which detail the run is recorded, and what that costs."""
    return _recording(run_id, app.recording.look(run_id))


@router.put(
    "/recording", responses=documented(RunNotFound, ArtifactNotFound, NotControlled, NewerVersion, RunFolderError)
)
def put_recording(run_id: str, body: RecordingBody, app: App) -> RunRecording:
    """Record the run at another detail from now on, also while it trains: what it records itself, and evaluations."""
    return _recording(run_id, app.recording.choose(run_id, body.detail))


@router.get(_FRAMES, responses=documented(RunNotFound, EvaluationNotFound, RunFolderError))
def list_frames(run_id: str, evaluation_id: str, app: App) -> KeptFrames:
    """The frames that are kept as pictures: of ends, of reward spikes, before an error, and now and then."""
    frames = [
        KeptFrame(
            episode=frame.episode,
            index=frame.index,
            reason=frame.reason,
            url=link(f"/api/runs/{run_id}/evaluations/{evaluation_id}/frames/{frame.episode}/{frame.index}"),
        )
        for frame in app.recording.frames(run_id, evaluation_id)
    ]
    return KeptFrames(run_id=run_id, evaluation_id=evaluation_id, frames=frames)


@router.get(
    f"{_FRAMES}/{{episode}}/{{index}}",
    response_class=Response,
    responses={
        200: {"description": "A frame", "content": {"image/jpeg": {}}},
        **documented(RunNotFound, EvaluationNotFound, PicturesNotFound, RunFolderError),
    },
)
def get_frame(run_id: str, evaluation_id: str, episode: Place, index: Place, app: App) -> Response:
    """What a step looked like."""
    content = app.recording.frame(run_id, evaluation_id, episode, index)
    return Response(content, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=86400, immutable"})


def _recording(run_id: str, found: recording.RunRecording) -> RunRecording:
    return RunRecording(
        run_id=run_id,
        detail=found.detail,
        chosen=found.chosen,
        of_family=found.profile.detail,
        levels=[RecordingLevel(detail=detail, keeps=found.profile.keeps(detail)) for detail in Detail],
        cost=found.cost,
        most_cost=found.most_cost,
        lowered=found.lowered,
        lowered_at=found.lowered_at,
    )
