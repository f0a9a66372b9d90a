"""Send files over HTTP, with ranges, validators, and support for files that grow meanwhile.

Also here: the security headers of every response, and comma-separated names in query parameters.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import re
from collections.abc import Iterator
from email.utils import formatdate
from http import HTTPStatus
from typing import BinaryIO

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlviz.domain.errors import InvalidRequest, RlvizError
from rlviz.domain.limits import Bounds
from rlviz.domain.plain_text import split_names

log = logging.getLogger(__name__)

POLICY = "content-security-policy"
REFERRER = "referrer-policy"
_INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)


def policy(**directives: str) -> str:
    """Return a Content-Security-Policy with ``directives`` and those that all responses share."""
    shut = {"default_src": "'none'", "base_uri": "'none'", "form_action": "'none'", "frame_ancestors": "'none'"}
    return "; ".join(f"{name.replace('_', '-')} {value}" for name, value in {**shut, **directives}.items())


NOTHING = policy()
"""Policy of data: a browser that opens it as a page loads and runs nothing."""

ARTIFACT = policy(sandbox="", media_src="'self'", img_src="'self' data:", style_src="'unsafe-inline'")
"""Policy of files of a run, whose content is not trusted: a browser never shows them as a page of this origin."""

SCRIPT = policy(script_src="'self'", connect_src="'self'")
"""Policy of scripts: a shared worker gets its policy from the response with its script."""

EXPLORER = policy(script_src="'self'", style_src="'self'", connect_src="'self'")

_HEADERS = {
    "x-content-type-options": "nosniff",
    REFERRER: "no-referrer",
    "x-frame-options": "DENY",
}


def page_policy(page: bytes) -> str:
    """Return the policy of an exported page: it may run its inline scripts, and load only from this service.

    Inline styles are allowed, since charts position their parts by style attributes.
    """
    hashes = (hashlib.sha256(script).digest() for script in _INLINE_SCRIPT.findall(page))
    known = dict.fromkeys(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes)
    return policy(
        default_src="'self'",
        script_src=" ".join(["'self'", *known]),
        style_src="'self' 'unsafe-inline'",
        img_src="'self' data: blob:",
        media_src="'self' blob:",
        connect_src="'self'",
        object_src="'none'",
        form_action="'self'",
    )


class SecurityHeaders:
    """Adds security headers to every response, including errors. Headers that a response sets itself are kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if message["status"] != 304:  # of a 304, a browser would use it for its stored response
                    headers.setdefault(POLICY, NOTHING)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_CHUNK = 1 << 18


def send_file(request: Request, file: BinaryIO, media_type: str) -> Response:
    """Return a response with an open file or the requested range of it, and close the file after sending.

    Starlette's FileResponse fails if the file grows meanwhile, as journals do, and answers invalid ranges with plain
    text. This one sends the file as it is at the start. It ignores invalid ranges and lists of ranges, as RFC 9110
    (section 14.2) allows.
    """
    try:
        response = _answer(request, file, media_type)
    except BaseException:
        file.close()
        raise
    if not isinstance(response, StreamingResponse):
        file.close()
    return response


def _answer(request: Request, file: BinaryIO, media_type: str) -> Response:
    """Return the response. Headers and content belong to the opened file, even if its name is reused meanwhile."""
    status, size = os.fstat(file.fileno()), file.seek(0, os.SEEK_END)
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "no-cache",
        "ETag": f'"{status.st_mtime_ns:x}-{size:x}"',
        "Last-Modified": formatdate(status.st_mtime, usegmt=True),
        POLICY: ARTIFACT,
    }
    if _is_fresh(request.headers, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    span = _requested_range(request.headers, headers, size)
    first, last = span or (0, size - 1)
    headers["Content-Length"] = str(last - first + 1)
    if span:
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    code = HTTPStatus.PARTIAL_CONTENT if span else HTTPStatus.OK
    if request.method == "HEAD":
        return Response(status_code=code, headers=headers, media_type=media_type)
    return StreamingResponse(_read(file, first, last + 1), code, headers, media_type)


class ExportResponse(StreamingResponse):
    """A long export. If making a later piece fails with an error of the product, such as a time limit, the response
    ends without its last part: the server closes the connection, so that the client sees that the file is cut off.
    """

    async def stream_response(self, send: Send) -> None:
        """Send the pieces; log why there are no more."""
        try:
            await super().stream_response(send)
        except RlvizError as error:
            log.warning("An export ended before its end, and its connection is closed: %s", error)


def _is_fresh(asked: Headers, etag: str) -> bool:
    """Return whether the client has this version already (If-None-Match)."""
    known = [tag.strip().removeprefix("W/") for tag in asked.get("if-none-match", "").split(",")]
    return etag in known or known == ["*"]


def _requested_range(asked: Headers, headers: dict[str, str], size: int) -> tuple[int, int] | None:
    """Return the first and last byte of the requested range; None: the whole file. Raises HTTPException 416."""
    match = _RANGE.fullmatch(asked.get("range", ""))
    same = asked.get("if-range", headers["ETag"]) in (headers["ETag"], headers["Last-Modified"])
    if match is None or not same or not (match[1] or match[2]):
        return None
    if match[1]:
        first, last = int(match[1]), min(int(match[2] or size), size - 1)
        if match[2] and int(match[2]) < first:
            return None
    else:
        first, last = max(0, size - int(match[2])), size - 1
    if first >= size:
        raise HTTPException(
            HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
            f"The range {match[0][:60]!r} starts beyond the end of the file, which has {size} bytes.",
            {"Content-Range": f"bytes */{size}"},
        )
    return first, last


def _read(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    with file:
        file.seek(start)
        while start < end and (chunk := file.read(min(_CHUNK, end - start))):
            start += len(chunk)
            yield chunk


def split_parameter(text: str, parameter: str, allowed: Bounds) -> list[str]:
    """Return the comma-separated names in ``text``. Raises InvalidRequest for too few or too many.

    Args:
        text: The value of the query parameter.
        parameter: Its name.
        allowed: Least and greatest number of names.
    """
    names = split_names(text)
    if not allowed.minimum <= len(names) <= allowed.maximum:
        raise InvalidRequest.field(
            f"/{parameter}",
            f"Name {allowed.minimum} to {allowed.maximum} {parameter}, separated by commas; got {len(names)}.",
        )
    return names
