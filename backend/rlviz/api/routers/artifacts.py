"""The files of a run."""

from __future__ import annotations

import mimetypes

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.domain.errors import ArtifactNotFound, RunNotFound
from rlviz.rundir.artifacts import find_artifact

router = APIRouter(prefix="/runs/{run_id}/artifacts", tags=["artifacts"])

_TYPES = {
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".log": "text/plain; charset=utf-8",
    ".mp4": "video/mp4",
    ".zip": "application/zip",
}


@router.get(
    "/{path:path}",
    response_class=Response,
    responses={
        200: {"description": "The file", "content": {"*/*": {}}},
        206: {"description": "The range asked for"},
        416: {"description": "The range lies beyond the end"},
        **documented(RunNotFound, ArtifactNotFound),
    },
)
def get_artifact(run_id: str, path: str, app: App) -> Response:
    """Any file of the run folder, whole or in ranges."""
    file = find_artifact(app.runs.folder(run_id), path)
    kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
    return FileResponse(file, media_type=kind, headers=headers)
