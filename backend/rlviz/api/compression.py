"""Compression of API responses."""

from __future__ import annotations

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

LEAST_BYTES = 1_024
LEVEL = 6
"""Gzip level: curves become a third of their size in a millisecond or two."""


class AnswerCompression(GZipMiddleware):
    """Gzip for longer responses, except streams, whose events must not be delayed, and files of a run, whose ETags and
    ranges are those of the file and most of which are compressed already."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=LEAST_BYTES, compresslevel=LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if path.endswith("/stream") or "/artifacts/" in path:
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
