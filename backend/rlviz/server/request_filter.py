"""Middleware: check requests, count responses for ``/metrics``, and compress API responses.

``RequestFilter`` checks size, host, origin and token. It is plain ASGI, so it does not delay streams.
"""

from __future__ import annotations

import asyncio
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlviz.domain.errors import (
    Forbidden,
    HeadTooLarge,
    PayloadTooLarge,
    RequestTimeout,
    RlvizError,
    TooManyLoginAttempts,
    Unauthorized,
)
from rlviz.domain.limits import LIMITS
from rlviz.server.auth import LOGIN, RETRY, TokenAuth, client_address, is_login_path, to_login, wants_page
from rlviz.server.problems import as_problem, problem_response
from rlviz.server.proxy import FORWARDED_HOST, link
from rlviz.settings import Settings, is_loopback

MAX_BODY_BYTES = 1 << 20
MAX_HEAD_BYTES = 1 << 16
MAX_DROPPED_BYTES = 1 << 27
UPLOAD_PATH = "/api/runs/import"
BODY_SECONDS = 60.0
"""Seconds that a client may take to send a body."""

_SAFE = {"GET", "HEAD", "OPTIONS"}


class RequestFilter:
    """Refuses requests with problem+json before they reach the app.

    - Query and headers above 64 kB: 431.
    - Bodies above 1 MiB: 413, also without Content-Length; bodies that do not arrive: 408. An imported file may be
      larger and is passed on in parts.
    - On a loopback host, and with RLVIZ_ALLOWED_HOSTS, requests under any other host name (DNS rebinding): 403.
    - Changes and WebSockets that a page of another origin requests: 403.
    - With a token set, requests without ``Authorization: Bearer`` or the cookie: 401, or for a page a redirect to the
      login; after too many wrong tokens from one address: 429.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._auth = None if settings.token is None else TokenAuth(settings.token)
        self._allowed_hosts = frozenset(settings.allowed_hosts)
        self._checks_host = settings.is_loopback or bool(settings.allowed_hosts)
        self._origins = frozenset(settings.cors_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._filter(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._filter_socket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _filter_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a WebSocket like a change, since any page can open one to any address."""
        headers = Headers(scope=scope)
        answer = None
        try:
            self._check(scope, headers)
            if self._auth is not None and not self._auth.admits(headers, client_address(scope)):
                raise Unauthorized(_show_the_token())
        except RlvizError as error:
            answer = problem_response(as_problem(error), _WITH.get(type(error)))
        await (answer or self._app)(scope, receive, send)

    async def _filter(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            self._check(scope, headers)
            answer = self._authenticate(scope, headers)
            if answer is None and _has_body(headers):
                uploads = scope["path"] == UPLOAD_PATH
                receive = _bounded(receive) if uploads else await _read_body(headers, receive)
            if self._auth is not None and is_login_path(scope):
                answer = await self._auth.answer(Request(scope, receive))
        except RlvizError as error:
            answer = problem_response(as_problem(error), _CLOSE | _WITH.get(type(error), {}))
        await (answer or self._app)(scope, receive, send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        size = len(scope["query_string"]) + sum(len(name) + len(value) for name, value in scope["headers"])
        if size > MAX_HEAD_BYTES:
            raise HeadTooLarge(f"Query and headers may have up to {MAX_HEAD_BYTES:,} bytes together, not {size:,}.")
        hosts = {headers.get("host", ""), scope.get(FORWARDED_HOST) or headers.get("host", "")}
        for host in hosts:
            self._check_host(_url(f"//{host}").hostname or "")
        if scope.get("method") in _SAFE or headers.get("sec-fetch-site") == "same-origin":
            return  # only browsers set this header; a page cannot
        for origin in headers.getlist("origin"):  # check all, since it is unclear which one is the page's
            own = (netloc := _url(origin).netloc) and netloc in hosts
            if not own and origin not in self._origins:
                raise Forbidden(f"A page of {origin[:80]!r} may not change anything here.")

    def _check_host(self, host: str) -> None:
        if self._checks_host and not is_loopback(host) and host not in self._allowed_hosts:
            raise Forbidden(
                f"This service does not answer as {host[:80]!r}. Open it as 127.0.0.1 on its machine, or name the host "
                "in RLVIZ_ALLOWED_HOSTS."
            )

    def _authenticate(self, scope: Scope, headers: Headers) -> Response | None:
        """Return a redirect to the login page for a browser without the cookie; None if the request may continue.

        Raises Unauthorized or TooManyLoginAttempts.
        """
        if self._auth is None or is_login_path(scope) or self._auth.admits(headers, client_address(scope)):
            return None
        if wants_page(scope, headers):
            return to_login(scope)
        raise Unauthorized(_show_the_token())


def _show_the_token() -> str:
    return f"Show the token: sign in at {link(LOGIN)}, or send Authorization: Bearer …."


_CLOSE = {"Connection": "close"}
"""The rest of the body is not read, so the connection cannot be used again."""

_WITH: dict[type[RlvizError], dict[str, str]] = {
    Unauthorized: {"WWW-Authenticate": "Bearer"},
    TooManyLoginAttempts: RETRY,
}


def _url(text: str) -> SplitResult:
    try:
        return urlsplit(text)
    except ValueError:  # such as half an IPv6 address
        return urlsplit("")


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _bounded(receive: Receive) -> Receive:
    """Return a ``receive`` that passes a file on in parts and raises PayloadTooLarge beyond the limit."""
    most, size = LIMITS.import_bytes.maximum, 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise PayloadTooLarge(f"A file may have up to {most:,} bytes. `rlviz import` has no limit.")
        return message

    return counted


async def _read_body(headers: Headers, receive: Receive) -> Receive:
    """Read the body; return a ``receive`` that returns it in one piece. Raises PayloadTooLarge or RequestTimeout.

    A body beyond the limit is read to its end and dropped, since most clients read the response only after they have
    sent everything. A client that asks first (``Expect: 100-continue``) gets the error at once.
    """
    length = headers.get("content-length", "")
    if "expect" in headers and length.isdecimal() and int(length) > MAX_BODY_BYTES:
        raise _too_large()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body, message = await _collect(receive)
    except TimeoutError as error:
        raise RequestTimeout(f"The request body did not arrive within {BODY_SECONDS:g} s. Send it again.") from error
    ready: list[Message] = [{**message, "body": bytes(body)}] if message["type"] == "http.request" else [message]

    async def replay() -> Message:
        return ready.pop() if ready else await receive()

    return replay


async def _collect(receive: Receive) -> tuple[bytearray, Message]:
    """Return the whole body and its last message. Raises PayloadTooLarge."""
    body, size, more = bytearray(), 0, True
    while more and size <= MAX_DROPPED_BYTES:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size <= MAX_BODY_BYTES:
            body += part
        more = message.get("more_body", False)
    if size > MAX_BODY_BYTES:
        raise _too_large()
    return body, message


def _too_large() -> PayloadTooLarge:
    return PayloadTooLarge(f"A request body may have up to {MAX_BODY_BYTES} bytes.")


class RequestCounts:
    """Number of HTTP responses by the first digit of their status. Only the event loop may add to it."""

    def __init__(self) -> None:
        self.answered = dict.fromkeys((2, 3, 4, 5), 0)

    def add(self, status: int) -> None:
        self.answered[status // 100] = self.answered.get(status // 100, 0) + 1


class RequestCounter:
    """Counts a response when it starts. A request that fails before counts as 500, which the client gets."""

    def __init__(self, app: ASGIApp, counts: RequestCounts) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def counting(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._counts.add(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, counting)
        except Exception:
            if not has_begun:
                self._counts.add(500)
            raise


LEAST_BYTES = 1_024
LEVEL = 6
"""Gzip level: it reduces curves to a third of their size within one or two milliseconds."""


class AnswerCompression(GZipMiddleware):
    """Compresses longer responses with gzip.

    Streams are left alone, since compression would delay their events; so are files of a run, since their ETags and
    ranges refer to the file, and most are already compressed.
    """

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=LEAST_BYTES, compresslevel=LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if path.endswith("/stream") or "/artifacts/" in path:
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
