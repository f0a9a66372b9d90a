"""The files of a run."""

import mimetypes

from fastapi import Request
from starlette.responses import Response

from rlviz.api.dependencies import App
from rlviz.api.files import send_file
from rlviz.api.lanes import Lane
from rlviz.api.problems import PROBLEM, documented
from rlviz.api.router import Router
from rlviz.domain.errors import ArtifactNotFound, RunNotFound
from rlviz.rundir.artifacts import find_artifact
from rlviz.rundir.journal import open_journal

router = Router(prefix="/runs/{run_id}/artifacts", tag="artifacts", lane=Lane.READS)

_TYPES = {
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".log": "text/plain; charset=utf-8",
    ".mp4": "video/mp4",
    ".webp": "image/webp",
    ".zip": "application/zip",
}


@router.head("/{path:path}", include_in_schema=False)
@router.get(
    "/{path:path}",
    response_class=Response,
    responses={
        200: {"description": "The file", "content": {"*/*": {}}},
        206: {"description": "The range asked for"},
        304: {"description": "The file is still the one that If-None-Match names"},
        416: {"description": "The range begins beyond the end", "content": PROBLEM},
        **documented(RunNotFound, ArtifactNotFound),
    },
)
def get_artifact(run_id: str, path: str, app: App, request: Request) -> Response:
    """Any file of the run folder, whole or a range of it. A journal that was compressed is sent as it was before."""
    folder = app.runs.folder(run_id)
    found = find_artifact(folder, path)
    kind = _TYPES.get(found.suffix) or mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    try:
        file = open_journal(found, folder.path)
    except FileNotFoundError as error:  # a checkpoint or video that was dropped just now
        raise ArtifactNotFound(f"Run {run_id!r} has no file {path[:120]!r} any more.") from error
    return send_file(request, file, kind)
