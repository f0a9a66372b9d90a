"""The filmstrip of a run."""

from dataclasses import asdict

from fastapi import Response

from rlviz.api.dependencies import App
from rlviz.api.film_views import view_clip
from rlviz.api.lanes import Lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.film import Clip, ClipCreate, GrowthVideoCreate, Policies
from rlviz.domain.clips import ClipStatus
from rlviz.domain.errors import ArtifactNotFound, InvalidRequest, NotEnoughDisk, NothingToEvaluate, RunNotFound
from rlviz.services.use_cases.film import FoundClip

router = Router(prefix="/runs/{run_id}", tag="film", lane=Lane.READS)

_ASKED = {
    202: {"model": Clip, "description": "It is being made; GET it to see how it stands"},
    **documented(RunNotFound, NothingToEvaluate, InvalidRequest, NotEnoughDisk),
}


@router.get("/policies", responses=documented(RunNotFound))
def list_policies(run_id: str, app: App) -> Policies:
    """The policies of the run that are kept, each of which can be evaluated and filmed."""
    return Policies(**asdict(app.film.policies(run_id)))


@router.post("/clips", responses=_ASKED)
def create_clip(run_id: str, body: ClipCreate, app: App, response: Response) -> Clip:
    """One episode of a kept policy, filmed and recorded: at once if it was filmed before."""
    return _answer(app.film.clip(run_id, **body.model_dump()), response)


@router.get("/clips", responses=documented(RunNotFound))
def list_clips(run_id: str, app: App) -> list[Clip]:
    """Every clip that was made, the one that was watched last at the end."""
    return [view_clip(clip) for clip in app.film.clips(run_id)]


@router.get("/clips/{clip_id}", responses=documented(RunNotFound, ArtifactNotFound))
def get_clip(run_id: str, clip_id: str, app: App) -> Clip:
    """How a clip that was asked for stands."""
    return view_clip(app.film.find(run_id, clip_id))


@router.post("/growth-video", responses=_ASKED)
def create_growth_video(run_id: str, app: App, response: Response, body: GrowthVideoCreate | None = None) -> Clip:
    """One video of how the run learned: some of its policies after each other, with the curve of the return."""
    wanted = body or GrowthVideoCreate()
    return _answer(app.film.growth_video(run_id, **wanted.model_dump()), response)


def _answer(clip: FoundClip, response: Response) -> Clip:
    if clip.status is ClipStatus.WAITING:
        response.status_code = 202
    return view_clip(clip)
