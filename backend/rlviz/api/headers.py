"""Security headers of every response."""

from __future__ import annotations

import base64
import hashlib
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "content-security-policy"
REFERRER = "referrer-policy"
_INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)


def policy(**directives: str) -> str:
    """A Content-Security-Policy of ``directives`` and those that all responses share."""
    shut = {"default_src": "'none'", "base_uri": "'none'", "form_action": "'none'", "frame_ancestors": "'none'"}
    return "; ".join(f"{name.replace('_', '-')} {value}" for name, value in {**shut, **directives}.items())


NOTHING = policy()
"""For data: when it is opened as a page, it loads and runs nothing."""

ARTIFACT = policy(sandbox="", media_src="'self'", img_src="'self' data:", style_src="'unsafe-inline'")
"""For files of a run, which may contain anything: they are never shown as a page of this origin."""

SCRIPT = policy(script_src="'self'", connect_src="'self'")
"""For scripts: a shared worker takes its policy from the response that its script came with."""

EXPLORER = policy(script_src="'self'", style_src="'self'", connect_src="'self'")

_HEADERS = {
    "x-content-type-options": "nosniff",
    REFERRER: "no-referrer",
    "x-frame-options": "DENY",
}


def page_policy(page: bytes) -> str:
    """The policy of an exported page: its inline scripts by their hashes, and resources of this service only.

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
    """Adds the headers to every response, errors included. A header that the response sets itself is kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if message["status"] != 304:  # on a 304 the browser would use it in place of the stored response's own
                    headers.setdefault(POLICY, NOTHING)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
