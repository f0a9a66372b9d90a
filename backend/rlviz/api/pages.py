"""The built front end at /, and short addresses that redirect into it."""

from __future__ import annotations

import os
from mimetypes import guess_type
from os import PathLike
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from rlviz.api.headers import POLICY, page_policy
from rlviz.api.precompressed import ENCODINGS, chosen_coding, variants_of
from rlviz.domain.ids import is_run_id

_IMMUTABLE = "public, max-age=31536000, immutable"
_NOT_BUILT = """<!doctype html><meta charset="utf-8"><title>RL Gym Visualizer</title>
<p>The front end is not built. Run <code>make run</code>, or open the API at <a href="/api/docs">/api/docs</a>.</p>"""


class ExportedPages(StaticFiles):
    """Serves a Next.js export: ``/compare`` is ``compare.html``; unknown paths get the export's 404 page."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        for candidate in (path, f"{path}.html"):
            try:
                response = await super().get_response(candidate, scope)
            except (HTTPException, ValueError):  # ValueError: a NUL in the path
                continue
            if response.status_code != 404:
                hashed = path.startswith("_next/static/")
                response.headers["Cache-Control"] = _IMMUTABLE if hashed else "no-cache"
                return _with_policy(response)
        page = Path(str(self.directory)) / "404.html"
        return _with_policy(FileResponse(page, status_code=404, headers={"Cache-Control": "no-cache"}))

    def file_response(
        self, full_path: PathLike[str] | str, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """The file, or a compressed variant of it, each with its own ETag and length.

        A range is always of the uncompressed file, so a client can continue an earlier download of that.
        """
        path, asked = Path(full_path), Headers(scope=scope)
        if not (variants := variants_of(path)):
            return super().file_response(full_path, stat_result, scope, status_code)
        headers = {"Vary": "Accept-Encoding"}
        coding = None if "range" in asked else chosen_coding(asked.get("accept-encoding", ""), variants)
        sent = path if coding is None else variants[coding]
        if coding is not None:
            headers["Content-Encoding"] = coding
        kind = guess_type(path.name)[0] or "text/plain"
        response = FileResponse(sent, status_code, headers, kind, stat_result=sent.stat())
        if self.is_not_modified(response.headers, asked):
            return NotModifiedResponse(response.headers)
        return response


def _with_policy(response: Response) -> Response:
    """A page with a Content-Security-Policy that allows its own inline scripts."""
    if isinstance(response, FileResponse) and (page := _uncompressed(Path(response.path))).suffix == ".html":
        response.headers[POLICY] = page_policy(page)
    return response


def _uncompressed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix in ENCODINGS.values() else path


def page_routes(frontend_dir: Path) -> list[Route | Mount]:
    """Routes for everything outside the API."""
    if not (frontend_dir / "404.html").is_file():
        return [Route("/{path:path}", _not_built)]
    pages = ExportedPages(directory=frontend_dir, html=True)

    async def run_page(request: Request) -> Response:
        """Redirects ``/runs/<id>`` to ``/runs/view?id=<id>``; ``/runs/view`` itself is a file of the export."""
        name = request.path_params["name"]
        if is_run_id(name) and name != "view":
            return RedirectResponse(f"/runs/view?id={name}", status_code=307)
        return await pages.get_response(f"runs/{name}", request.scope)

    return [Route("/runs/{name}", run_page), Mount("/", pages)]


async def _not_built(_request: Request) -> Response:
    return HTMLResponse(_NOT_BUILT, status_code=503)
