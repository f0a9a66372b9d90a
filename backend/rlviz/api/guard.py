"""Who may speak to the service: body size, host, origin, token. Plain ASGI, so that streams pass untouched."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlviz.api.problems import as_problem, problem_response
from rlviz.domain.errors import Forbidden, PayloadTooLarge, RlvizError, Unauthorized
from rlviz.settings import Settings, is_loopback

MAX_BODY_BYTES = 1 << 20
MAX_DROPPED_BYTES = 1 << 27
COOKIE = "rlviz_token"
_SAFE = {"GET", "HEAD", "OPTIONS"}


class Guard:
    """Refuses, as problem+json, what must not reach the app.

    - Bodies above 1 MiB: 413, whether they announce their length or not.
    - On a loopback host, requests under any other host name (DNS rebinding): 403.
    - Requests that change something and come from a page of another origin: 403.
    - With a token set, requests that show neither ``Authorization: Bearer`` nor the cookie: 401.
      A page opened once with ``?token=…`` gets the cookie.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._token = app, settings.token
        self._loopback_only = settings.is_loopback
        self._origins = frozenset(settings.cors_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if (login := self._login(scope)) is not None:
            await login(scope, receive, send)
            return
        try:
            self._check(scope, headers)
            if _has_body(headers):
                receive = await _read_body(headers, receive)
        except RlvizError as error:
            refusal = _CLOSE | _ASK_FOR_TOKEN if isinstance(error, Unauthorized) else _CLOSE
            await problem_response(as_problem(error), refusal)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        host = _url(f"//{headers.get('host', '')}").hostname or ""
        if self._loopback_only and not is_loopback(host):
            raise Forbidden(f"This service answers on this machine only, not as {host[:80]!r}. Open http://127.0.0.1.")
        origin = headers.get("origin")
        foreign = origin is not None and _url(origin).netloc != headers.get("host") and origin not in self._origins
        if foreign and scope["method"] not in _SAFE:
            raise Forbidden(f"A page of {origin!r} may not change anything here.")
        if self._token is not None and not self._knows_token(headers):
            raise Unauthorized("Show the token: open this page with ?token=…, or send Authorization: Bearer ….")

    def _knows_token(self, headers: Headers) -> bool:
        shown = [headers.get("authorization", "").removeprefix("Bearer ")]
        shown.extend(_cookies(headers.getlist("cookie")))
        return any(self._matches(candidate) for candidate in shown)

    def _login(self, scope: Scope) -> RedirectResponse | None:
        """For a page opened with the right ``?token=``: the same page without it, and the cookie."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in query if name == "token"]
        if scope["method"] != "GET" or not tokens or not self._matches(tokens[-1]):
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # Never a second leading slash: "//host" would lead to another site.
        path = "/" + scope["path"].lstrip("/\\")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        response.set_cookie(COOKIE, tokens[-1], httponly=True, samesite="strict", max_age=365 * 86_400)
        return response

    def _matches(self, candidate: str) -> bool:
        return self._token is not None and hmac.compare_digest(candidate.encode(), self._token.encode())


_CLOSE = {"Connection": "close"}
"""Nobody reads what is left of the body; the connection cannot be used again."""

_ASK_FOR_TOKEN = {"WWW-Authenticate": "Bearer"}


def _url(text: str) -> SplitResult:
    try:
        return urlsplit(text)
    except ValueError:  # for instance half an IPv6 address
        return urlsplit("")


def _cookies(headers: Iterable[str]) -> list[str]:
    found = []
    for header in headers:
        try:
            jar = SimpleCookie(header)
        except CookieError:
            continue
        if COOKIE in jar:
            found.append(jar[COOKIE].value)
    return found


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


async def _read_body(headers: Headers, receive: Receive) -> Receive:
    """Read the body; return a ``receive`` that hands it out in one piece. Raises PayloadTooLarge.

    A body beyond the limit is read to its end and dropped, since most clients listen only when they have
    sent everything. One that asks first (``Expect: 100-continue``) is told at once.
    """
    length = headers.get("content-length", "")
    if "expect" in headers and length.isdecimal() and int(length) > MAX_BODY_BYTES:
        raise _too_large()
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
    ready: list[Message] = [{**message, "body": bytes(body)}] if message["type"] == "http.request" else [message]

    async def replay() -> Message:
        return ready.pop() if ready else await receive()

    return replay


def _too_large() -> PayloadTooLarge:
    return PayloadTooLarge(f"A request body may have up to {MAX_BODY_BYTES} bytes.")
