"""HTTP routes to export runs as files, to import files, and for the sinks of a run.

Exports are bundles, tables and TensorBoard event files. A sink is another program that a run is delivered to.
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
from rlviz.domain.export_formats import ZIP, ReportFormat, RunsFormat, TableFormat, media_types
from rlviz.domain.limits import LIMITS
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.import_runs import ImportOptions
from rlviz.server.dependencies import ApiLanes, provided
from rlviz.server.exchange import sinks
from rlviz.server.exchange.models import (
    ImportedRuns,
    KnownLog,
    LogWarning,
    OfferedSink,
    RefusedLog,
    ReportFilm,
    RunSink,
    RunSinks,
)
from rlviz.server.exchange.report.film import ReportFilmService
from rlviz.server.exchange.report.page import header_policy
from rlviz.server.exchange.report.service import RunReportService
from rlviz.server.exchange.service import ExchangeService
from rlviz.server.exchange.sinks import SinkService
from rlviz.server.experiments.service import ExperimentService
from rlviz.server.files import POLICY, send_file, split_parameter
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.runs.models import view_run

Exchange = Annotated[ExchangeService, Depends(provided(ExchangeService))]
Experiments = Annotated[ExperimentService, Depends(provided(ExperimentService))]
ReportFilmAccess = Annotated[ReportFilmService, Depends(provided(ReportFilmService))]
RunReport = Annotated[RunReportService, Depends(provided(RunReportService))]
Sinks = Annotated[SinkService, Depends(provided(SinkService))]

router = Router(tag="exchange", lane=Lane.EXPORTS)

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
    file: Annotated[str, Query(min_length=1, max_length=500, description="Name of the file, for messages.")],
    algo: _Name = None,
    env_id: _Name = None,
    name: _Name = None,
    again: Annotated[bool, Query(description="Also import logs that were imported before.")] = False,
) -> ImportedRuns:
    """Import runs from the file in the body: a bundle, a log of another tool, or a zip archive of logs.

    Logs with the same curves as a run that was imported before are skipped, unless you set `again`. `algo`, `env_id`
    and `name` replace the values in the logs. Policies in bundles are not imported; `rlviz import` can import them.
    """
    with exchange.upload(file) as path:
        with path.open("wb") as target:
            try:
                async with asyncio.timeout(UPLOAD_SECONDS):
                    async for chunk in request.stream():
                        await run_in_threadpool(target.write, chunk)
            except TimeoutError as error:
                raise RequestTimeout(f"The upload took longer than {UPLOAD_SECONDS:g} s.") from error
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
    policies: Annotated[bool, Query(description="Include its policies.")] = True,
    snapshots: Annotated[bool, Query(description="Include its snapshots, for an exact resume.")] = False,
) -> Response:
    """Download the run as one file with hashes, to import it on another machine."""
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
    """Download the run's metrics as TensorBoard event files in a zip archive."""
    return _named(send_file(request, exchange.event_files(run_id), ZIP), f"{run_id}-tensorboard.zip")


@router.get(
    "/runs/{run_id}/export",
    response_class=Response,
    responses={
        200: {"description": "The table", "content": media_types(TableFormat)},
        **documented(RunNotFound, ArtifactNotFound, RunFolderError, NotEnoughDisk),
    },
)
def export_run(
    run_id: str,
    exchange: Exchange,
    request: Request,
    form: Annotated[TableFormat, Query(alias="format", description="Format of the table.")] = TableFormat.CSV,
) -> Response:
    """Download all rows of the run's metrics as a table: `seq`, `time` (Unix seconds), `step`, and a column for each
    metric."""
    return _named(send_file(request, exchange.table(run_id, form), form.media_type), f"{run_id}.{form.extension}")


@router.get(
    "/runs/{run_id}/report",
    response_class=Response,
    responses={
        200: {"description": "The report", "content": media_types([ReportFormat.HTML])},
        **documented(RunNotFound, ArtifactNotFound, RunFolderError),
    },
)
def get_report(
    run_id: str,
    report: RunReport,
    film: Annotated[bool, Query(description="Include the videos that exist, up to a file of 10 MB.")] = False,
) -> Response:
    """Download the run as one HTML file that opens without a network: its curve, verdict, settings, events and hints,
    how to repeat it, and its film."""
    headers = {POLICY: header_policy(film=film)}
    html = Response(report.report(run_id, film=film), headers=headers, media_type=ReportFormat.HTML.media_type)
    return _named(html, f"{run_id}.{ReportFormat.HTML.extension}")


@router.get("/runs/{run_id}/report/film", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError))
@in_lane(Lane.READS)
def get_report_film(run_id: str, film: ReportFilmAccess) -> ReportFilm:
    """Return how far the clips are that the film of the report shows."""
    return ReportFilm(run_id=run_id, **vars(film.state(run_id)))


@router.post(
    "/runs/{run_id}/report/film", status_code=202, responses=documented(RunNotFound, ArtifactNotFound, RunFolderError)
)
@in_lane(Lane.CHANGES)
def request_report_film(run_id: str, film: ReportFilmAccess) -> ReportFilm:
    """Request the clips that the film of the report lacks: policies that are evenly spaced over the training, and the
    best one. GET the same address until none waits."""
    return ReportFilm(run_id=run_id, **vars(film.request(run_id)))


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
    experiment: Annotated[str | None, Query(max_length=200, description="Id of an experiment, for its runs.")] = None,
    form: Annotated[RunsFormat, Query(alias="format", description="Format of each run.")] = RunsFormat.CSV,
) -> Response:
    """Download several runs in one zip archive: for each a bundle, or a folder with its configuration and metrics.

    Archives of tables (csv, json, parquet) also contain the table `runs` with all runs and their settings. Give either
    `runs` or `experiment`; an experiment exports the runs that it has so far.
    """
    if (runs is None) == (experiment is None):
        raise InvalidRequest.field("/runs", "Give either the ids of runs or the id of an experiment.")
    ids = (
        split_parameter(runs, "runs", LIMITS.exported_runs)
        if runs is not None
        else experiments.run_ids(str(experiment))
    )
    name = experiment or "runs"
    return _named(send_file(request, exchange.archive_runs(ids, form, name), ZIP), f"{name}-{form}.zip")


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
    second: Annotated[str, Query(max_length=200, description="Another run, or another evaluation of the first.")],
) -> Response:
    """Download one video of two runs side by side: each with its newest evaluation that has a video, or the given one.

    The video shows the first 30 seconds, with name, step and return above each side. Making it takes some seconds, and
    requests wait for each other.
    """
    return _named(send_file(request, exchange.side_by_side(first, second), "video/mp4"), "side-by-side.mp4")


def _named(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


sinks_router = Router(tag="sinks")


@sinks_router.get("/sinks")
def list_sinks(sinks: Sinks) -> list[OfferedSink]:
    """List the programs that runs can be delivered to, with the place where runs go and the command to install each."""
    return [
        OfferedSink(
            kind=one.kind,
            label=one.kind.label,
            install=one.install,
            place=one.destination.place,
            note=one.destination.note,
        )
        for one in sinks.list_offered()
    ]


@sinks_router.get("/runs/{run_id}/sinks", responses=documented(RunNotFound, RunFolderError))
def get_sinks(run_id: str, sinks: Sinks) -> RunSinks:
    """List the sinks of the run, and how much of the run each has."""
    return RunSinks(run_id=run_id, sinks=[_view(one) for one in sinks.list_for_run(run_id)])


@sinks_router.put("/runs/{run_id}/sinks/{kind}", responses=documented(RunNotFound, RunFolderError, ExtraMissing))
def put_sink(run_id: str, kind: SinkKind, sinks: Sinks) -> RunSinks:
    """Deliver the run to this sink from now on, including the data it already has. Training does not wait for it."""
    sinks.add(run_id, [kind])
    return get_sinks(run_id, sinks)


@sinks_router.delete("/runs/{run_id}/sinks/{kind}", responses=documented(RunNotFound, RunFolderError))
def delete_sink(run_id: str, kind: SinkKind, sinks: Sinks) -> RunSinks:
    """Stop delivering the run to this sink. Delivered data stays there."""
    sinks.remove(run_id, kind)
    return get_sinks(run_id, sinks)


@sinks_router.post(
    "/runs/{run_id}/sinks/{kind}/deliver",
    status_code=202,
    responses=documented(RunNotFound, RunFolderError, ExtraMissing),
)
def deliver_to_sink(run_id: str, kind: SinkKind, sinks: Sinks) -> RunSinks:
    """Deliver the current data of the run to this sink now, once, or again after a failure.

    The delivery runs in a separate process; the answer does not wait for it.
    """
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
