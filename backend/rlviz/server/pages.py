"""Serve the built front end at /, and a page at /api/docs to read and try the API.

The build compresses its files with brotli and gzip; the client gets the best variant that it accepts. No page loads
anything from other hosts.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from mimetypes import guess_type
from os import PathLike
from pathlib import Path
from urllib.parse import unquote

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from rlviz.domain.errors import InvalidRequest
from rlviz.domain.ids import is_run_id
from rlviz.server.files import EXPLORER, POLICY, SCRIPT, page_policy
from rlviz.server.proxy import link, root_path

log = logging.getLogger(__name__)


ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""Content codings and their file extensions, smallest first."""

_CODING = re.compile(r"\s*([\w*.-]+)\s*(?:;\s*q\s*=\s*([0-9.]+)\s*)?")


def variants_of(path: Path) -> dict[str, Path]:
    """Return the compressed variants of ``path`` by content coding."""
    named = {coding: path.with_name(path.name + ending) for coding, ending in ENCODINGS.items()}
    return {coding: variant for coding, variant in named.items() if variant.is_file()}


def chosen_coding(accepted: str, offered: dict[str, Path]) -> str | None:
    """Return the best ``offered`` coding by Accept-Encoding (RFC 9110, section 12.5.3); None: uncompressed."""
    weights = dict(_weights(accepted))
    wildcard = weights.get("*", 0.0)
    willing = {coding: weights.get(coding, wildcard) for coding in offered}
    best = max(willing.values(), default=0.0)
    return next((coding for coding, weight in willing.items() if weight == best > 0.0), None)


def _weights(accepted: str) -> list[tuple[str, float]]:
    found = []
    for part in accepted.lower().split(","):
        if match := _CODING.fullmatch(part):
            try:
                found.append((match[1], float(match[2] or 1.0)))
            except ValueError:
                continue
    return found


ROOT_PLACEHOLDER = b"/__RLVIZ_ROOT__"
"""Placeholder of the root path in a template; the same as in ``frontend/next.config.ts``."""

TEMPLATE = ".template"
"""Suffix of a template: a copy of an exported file with ROOT_PLACEHOLDER before its addresses."""

_NOT_PAGES = ("api", "login", "logout", "metrics")
_IMMUTABLE = "public, max-age=31536000, immutable"
_NOT_BUILT = """<!doctype html><meta charset="utf-8"><title>RL Gym Visualizer</title>
<p>The front end is not built. Run <code>make run</code>, or open the API at <a href="{docs}">{docs}</a>.</p>"""


class ExportedPages(StaticFiles):
    """Serves a Next.js export: ``/compare`` is ``compare.html``; unknown paths get the export's 404 page.

    If a proxy serves the app below a path, files that contain addresses of the app are filled in from their templates.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        for candidate in (path, f"{path}.html"):
            if candidate.endswith(TEMPLATE):
                continue
            try:
                response = await super().get_response(candidate, scope)
            except (HTTPException, ValueError):  # ValueError: a NUL in the path
                continue
            if response.status_code != 404:
                hashed = path.startswith("_next/static/")
                response.headers["Cache-Control"] = _IMMUTABLE if hashed else "no-cache"
                return response
        page = Path(str(self.directory)) / "404.html"
        response = self.file_response(page, page.stat(), scope, 404)
        response.headers["Cache-Control"] = "no-cache"
        return response

    def file_response(
        self, full_path: PathLike[str] | str, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return the file or a compressed variant, each with its own ETag and length.

        A range refers to the uncompressed file, so that a client can continue a download.
        """
        path, asked = Path(full_path), Headers(scope=scope)
        if root_path() and (template := path.with_name(path.name + TEMPLATE)).is_file():
            return self._filled_in(template, path.name, asked, status_code)
        policy = _policy_of_file(path, stat_result.st_mtime_ns, stat_result.st_size)
        headers = {POLICY: policy} if policy else {}
        if not (variants := variants_of(path)):
            return self._unless_known(FileResponse(path, status_code, headers, stat_result=stat_result), asked)
        headers["Vary"] = "Accept-Encoding"
        coding = None if "range" in asked else chosen_coding(asked.get("accept-encoding", ""), variants)
        sent = path if coding is None else variants[coding]
        if coding is not None:
            headers["Content-Encoding"] = coding
        response = FileResponse(sent, status_code, headers, _media_type(path.name), stat_result=sent.stat())
        return self._unless_known(response, asked)

    def _filled_in(self, template: Path, name: str, asked: Headers, status_code: int) -> Response:
        """Return the file ``name``, filled in from its template with the root path of this request."""
        status = template.stat()
        page = _fill_in(template, root_path(), status.st_mtime_ns, status.st_size)
        packs = chosen_coding(asked.get("accept-encoding", ""), {"gzip": template}) is not None
        headers = {
            "Vary": "Accept-Encoding",
            "ETag": f'"{page.digest}{"-gzip" if packs else ""}"',
            **({"Content-Encoding": "gzip"} if packs else {}),
            **({POLICY: page.policy} if page.policy else {}),
        }
        response = Response(page.packed if packs else page.content, status_code, headers, _media_type(name))
        return self._unless_known(response, asked)

    def _unless_known(self, response: Response, asked: Headers) -> Response:
        """Return ``response``, or 304 if the client has this version of the page."""
        is_known = response.status_code == 200 and self.is_not_modified(response.headers, asked)
        return NotModifiedResponse(response.headers) if is_known else response


@dataclass(frozen=True)
class _FilledIn:
    """A file made from a template. ``policy``: its Content-Security-Policy; empty for the default one."""

    content: bytes
    packed: bytes
    digest: str
    policy: str


@lru_cache(maxsize=200)
def _fill_in(template: Path, root: str, _modified: int, _size: int) -> _FilledIn:
    content = template.read_bytes().replace(ROOT_PLACEHOLDER, root.encode())
    policy = _policy_of(Path(template.stem), content)
    return _FilledIn(content, gzip.compress(content, 6), hashlib.sha256(content).hexdigest()[:32], policy)


@lru_cache(maxsize=200)
def _policy_of_file(path: Path, _modified: int, _size: int) -> str:
    return _policy_of(path, path.read_bytes() if path.suffix == ".html" else b"")


def _policy_of(path: Path, content: bytes) -> str:
    """Return the Content-Security-Policy of a page (with its inline scripts) or a script; empty for other files."""
    match path.suffix:
        case ".html":
            return page_policy(content)
        case ".js":
            return SCRIPT
    return ""


def _media_type(name: str) -> str:
    return guess_type(name)[0] or "text/plain"


def check_root_path(root: str, frontend_dir: Path) -> None:
    """Raise InvalidRequest if ``root`` starts like an address of the app, which would be ambiguous.

    Logs a warning if the pages were built without templates.
    """
    if root and (frontend_dir / "index.html").is_file() and not (frontend_dir / f"index.html{TEMPLATE}").is_file():
        log.warning(
            "The pages in %s were built for the top of an address, and cannot be served below %s", frontend_dir, root
        )
    first = unquote(root).removeprefix("/").partition("/")[0]
    is_page = first and any((frontend_dir / f"{first}{ending}").exists() for ending in ("", ".html"))
    if is_page or first in _NOT_PAGES:
        raise InvalidRequest(
            f"RLVIZ_ROOT_PATH={root} starts like an address of the app. Choose another path, such as /rlviz."
        )


def page_routes(frontend_dir: Path) -> list[Route | Mount]:
    """Return the routes for everything outside the API."""
    if not (frontend_dir / "404.html").is_file():
        return [Route("/{path:path}", _not_built)]
    pages = ExportedPages(directory=frontend_dir, html=True)

    async def run_page(request: Request) -> Response:
        """Redirect ``/runs/<id>`` to ``/runs/view?id=<id>``; ``/runs/view`` itself is an exported file."""
        name = request.path_params["name"]
        if is_run_id(name):
            return RedirectResponse(link(f"/runs/view?id={name}"), status_code=307)
        return await pages.get_response(f"runs/{name}", request.scope)

    return [Route("/runs/{name}", run_page), Mount("/", pages)]


async def _not_built(_request: Request) -> Response:
    return HTMLResponse(_NOT_BUILT.format(docs=link("/api/docs")), status_code=503)


router = APIRouter(include_in_schema=False)

_FOLDER = Path(__file__).parent / "static"


@router.get("/docs")
def explorer() -> Response:
    return FileResponse(_FOLDER / "explorer.html", headers={POLICY: EXPLORER})


@router.get("/docs/explorer.js")
def script() -> Response:
    return FileResponse(_FOLDER / "explorer.js")


@router.get("/docs/explorer.css")
def style() -> Response:
    return FileResponse(_FOLDER / "explorer.css")
