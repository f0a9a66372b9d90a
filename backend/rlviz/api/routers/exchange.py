"""Runs as files: a bundle or TensorBoard's event files to take away, and files of other tools to import."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from rlviz.api.dependencies import App
from rlviz.api.files import send_file
from rlviz.api.problems import documented
from rlviz.api.schemas import ImportedRuns, KnownLog, RefusedLog
from rlviz.api.views import view_run
from rlviz.domain.errors import (
    ArtifactNotFound,
    BundleRefused,
    Conflict,
    ExtraMissing,
    ImportRefused,
    NotEnoughDisk,
    PayloadTooLarge,
    RequestTimeout,
    RunFolderError,
    RunNotFound,
)
from rlviz.domain.limits import LIMITS
from rlviz.exchange.import_runs import Wishes

router = APIRouter(prefix="/runs", tags=["exchange"])

ZIP = "application/zip"
UPLOAD_SECONDS = 600.0
"""Seconds that a client may take to send a file."""

_Name = Annotated[str | None, Query(min_length=1, max_length=LIMITS.run_name.maximum)]


@router.post(
    "/import",
    status_code=201,
    responses=documented(BundleRefused, ImportRefused, Conflict, NotEnoughDisk, PayloadTooLarge, RequestTimeout),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def import_runs(
    request: Request,
    app: App,
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
    with app.exchange.upload(file) as path:
        with path.open("wb") as target:
            try:
                async with asyncio.timeout(UPLOAD_SECONDS):
                    async for chunk in request.stream():
                        await run_in_threadpool(target.write, chunk)
            except TimeoutError as error:
                raise RequestTimeout(f"The file did not come within {UPLOAD_SECONDS:g} s.") from error
        wishes = Wishes(algo, env_id, name, again=again)
        imported = await run_in_threadpool(app.exchange.bring_in, path, wishes)
    return ImportedRuns(
        runs=[view_run(row, {}) for row in imported.runs],
        known=[KnownLog(place=place, run=view_run(row, {})) for place, row in imported.known],
        refused=[RefusedLog(place=place, reason=reason) for place, reason in imported.refused],
    )


@router.get(
    "/{run_id}/bundle",
    response_class=Response,
    responses={
        200: {"description": "The bundle", "content": {ZIP: {}}},
        **documented(RunNotFound, ArtifactNotFound, RunFolderError, NotEnoughDisk),
    },
)
def get_bundle(
    run_id: str,
    app: App,
    request: Request,
    policies: Annotated[bool, Query(description="With its policies.")] = True,
    snapshots: Annotated[bool, Query(description="With what an exact resume needs.")] = False,
) -> Response:
    """The run as one file with hashes, for `rlviz import` or the page on another machine."""
    bundle = app.exchange.bundle(run_id, policies=policies, snapshots=snapshots)
    return _named(send_file(request, bundle, ZIP), f"{run_id}.zip")


@router.get(
    "/{run_id}/tensorboard",
    response_class=Response,
    responses={
        200: {"description": "A zip archive of event files", "content": {ZIP: {}}},
        **documented(RunNotFound, ArtifactNotFound, RunFolderError, NotEnoughDisk, ExtraMissing),
    },
)
def get_event_files(run_id: str, app: App, request: Request) -> Response:
    """The run's metrics as event files of TensorBoard, in a zip archive."""
    return _named(send_file(request, app.exchange.event_files(run_id), ZIP), f"{run_id}-tensorboard.zip")


def _named(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
