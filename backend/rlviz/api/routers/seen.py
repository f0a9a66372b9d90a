"""What an agent saw in an evaluation or a clip: its pictures, and which pixels mattered."""

from typing import Annotated

from fastapi import Path, Query, Response
from starlette.concurrency import run_in_threadpool

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane, in_lane
from rlviz.api.polling import wait_for
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.saliency import ClipSaliency, EvaluationSaliency, SaliencyUnderWay
from rlviz.domain.errors import (
    ArtifactNotFound,
    EvaluationNotFound,
    InvalidRequest,
    NoSaliency,
    NotEnoughDisk,
    PicturesNotFound,
    RunFolderError,
    RunNotFound,
    StepsNotFound,
)

router = Router(prefix="/runs/{run_id}", tag="step records", lane=Lane.READS)


_EVALUATION = "/evaluations/{evaluation_id}"
Strip = Annotated[int, Path(ge=0, le=1_000_000, description="From 0; the facts say how many pictures each has.")]
PlayedStep = Annotated[int, Query(ge=0, le=1_000_000_000, description="Actions taken before; 0 is the reset.")]


@router.get(
    f"{_EVALUATION}/pictures/{{strip}}",
    response_class=Response,
    responses={
        200: {"description": "A strip of pictures", "content": {"image/png": {}}},
        **documented(RunNotFound, EvaluationNotFound, PicturesNotFound, RunFolderError),
    },
)
def get_pictures(
    run_id: str,
    evaluation_id: str,
    strip: Strip,
    app: App,
) -> Response:
    """What the agent saw, some steps of it below each other."""
    content = app.seen.strip(run_id, evaluation_id, strip)
    return Response(content, media_type="image/png", headers={"Cache-Control": "private, max-age=86400, immutable"})


@router.get(
    "/clips/{clip_id}/pictures/{strip}",
    response_class=Response,
    responses={
        200: {"description": "A strip of pictures", "content": {"image/png": {}}},
        **documented(RunNotFound, ArtifactNotFound, PicturesNotFound, RunFolderError),
    },
)
def get_clip_pictures(run_id: str, clip_id: str, strip: Strip, app: App) -> Response:
    """What the agent saw in a clip, as of an evaluation. A clip may be made again, so nothing keeps the answer."""
    content = app.seen.clip_strip(run_id, clip_id, strip)
    return Response(content, media_type="image/png", headers={"Cache-Control": "no-store"})


@router.get(
    f"{_EVALUATION}/saliency",
    response_model=EvaluationSaliency,
    responses={
        202: {"model": SaliencyUnderWay, "description": "The episode is being played up to there; ask again"},
        **documented(
            RunNotFound, EvaluationNotFound, StepsNotFound, NoSaliency, InvalidRequest, NotEnoughDisk, RunFolderError
        ),
    },
)
@in_lane(None)
async def get_saliency(
    run_id: str,
    evaluation_id: str,
    app: App,
    episode: Annotated[int, Query(ge=0, le=1_000_000, description="From 0.")],
    step: PlayedStep,
) -> Response | EvaluationSaliency:
    """What the agent saw in a step, and which pixels mattered for what it did then."""
    wanted = await run_in_threadpool(app.seen.ask, run_id, evaluation_id, episode=episode, index=step)
    found = await wait_for(lambda: app.seen.look(wanted))
    if found is None:
        return _under_way(SaliencyUnderWay(run_id=run_id, evaluation_id=evaluation_id))
    return EvaluationSaliency(
        run_id=run_id,
        evaluation_id=evaluation_id,
        policy_step=wanted.step,
        episode=episode,
        step=step,
        seen=found.seen,
        png=found.png,
    )


@router.get(
    "/clips/{clip_id}/saliency",
    response_model=ClipSaliency,
    responses={
        202: {"model": SaliencyUnderWay, "description": "The episode is being played up to there; ask again"},
        **documented(
            RunNotFound, ArtifactNotFound, StepsNotFound, NoSaliency, InvalidRequest, NotEnoughDisk, RunFolderError
        ),
    },
)
@in_lane(None)
async def get_clip_saliency(run_id: str, clip_id: str, app: App, step: PlayedStep) -> Response | ClipSaliency:
    """The same of a clip."""
    wanted = await run_in_threadpool(app.seen.ask_of_clip, run_id, clip_id, index=step)
    found = await wait_for(lambda: app.seen.look(wanted))
    if found is None:
        return _under_way(SaliencyUnderWay(run_id=run_id, clip_id=clip_id))
    return ClipSaliency(
        run_id=run_id, clip_id=clip_id, policy_step=wanted.step, step=step, seen=found.seen, png=found.png
    )


def _under_way(what: SaliencyUnderWay) -> Response:
    return Response(what.model_dump_json(), status_code=202, media_type="application/json")
