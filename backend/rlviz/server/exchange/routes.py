"""Runs as files: bundles, tables and TensorBoard's event files to take away, and files of other tools to import.

The sinks of a run: other programs that it is delivered to.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from rlviz.domain.errors import (
    ArtifactNotFound,
    BundleRefused,
    Conflict,
    EvaluationNotFound,
    ExperimentNotFound,
    ExtraMissing,
    ImportRefused,
    InvalidRequest,
    NotEnoughDisk,
    PayloadTooLarge,
    RequestTimeout,
    RunFolderError,
    RunNotFound,
    VideoNotWritten,
)
from rlviz.domain.limits import LIMITS
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.export import RunsFormat, TableFormat
from rlviz.exchange.import_runs import ImportOptions
from rlviz.server.dependencies import ApiLanes, provided
from rlviz.server.exchange import sinks
from rlviz.server.exchange.models import ImportedRuns, KnownLog, LogWarning, OfferedSink, RefusedLog, RunSink, RunSinks
from rlviz.server.exchange.service import ExchangeService
from rlviz.server.exchange.sinks import SinkService
from rlviz.server.experiments.service import ExperimentService
from rlviz.server.files import send_file, split_parameter
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.runs.models import view_run

Exchange = Annotated[ExchangeService, Depends(provided(ExchangeService))]
Experiments = Annotated[ExperimentService, Depends(provided(ExperimentService))]
Sinks = Annotated[SinkService, Depends(provided(SinkService))]

router = Router(tag="exchange", lane=Lane.EXPORTS)

MEDIA_TYPES = {
    TableFormat.CSV: "text/csv; charset=utf-8",
    TableFormat.JSON: "application/json",
    TableFormat.PARQUET: "application/vnd.apache.parquet",
}

ZIP = "application/zip"
UPLOAD_SECONDS = 600.0
"""Seconds that a client may take to send a file."""

_Name = Annotated[str | None, Query(min_length=1, max_length=LIMITS.run_name.maximum)]


@router.post(
    "/runs/import",
    status_code=201,
    responses=documented(BundleRefused, ImportRefused, Conflict, NotEnoughDisk, PayloadTooLarge, RequestTimeout),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
@in_lane(None)
async def import_runs(
    request: Request,
    exchange: Exchange,
    lanes: ApiLanes,
    file: Annotated[str, Query(min_length=1, max_length=500, description="Name of the file, by which it is known.")],
    algo: _Name = None,
    env_id: _Name = None,
    name: _Name = None,
    again: Annotated[bool, Query(description="Also what was imported before.")] = False,
) -> ImportedRuns:
    """Import runs from the one file that is the body: a bundle, a log of another tool, or a zip archive of logs.

    What has the curves of a run that was imported before is left out, unless it is wanted `again`. `algo`, `env_id` and
    `name` count before what the logs say. Policies are left out of bundles; `rlviz import` takes
    them if asked to.
    """
    with exchange.upload(file) as path:
        with path.open("wb") as target:
            try:
                async with asyncio.timeout(UPLOAD_SECONDS):
                    async for chunk in request.stream():
                        await run_in_threadpool(target.write, chunk)
            except TimeoutError as error:
                raise RequestTimeout(f"The file did not come within {UPLOAD_SECONDS:g} s.") from error
        options = ImportOptions(algo, env_id, name, again=again)
        async with lanes.hold_turn(Lane.EXPORTS):
            imported = await run_in_threadpool(exchange.import_file, path, options)
    return ImportedRuns(
        runs=[view_run(row, {}) for row in imported.runs],
        warnings=[
            LogWarning(run_id=run_id, message=message)
            for run_id, messages in imported.warnings.items()
            for message in messages
        ],
        known=[KnownLog(place=place, run=view_run(row, {})) for place, row in imported.known],
        refused=[RefusedLog(place=place, reason=reason) for place, reason in imported.refused],
    )


@router.get(
    "/runs/{run_id}/bundle",
    response_class=Response,
    responses={
        200: {"description": "The bundle", "content": {ZIP: {}}},
        **documented(RunNotFound, ArtifactNotFound, RunFolderError, NotEnoughDisk),
    },
)
def get_bundle(
    run_id: str,
    exchange: Exchange,
    request: Request,
    policies: Annotated[bool, Query(description="With its policies.")] = True,
    snapshots: Annotated[bool, Query(description="With what an exact resume needs.")] = False,
) -> Response:
    """The run as one file with hashes, for `rlviz import` or the page on another machine."""
    bundle = exchange.bundle(run_id, policies=policies, snapshots=snapshots)
    return _named(send_file(request, bundle, ZIP), f"{run_id}.zip")


@router.get(
    "/runs/{run_id}/tensorboard",
    response_class=Response,
    responses={
        200: {"description": "A zip archive of event files", "content": {ZIP: {}}},
        **documented(RunNotFound, ArtifactNotFound, RunFolderError, NotEnoughDisk),
    },
)
def get_event_files(run_id: str, exchange: Exchange, request: Request) -> Response:
    """The run's metrics as event files of TensorBoard, in a zip archive."""
    return _named(send_file(request, exchange.event_files(run_id), ZIP), f"{run_id}-tensorboard.zip")


@router.get(
    "/runs/{run_id}/export",
    response_class=Response,
    responses={
        200: {"description": "The table", "content": {media: {} for media in MEDIA_TYPES.values()}},
        **documented(RunNotFound, ArtifactNotFound, RunFolderError, NotEnoughDisk),
    },
)
def export_run(
    run_id: str,
    exchange: Exchange,
    request: Request,
    form: Annotated[TableFormat, Query(alias="format", description="Of the answer.")] = TableFormat.CSV,
) -> Response:
    """Every row of the run's metrics as a table: `seq`, `time` (Unix seconds), `step`, and a column for each metric."""
    return _named(send_file(request, exchange.table(run_id, form), MEDIA_TYPES[form]), f"{run_id}.{form}")


@router.get(
    "/export",
    response_class=Response,
    responses={
        200: {"description": "A zip archive", "content": {ZIP: {}}},
        **documented(
            RunNotFound,
            ExperimentNotFound,
            ArtifactNotFound,
            RunFolderError,
            NotEnoughDisk,
            InvalidRequest,
        ),
    },
)
def export_runs(
    experiments: Experiments,
    exchange: Exchange,
    request: Request,
    runs: Annotated[str | None, Query(max_length=20_000, description="Run ids, comma-separated.")] = None,
    experiment: Annotated[str | None, Query(max_length=200, description="Id of an experiment: its runs.")] = None,
    form: Annotated[RunsFormat, Query(alias="format", description="Of each run.")] = RunsFormat.CSV,
) -> Response:
    """Several runs in one zip archive: of each its bundle, or a folder with its configuration and its metrics.

    With tables (csv, json, parquet) goes one of the runs and their settings, `runs`. Give `runs` or `experiment`; of an
    experiment the runs that are there.
    """
    if (runs is None) == (experiment is None):
        raise InvalidRequest.field("/runs", "Give the ids of runs, or that of an experiment: one of the two.")
    ids = (
        split_parameter(runs, "runs", LIMITS.exported_runs)
        if runs is not None
        else experiments.run_ids(str(experiment))
    )
    name = experiment or "runs"
    return _named(send_file(request, exchange.several(ids, form, name), ZIP), f"{name}-{form}.zip")


@router.get(
    "/compare/video",
    response_class=Response,
    responses={
        200: {"description": "The video", "content": {"video/mp4": {}}},
        **documented(RunNotFound, EvaluationNotFound, ArtifactNotFound, Conflict, VideoNotWritten, NotEnoughDisk),
    },
)
def get_side_by_side_video(
    exchange: Exchange,
    request: Request,
    first: Annotated[str, Query(max_length=200, description="A run, or RUN/EVALUATION.")],
    second: Annotated[str, Query(max_length=200, description="Another one, or another evaluation of it.")],
) -> Response:
    """Two runs side by side in one video: of each its newest evaluation with a video, or the one that is named.

    Each below its name, step and return; the first half minute. It is made when it is asked for, which takes some
    seconds, and one at a time.
    """
    return _named(send_file(request, exchange.side_by_side(first, second), "video/mp4"), "side-by-side.mp4")


def _named(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


sinks_router = Router(tag="sinks")


@sinks_router.get("/sinks")
def list_sinks(sinks: Sinks) -> list[OfferedSink]:
    """The programs that runs can be delivered to, where they would go, and what to install for those that are not."""
    return [
        OfferedSink(
            kind=one.kind,
            label=one.kind.label,
            install=one.install,
            place=one.destination.place,
            note=one.destination.note,
        )
        for one in sinks.offered()
    ]


@sinks_router.get("/runs/{run_id}/sinks", responses=documented(RunNotFound, RunFolderError))
def get_sinks(run_id: str, sinks: Sinks) -> RunSinks:
    """Where the run was, or shall be, delivered to, and how far each has it."""
    return RunSinks(run_id=run_id, sinks=[_view(one) for one in sinks.list_for_run(run_id)])


@sinks_router.put("/runs/{run_id}/sinks/{kind}", responses=documented(RunNotFound, RunFolderError, ExtraMissing))
def put_sink(run_id: str, kind: SinkKind, sinks: Sinks) -> RunSinks:
    """Deliver the run there from now on: what it has, and what it gains. Training does not wait for it."""
    sinks.add(run_id, [kind])
    return get_sinks(run_id, sinks)


@sinks_router.delete("/runs/{run_id}/sinks/{kind}", responses=documented(RunNotFound, RunFolderError))
def delete_sink(run_id: str, kind: SinkKind, sinks: Sinks) -> RunSinks:
    """Deliver the run there no more. What is there stays."""
    sinks.remove(run_id, kind)
    return get_sinks(run_id, sinks)


@sinks_router.post(
    "/runs/{run_id}/sinks/{kind}/deliver",
    status_code=202,
    responses=documented(RunNotFound, RunFolderError, ExtraMissing),
)
def deliver_to_sink(run_id: str, kind: SinkKind, sinks: Sinks) -> RunSinks:
    """Deliver now what it lacks of the run, once, or again after it failed. It goes on in a process of its own."""
    sinks.deliver(run_id, kind)
    return get_sinks(run_id, sinks)


def _view(one: sinks.RunSink) -> RunSink:
    record = one.record
    return RunSink(
        kind=record.kind,
        label=record.kind.label,
        live=one.is_live,
        state=one.state,
        place=record.place,
        offline=record.offline,
        renamed=record.renamed,
        rows=record.rows,
        step=record.step,
        waiting_bytes=one.waiting_bytes,
        problem=record.problem,
        attempts=record.attempts,
        under_way=one.attempt.is_under_way,
        next_try_at=one.attempt.next_at,
        updated_at=record.updated_at or None,
    )
