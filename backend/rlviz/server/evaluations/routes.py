"""HTTP endpoints of evaluations, episodes, step records, recording, clips, saliency and value slices.

Requests for what a worker computes (saliency, clips, value slices) answer soon: with the result, or with a status that
asks the client to request it again.
"""

from __future__ import annotations

import asyncio
import mimetypes
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

import orjson
from fastapi import Depends, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from rlviz.domain.clips import ClipStatus
from rlviz.domain.errors import (
    ArtifactNotFound,
    EnvironmentMissing,
    EvaluationInProgress,
    EvaluationNotFound,
    InvalidRequest,
    NewerVersion,
    NoOtherFuture,
    NoSaliency,
    NotControlled,
    NotEnoughDisk,
    NotExportable,
    NothingToEvaluate,
    NotSliceable,
    NotTrusted,
    PicturesNotFound,
    RunFolderError,
    RunIsActive,
    RunNotFound,
    StepsNotFound,
    VerificationInProgress,
)
from rlviz.domain.evaluation import Verification
from rlviz.domain.export_formats import StepsFormat, media_types
from rlviz.domain.limits import DEFAULT_FOUND_EPISODES, LIMITS, MAX_TIMESTEPS
from rlviz.learning.records.about import RecordsAbout
from rlviz.learning.records.conditions import LONGEST_CONDITION, MOST_CONDITIONS
from rlviz.learning.records.query import FoundSteps, StepQuery
from rlviz.rundir.folder import find_artifact
from rlviz.rundir.journal import open_journal
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.dependencies import ApiLanes, provided
from rlviz.server.evaluations.episodes import EpisodeSearch, EpisodeService
from rlviz.server.evaluations.film import FilmService
from rlviz.server.evaluations.futures import FutureService, RecordedStep
from rlviz.server.evaluations.judging import JudgingService
from rlviz.server.evaluations.models import (
    Clip,
    ClipCreate,
    ClipSaliency,
    EpisodeEndings,
    EpisodeFutureCreate,
    EvaluationCreate,
    EvaluationJudgement,
    EvaluationSaliency,
    FoundEpisodes,
    Future,
    FutureCreate,
    GrowthVideoCreate,
    KeptFrame,
    KeptFrames,
    OtherActions,
    Policies,
    RecordingBody,
    RunRecording,
    RunValueSlice,
    SaliencyUnderWay,
    SliceUnderWay,
    StepColumns,
    view_steps_info,
)
from rlviz.server.evaluations.recording import RecordingService
from rlviz.server.evaluations.seen import SeenService, ValueSliceService, view_value_slice
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.evaluations.steps import StepRecordService
from rlviz.server.files import ARTIFACT, POLICY, ExportResponse, send_file, split_parameter
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.problems import PROBLEM, documented
from rlviz.server.proxy import link
from rlviz.server.router import Router
from rlviz.server.runs.models import Evaluation, view_evaluation
from rlviz.server.runs.service import RunService

Episodes = Annotated[EpisodeService, Depends(provided(EpisodeService))]
Evaluations = Annotated[EvaluationService, Depends(provided(EvaluationService))]
Film = Annotated[FilmService, Depends(provided(FilmService))]
Futures = Annotated[FutureService, Depends(provided(FutureService))]
Judging = Annotated[JudgingService, Depends(provided(JudgingService))]
Recording = Annotated[RecordingService, Depends(provided(RecordingService))]
RunsService = Annotated[RunService, Depends(provided(RunService))]
Seen = Annotated[SeenService, Depends(provided(SeenService))]
StepRecords = Annotated[StepRecordService, Depends(provided(StepRecordService))]
ValueSlices = Annotated[ValueSliceService, Depends(provided(ValueSliceService))]

router = Router(prefix="/runs/{run_id}/evaluations", tag="evaluations", lane=Lane.READS)


ByRun = Annotated[
    bool,
    Query(
        description="Return the episodes that the run recorded during training, instead of evaluations that you "
        "requested or played."
    ),
]


@router.post(
    "",
    status_code=202,
    responses=documented(
        RunNotFound, NothingToEvaluate, EvaluationInProgress, NotControlled, NewerVersion, InvalidRequest, NotEnoughDisk
    ),
)
def create_evaluation(run_id: str, evaluations: Evaluations, body: EvaluationCreate | None = None) -> Evaluation:
    """Evaluate a policy and record a video. A training run first saves a checkpoint for it."""
    wanted = body or EvaluationCreate()
    return _view(evaluations, evaluations.create(run_id, **wanted.model_dump()))


@router.get("", responses=documented(RunNotFound))
def list_evaluations(run_id: str, evaluations: Evaluations, by_run: ByRun = False) -> list[Evaluation]:
    """List the evaluations of the run, newest first."""
    return [_view(evaluations, row) for row in evaluations.list(run_id, by_run=by_run)]


@router.get("/latest", responses=documented(RunNotFound, EvaluationNotFound))
def get_latest_evaluation(run_id: str, evaluations: Evaluations) -> Evaluation:
    """Return the newest evaluation, whatever its status."""
    return _view(evaluations, evaluations.latest(run_id))


def _view(evaluations: EvaluationService, row: EvaluationRow) -> Evaluation:
    return view_evaluation(row, evaluations.kept(row), evaluations.short_of_solved(row))


episodes_router = Router(tag="evaluations", lane=Lane.COMPARISONS)

RUNS = LIMITS.compared_runs

Sort = Literal["return", "-return", "length", "-length", "step", "-step", "episode", "-episode", "seed", "-seed"]


Runs = Annotated[str, Query(max_length=10_000, description=f"Run ids, comma-separated, up to {RUNS.maximum}.")]


@episodes_router.get("/episodes", responses=documented(RunNotFound, InvalidRequest))
def search_episodes(
    episodes: Episodes,
    runs: Runs,
    where: Annotated[
        str,
        Query(max_length=LIMITS.episode_search.maximum, description="A condition: return < 100 and length > 200."),
    ] = "",
    sort: Annotated[Sort, Query(description="Ascending, or descending with a leading minus.")] = "return",
    limit: Annotated[
        int,
        Query(ge=LIMITS.found_episodes.minimum, le=LIMITS.found_episodes.maximum, description="Maximum number."),
    ] = DEFAULT_FOUND_EPISODES,
) -> FoundEpisodes:
    """Search the episodes of all completed evaluations of some runs."""
    search = EpisodeSearch(split_parameter(runs, "runs", RUNS), where, sort, limit)
    return episodes.search(search)


@episodes_router.get(
    "/episodes/endings", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError, InvalidRequest)
)
def get_episode_endings(judging: Judging, runs: Runs) -> EpisodeEndings:
    """Return how the episodes of all evaluations of some runs of one environment end."""
    return judging.endings(split_parameter(runs, "runs", RUNS))


@episodes_router.get(
    "/runs/{run_id}/evaluations/{evaluation_id}/judgement",
    responses=documented(RunNotFound, EvaluationNotFound, RunFolderError),
)
def get_judgement(run_id: str, evaluation_id: str, judging: Judging) -> EvaluationJudgement:
    """Return the worst, median and best episode of an evaluation, the distribution of its returns, and key moments."""
    return judging.judge(run_id, evaluation_id)


recording_router = Router(prefix="/runs/{run_id}", tag="step records", lane=Lane.READS)

_FRAMES = "/evaluations/{evaluation_id}/frames"
Place = Annotated[int, Path(ge=0, le=1_000_000_000, description="From 0.")]


@recording_router.get("/recording", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError))
def get_recording(run_id: str, recording: Recording) -> RunRecording:
    """Return the run's level of recording detail and its cost."""
    return recording.get_choice(run_id)


@recording_router.put(
    "/recording", responses=documented(RunNotFound, ArtifactNotFound, NotControlled, NewerVersion, RunFolderError)
)
def put_recording(run_id: str, body: RecordingBody, recording: Recording) -> RunRecording:
    """Change the level of recording detail, also during training; it applies to its own recordings and to
    evaluations."""
    return recording.choose(run_id, body.detail)


@recording_router.get(_FRAMES, responses=documented(RunNotFound, EvaluationNotFound, RunFolderError))
def list_frames(run_id: str, evaluation_id: str, recording: Recording) -> KeptFrames:
    """List the frames stored as pictures: at endings, at reward spikes, before an error, and at intervals."""
    frames = [
        KeptFrame(
            episode=frame.episode,
            index=frame.index,
            reason=frame.reason,
            url=link(f"/api/runs/{run_id}/evaluations/{evaluation_id}/frames/{frame.episode}/{frame.index}"),
        )
        for frame in recording.frames(run_id, evaluation_id)
    ]
    return KeptFrames(run_id=run_id, evaluation_id=evaluation_id, frames=frames)


@recording_router.get(
    f"{_FRAMES}/{{episode}}/{{index}}",
    response_class=Response,
    responses={
        200: {"description": "A frame", "content": {"image/jpeg": {}}},
        **documented(RunNotFound, EvaluationNotFound, PicturesNotFound, RunFolderError),
    },
)
def get_frame(run_id: str, evaluation_id: str, episode: Place, index: Place, recording: Recording) -> Response:
    """Return the picture of a step."""
    content = recording.frame(run_id, evaluation_id, episode, index)
    return Response(content, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=86400, immutable"})


steps_router = Router(prefix="/runs/{run_id}", tag="step records", lane=Lane.READS)
_EVALUATION = "/evaluations/{evaluation_id}"


Names = Annotated[str | None, Query(max_length=4_000, description="Comma-separated.")]


Episode = Annotated[int | None, Query(ge=0, le=1_000_000, description="From 0; default: all episodes.")]
Where = Annotated[
    list[Annotated[str, Query(max_length=LONGEST_CONDITION)]] | None,
    Query(
        max_length=MOST_CONDITIONS,
        description="Conditions, all of which hold: column:test, or in words, as in reward < 0 and action = 1.",
    ),
]


def _query(
    episode: Episode = None,
    start: Annotated[int, Query(alias="from", ge=0, le=1 << 53, description="Index of the first matching record.")] = 0,
    stop: Annotated[int | None, Query(alias="to", ge=0, le=1 << 53, description="Index after the last one.")] = None,
    columns: Names = None,
    where: Where = None,
    sort: Annotated[
        str | None,
        Query(max_length=1_000, description="Columns, comma-separated; a leading minus: descending."),
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


@steps_router.get(
    f"{_EVALUATION}/steps",
    response_model=StepColumns,
    responses=documented(RunNotFound, EvaluationNotFound, StepsNotFound, InvalidRequest, RunFolderError),
)
def get_steps(run_id: str, evaluation_id: str, step_records: StepRecords, query: Wanted) -> Response:
    """Return matching records, sorted, up to the maximum size of a response."""
    found = step_records.find(run_id, evaluation_id, query)
    return _answer({"run_id": run_id, "evaluation_id": evaluation_id, "clip_id": None}, *found)


@steps_router.get(
    "/clips/{clip_id}/steps",
    response_model=StepColumns,
    responses=documented(RunNotFound, ArtifactNotFound, StepsNotFound, InvalidRequest, RunFolderError),
)
def get_clip_steps(run_id: str, clip_id: str, step_records: StepRecords, query: Wanted) -> Response:
    """Return matching records of a clip, as for an evaluation."""
    found = step_records.find_in_clip(run_id, clip_id, query)
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
    return Response(orjson.dumps(content), media_type="application/json")  # orjson writes null for NaN and infinity


@steps_router.get(
    f"{_EVALUATION}/export",
    response_class=Response,
    responses={
        200: {"description": "The records", "content": media_types(StepsFormat)},
        **documented(RunNotFound, EvaluationNotFound, StepsNotFound, NotExportable, InvalidRequest, RunFolderError),
    },
)
@in_lane(Lane.EXPORTS)
def export_steps(
    run_id: str,
    evaluation_id: str,
    step_records: StepRecords,
    lanes: ApiLanes,
    request: Request,
    kind: Annotated[StepsFormat, Query(alias="format", description="File format.")] = StepsFormat.NDJSON,
    episode: Episode = None,
    where: Where = None,
) -> Response:
    """Export the records of an evaluation in one of several formats: all, or those that match as in `…/steps`."""
    name = f"{run_id}-{evaluation_id}.{kind.extension}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', POLICY: ARTIFACT}
    if kind is StepsFormat.PARQUET and episode is None and not where:
        response = send_file(request, step_records.open(run_id, evaluation_id), kind.media_type)
        response.headers.update(headers)
        return response
    pieces = step_records.export(run_id, evaluation_id, kind, episode, where or ())
    return ExportResponse(lanes.make_pieces(pieces), headers=headers, media_type=kind.media_type)


@steps_router.post(
    f"{_EVALUATION}/verify",
    status_code=202,
    responses=documented(RunNotFound, EvaluationNotFound, StepsNotFound, VerificationInProgress),
)
@in_lane(Lane.CHECKS)
def verify_steps(run_id: str, evaluation_id: str, step_records: StepRecords) -> Verification:
    """Replay the episodes in a worker and compare every record."""
    return step_records.verify(run_id, evaluation_id)


@steps_router.post(
    f"{_EVALUATION}/film",
    status_code=202,
    responses=documented(RunNotFound, EvaluationNotFound, StepsNotFound, VerificationInProgress, RunIsActive),
)
@in_lane(Lane.CHECKS)
def film_again(run_id: str, evaluation_id: str, step_records: StepRecords) -> Verification:
    """Make the video of an evaluation from its step records. This verifies them: if one differs, no video is made."""
    return step_records.verify(run_id, evaluation_id, film=True)


@steps_router.get(f"{_EVALUATION}/verify", responses=documented(RunNotFound, EvaluationNotFound, RunFolderError))
def get_verification(run_id: str, evaluation_id: str, step_records: StepRecords) -> Verification | None:
    """Return the status of the last verification; null if there was none."""
    return step_records.verification(run_id, evaluation_id)


def _split(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


film_router = Router(prefix="/runs/{run_id}", tag="film", lane=Lane.READS)

_ASKED = {
    202: {"model": Clip, "description": "It is being made; GET it for its status"},
    **documented(RunNotFound, NothingToEvaluate, InvalidRequest, NotEnoughDisk),
}


@film_router.get("/policies", responses=documented(RunNotFound))
def list_policies(run_id: str, film: Film) -> Policies:
    """List the saved policies of the run. You can evaluate and film each of them."""
    return film.policies(run_id)


@film_router.post("/clips", responses=_ASKED)
def create_clip(run_id: str, body: ClipCreate, film: Film, response: Response) -> Clip:
    """Film and record one episode of a saved policy. Returns the clip at once if it exists."""
    return _film_answer(film.clip(run_id, **body.model_dump()), response)


@film_router.get("/clips", responses=documented(RunNotFound))
def list_clips(run_id: str, film: Film) -> list[Clip]:
    """List all clips, the last watched one at the end."""
    return film.clips(run_id)


@film_router.get("/clips/{clip_id}", responses=documented(RunNotFound, ArtifactNotFound))
def get_clip(run_id: str, clip_id: str, film: Film) -> Clip:
    """Return a requested clip and its status."""
    return film.find(run_id, clip_id)


@film_router.post("/growth-video", responses=_ASKED)
def create_growth_video(run_id: str, film: Film, response: Response, body: GrowthVideoCreate | None = None) -> Clip:
    """Make a video of how the run learned: some of its policies in turn, with the curve of the return."""
    wanted = body or GrowthVideoCreate()
    return _film_answer(film.growth_video(run_id, **wanted.model_dump()), response)


def _film_answer(clip: Clip, response: Response) -> Clip:
    if clip.status is ClipStatus.WAITING:
        response.status_code = 202
    return clip


artifacts_router = Router(prefix="/runs/{run_id}/artifacts", tag="artifacts", lane=Lane.READS)

_TYPES = {
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".log": "text/plain; charset=utf-8",
    ".mp4": "video/mp4",
    ".webp": "image/webp",
    ".zip": "application/zip",
}


@artifacts_router.head("/{path:path}", include_in_schema=False)
@artifacts_router.get(
    "/{path:path}",
    response_class=Response,
    responses={
        200: {"description": "The file", "content": {"*/*": {}}},
        206: {"description": "The requested range"},
        304: {"description": "The file has not changed since the version in If-None-Match"},
        416: {"description": "The range starts beyond the end", "content": PROBLEM},
        **documented(RunNotFound, ArtifactNotFound),
    },
)
def get_artifact(run_id: str, path: str, runs: RunsService, request: Request) -> Response:
    """Return any file of the run folder, or a range of it. Compressed journals are sent uncompressed."""
    folder = runs.folder(run_id)
    found = find_artifact(folder, path)
    kind = _TYPES.get(found.suffix) or mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    try:
        file = open_journal(found, folder.path)
    except FileNotFoundError as error:  # such as a checkpoint or video that was deleted meanwhile
        raise ArtifactNotFound(f"The file {path[:120]!r} of run {run_id!r} was deleted.") from error
    return send_file(request, file, kind)


TIMEOUT_SECONDS = 10.0
"""Seconds that a request waits for the worker. A running worker needs a fraction of it."""

POLL_SECONDS = 0.05

T = TypeVar("T")


async def wait_for(find: Callable[[], T | None]) -> T | None:
    """Call ``find`` until it returns a result; return None after TIMEOUT_SECONDS without one."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while (found := await run_in_threadpool(find)) is None:
        if time.monotonic() >= deadline:
            return None
        await asyncio.sleep(POLL_SECONDS)
    return found


seen_router = Router(prefix="/runs/{run_id}", tag="step records", lane=Lane.READS)
Strip = Annotated[
    int,
    Path(ge=0, le=1_000_000, description="Index from 0; `pictures` says how many a strip has."),
]
PlayedStep = Annotated[int, Query(ge=0, le=1_000_000_000, description="Number of actions before it; 0 is the reset.")]


@seen_router.get(
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
    seen: Seen,
) -> Response:
    """Return what the agent saw in several steps, as pictures below each other."""
    content = seen.strip(run_id, evaluation_id, strip)
    return Response(content, media_type="image/png", headers={"Cache-Control": "private, max-age=86400, immutable"})


@seen_router.get(
    "/clips/{clip_id}/pictures/{strip}",
    response_class=Response,
    responses={
        200: {"description": "A strip of pictures", "content": {"image/png": {}}},
        **documented(RunNotFound, ArtifactNotFound, PicturesNotFound, RunFolderError),
    },
)
def get_clip_pictures(run_id: str, clip_id: str, strip: Strip, seen: Seen) -> Response:
    """Return what the agent saw in a clip, as for an evaluation. Not cached, since clips may be made again."""
    content = seen.clip_strip(run_id, clip_id, strip)
    return Response(content, media_type="image/png", headers={"Cache-Control": "no-store"})


@seen_router.get(
    f"{_EVALUATION}/saliency",
    response_model=EvaluationSaliency,
    responses={
        202: {"model": SaliencyUnderWay, "description": "The episode is being replayed; request it again"},
        **documented(
            RunNotFound, EvaluationNotFound, StepsNotFound, NoSaliency, InvalidRequest, NotEnoughDisk, RunFolderError
        ),
    },
)
@in_lane(None)
async def get_saliency(
    run_id: str,
    evaluation_id: str,
    seen: Seen,
    episode: Annotated[int, Query(ge=0, le=1_000_000, description="From 0.")],
    step: PlayedStep,
) -> Response | EvaluationSaliency:
    """Return what the agent saw in a step, and which pixels mattered for its action."""
    wanted = await run_in_threadpool(seen.request_map, run_id, evaluation_id, episode=episode, index=step)
    found = await wait_for(lambda: seen.find(wanted))
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


@seen_router.get(
    "/clips/{clip_id}/saliency",
    response_model=ClipSaliency,
    responses={
        202: {"model": SaliencyUnderWay, "description": "The episode is being replayed; request it again"},
        **documented(
            RunNotFound, ArtifactNotFound, StepsNotFound, NoSaliency, InvalidRequest, NotEnoughDisk, RunFolderError
        ),
    },
)
@in_lane(None)
async def get_clip_saliency(run_id: str, clip_id: str, seen: Seen, step: PlayedStep) -> Response | ClipSaliency:
    """Return what the agent saw in a step of a clip, and which pixels mattered for its action."""
    wanted = await run_in_threadpool(seen.request_clip_map, run_id, clip_id, index=step)
    found = await wait_for(lambda: seen.find(wanted))
    if found is None:
        return _under_way(SaliencyUnderWay(run_id=run_id, clip_id=clip_id))
    return ClipSaliency(
        run_id=run_id, clip_id=clip_id, policy_step=wanted.step, step=step, seen=found.seen, png=found.png
    )


def _under_way(what: SaliencyUnderWay) -> Response:
    return Response(what.model_dump_json(), status_code=202, media_type="application/json")


futures_router = Router(prefix="/runs/{run_id}", tag="step records", lane=Lane.READS)

_NO_FUTURE = (StepsNotFound, NoOtherFuture, InvalidRequest, RunFolderError)
_FUTURE_ASKED = (*_NO_FUTURE, NotTrusted, EnvironmentMissing, NotEnoughDisk)
_PLAYING: dict[int | str, dict[str, Any]] = {
    202: {"model": Future, "description": "It is being played; GET it for its status"}
}


@futures_router.get(f"{_EVALUATION}/other-actions", responses=documented(RunNotFound, EvaluationNotFound, *_NO_FUTURE))
def get_other_actions(
    run_id: str,
    evaluation_id: str,
    futures: Futures,
    episode: Annotated[int, Query(ge=0, le=1_000_000, description="From 0.")],
    step: PlayedStep,
) -> OtherActions:
    """Return the actions that can be tried instead of the one after a step."""
    return futures.offer(RecordedStep(run_id, step, evaluation_id=evaluation_id, episode=episode))


@futures_router.post(
    f"{_EVALUATION}/futures",
    responses={**_PLAYING, **documented(RunNotFound, EvaluationNotFound, *_FUTURE_ASKED)},
)
def create_future(
    run_id: str, evaluation_id: str, body: EpisodeFutureCreate, futures: Futures, response: Response
) -> Future:
    """Play what would have happened after a step with another action, with the same policy. Returns it if ready."""
    at = RecordedStep(run_id, body.step, evaluation_id=evaluation_id, episode=body.episode)
    return _future_answer(futures.request(at, body.action), response)


@futures_router.get("/clips/{clip_id}/other-actions", responses=documented(RunNotFound, ArtifactNotFound, *_NO_FUTURE))
def get_other_clip_actions(run_id: str, clip_id: str, futures: Futures, step: PlayedStep) -> OtherActions:
    """Return the actions that can be tried at a step of a clip."""
    return futures.offer(RecordedStep(run_id, step, clip_id=clip_id))


@futures_router.post(
    "/clips/{clip_id}/futures", responses={**_PLAYING, **documented(RunNotFound, ArtifactNotFound, *_FUTURE_ASKED)}
)
def create_clip_future(run_id: str, clip_id: str, body: FutureCreate, futures: Futures, response: Response) -> Future:
    """Play what would have happened after a step of a clip with another action, as for an evaluation."""
    return _future_answer(futures.request(RecordedStep(run_id, body.step, clip_id=clip_id), body.action), response)


@futures_router.get("/futures/{future_id}", responses=documented(RunNotFound, ArtifactNotFound))
def get_future(run_id: str, future_id: str, futures: Futures) -> Future:
    """Return a requested future and its status."""
    return futures.find(run_id, future_id)


def _future_answer(future: Future, response: Response) -> Future:
    if future.status is ClipStatus.WAITING:
        response.status_code = 202
    return future


value_slices_router = Router(prefix="/runs/{run_id}", tag="film")

Component = Annotated[str, Query(min_length=1, max_length=200, description="Its index from 0, or its name.")]


@value_slices_router.get(
    "/value-slice",
    response_model=RunValueSlice,
    responses={
        202: {"model": SliceUnderWay, "description": "It is being computed; request it again"},
        **documented(RunNotFound, NothingToEvaluate, NotSliceable, InvalidRequest, NotEnoughDisk, RunFolderError),
    },
)
async def get_value_slice(
    run_id: str,
    value_slices: ValueSlices,
    x: Component,
    y: Component,
    checkpoint_step: Annotated[
        int | None,
        Query(ge=0, le=MAX_TIMESTEPS, description="The newest saved policy at or before it; default: the newest."),
    ] = None,
    at: Annotated[
        str | None,
        Query(max_length=40_000, description="Values of all components, comma-separated; x and y are ignored."),
    ] = None,
) -> Response | RunValueSlice:
    """Return the policy's value over two components of the observation."""
    wanted = await run_in_threadpool(value_slices.request_slice, run_id, x=x, y=y, step=checkpoint_step, at=at)
    found = await wait_for(lambda: value_slices.find(wanted))
    if found is None:
        under_way = SliceUnderWay(run_id=run_id, step=wanted.step)
        return Response(under_way.model_dump_json(), status_code=202, media_type="application/json")
    return view_value_slice(wanted, found)
