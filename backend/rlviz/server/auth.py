"""Check the token of a request, and serve the login page.

A client sends the token as a bearer header; a browser sends the cookie that the login page sets. ``LoginRateLimiter``
limits the number of wrong tokens from one address.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections import deque
from collections.abc import Callable, Iterable
from html import escape
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address
from urllib.parse import parse_qs, urlencode

from cachetools import TTLCache
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from rlviz.domain.errors import TooManyLoginAttempts
from rlviz.server.files import POLICY, REFERRER, policy
from rlviz.server.proxy import link, root_path

MAX_ATTEMPTS = 20
WAIT_SECONDS = 60.0
MAX_ADDRESSES = 10_000
"""Maximum number of addresses to remember; those with the oldest attempts are dropped."""


class LoginRateLimiter:
    """Blocks an address after MAX_ATTEMPTS wrong tokens within WAIT_SECONDS, until the first of them is older."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._times: TTLCache[str, deque[float]] = TTLCache(MAX_ADDRESSES, ttl=WAIT_SECONDS, timer=monotonic)

    def check(self, address: str) -> None:
        """Raise TooManyLoginAttempts if the address is blocked. Call it before you compare a token, so that a blocked
        address cannot find the right one."""
        times = self._times.get(_group(address), deque[float]())
        if len(times) == MAX_ATTEMPTS and self._monotonic() - times[0] < WAIT_SECONDS:
            raise TooManyLoginAttempts("Too many wrong tokens. Wait a minute.")

    def add(self, address: str) -> None:
        """Count a wrong token."""
        group = _group(address)
        times = self._times.get(group, deque[float](maxlen=MAX_ATTEMPTS))
        times.append(self._monotonic())
        self._times[group] = times  # re-inserted, since addresses are ordered by their newest attempt


def _group(address: str) -> str:
    """Return the address; for IPv6 its /64 network, since its owner can use every address in it."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or parsed.exploded[:19])


COOKIE = "rlviz_session"
LOGIN, LOGOUT = "/login", "/logout"
RETRY = {"Retry-After": f"{WAIT_SECONDS:.0f}"}
_YEAR_SECONDS = 365 * 86_400
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    POLICY: policy(style_src="'unsafe-inline'", form_action="'self'"),
    REFERRER: "same-origin",  # with no-referrer the form would be sent from origin "null", which is refused
}


class TokenAuth:
    """Authenticates requests. Tokens are compared in constant time; ``limiter`` counts wrong ones.

    The cookie is derived from the token, so a new token invalidates all cookies. It is too long to guess, so requests
    with a cookie are not rate limited.
    """

    def __init__(self, token: str, limiter: LoginRateLimiter | None = None) -> None:
        self._token = token.encode()
        self._session = session_value(token)
        self._limiter = limiter or LoginRateLimiter()

    def admits(self, headers: Headers, address: str) -> bool:
        """Return whether the request from ``address`` has the right cookie or token. Raises TooManyLoginAttempts."""
        if any(hmac.compare_digest(value.encode(), self._session.encode()) for value in _cookies(headers)):
            return True
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._is_token(shown, address)

    def _is_token(self, shown: str, address: str) -> bool:
        self._limiter.check(address)
        right = hmac.compare_digest(shown.encode(), self._token)
        if not right:
            self._limiter.add(address)
        return right

    async def answer(self, request: Request) -> Response:
        """Return the response to a request for the login page, its form, or the logout."""
        if request.url.path == LOGOUT:
            return self._log_out(request)
        if request.method != "POST":
            return _page(_local(request.query_params.get("next", "/")), HTTPStatus.OK)
        form = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
        token, target = form.get("token", [""])[-1], _local(form.get("next", ["/"])[-1])
        try:
            right = self._is_token(token.strip(), client_address(request.scope))
        except TooManyLoginAttempts as error:
            return _page(target, HTTPStatus.TOO_MANY_REQUESTS, str(error), RETRY)
        if not right:
            return _page(target, HTTPStatus.UNAUTHORIZED, "That is not the token.")
        response = RedirectResponse(target, HTTPStatus.SEE_OTHER)
        secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE,
            self._session,
            max_age=_YEAR_SECONDS,
            path=root_path() or "/",
            httponly=True,
            samesite="strict",
            secure=secure,
        )
        return response

    def _log_out(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(status_code=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "POST"})
        response = RedirectResponse(link(LOGIN), HTTPStatus.SEE_OTHER)
        response.delete_cookie(COOKIE, path=root_path() or "/", httponly=True, samesite="strict")
        return response


def session_value(token: str) -> str:
    """Return the value of the cookie after a login with ``token``."""
    return hmac.new(token.encode(), b"rlviz session 1", hashlib.sha256).hexdigest()


def client_address(scope: Scope) -> str:
    """Return the address that a request came from; empty if unknown."""
    client = scope.get("client")
    return client[0] if client else ""


def is_login_path(scope: Scope) -> bool:
    return scope["path"] in (LOGIN, LOGOUT)


def wants_page(scope: Scope, headers: Headers) -> bool:
    """Return whether a browser requests a page, in contrast to an API call."""
    path = scope["path"]
    is_page = path == "/api/docs" or not (path == "/api" or path.startswith("/api/"))
    return scope["method"] == "GET" and "text/html" in headers.get("accept", "") and is_page


def to_login(scope: Scope) -> Response:
    """Return a redirect to the login page, which then redirects back to the requested page."""
    query = scope.get("query_string", b"").decode("latin-1")
    target = link(f"{scope['path']}?{query}" if query else scope["path"])
    return RedirectResponse(f"{link(LOGIN)}?{urlencode({'next': target})}", HTTPStatus.SEE_OTHER)


def _local(target: str) -> str:
    """Return ``target`` if it is a page of this app, else the address of the first page.

    A second leading slash is removed, since "//host" would redirect to another site.
    """
    visible = "".join(character for character in target if character.isprintable())
    address = "/" + visible.lstrip("/\\ ")
    is_below = address.startswith(link("/"))
    return link("/") if not is_below or address.startswith((link(LOGIN), link(LOGOUT))) else address


def _cookies(headers: Headers) -> Iterable[str]:
    for header in headers.getlist("cookie"):
        try:
            jar = SimpleCookie(header)
        except CookieError:
            continue
        if COOKIE in jar:
            yield jar[COOKIE].value


def _page(target: str, status: HTTPStatus, problem: str = "", headers: dict[str, str] | None = None) -> Response:
    alert = f'<p role="alert">{escape(problem)}</p>' if problem else ""
    invalid = ' aria-invalid="true"' if problem else ""
    content = _HTML.format(alert=alert, invalid=invalid, login=link(LOGIN), target=escape(target, quote=True))
    return HTMLResponse(content, status, {**_PAGE_HEADERS, **(headers or {})})


_HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in · RL Gym Visualizer</title>
<style>
:root {{ font: 16px/1.5 system-ui, sans-serif; color-scheme: light dark; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#fafafa, #0f1115);
  color: light-dark(#18181b, #e8e9ec); }}
main {{ width: min(22rem, calc(100vw - 2rem)); }}
h1 {{ font-size: 1.25rem; margin: 0 0 1rem; }}
label {{ display: block; font-weight: 500; margin-bottom: .25rem; }}
input, button {{ box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; border-radius: .5rem; }}
input {{ border: 1px solid light-dark(#71717a, #8b8f99); background: light-dark(#fff, #171a21); color: inherit; }}
button {{ margin-top: .75rem; border: 0; background: #1d4ed8; color: #fff; font-weight: 600; cursor: pointer; }}
:focus-visible {{ outline: 2px solid light-dark(#1d4ed8, #93b4ff); outline-offset: 2px; }}
p {{ color: light-dark(#52525b, #a8adb8); font-size: .875rem; }}
p[role=alert] {{ color: light-dark(#b91c1c, #fca5a5); }}
a {{ color: inherit; }}
</style>
</head>
<body>
<main>
<h1>RL Gym Visualizer</h1>
<form method="post" action="{login}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus{invalid}>
<input name="next" type="hidden" value="{target}">
{alert}
<button>Sign in</button>
</form>
<p>The token is what <code>RLVIZ_TOKEN</code> was set to where this service runs. Signed in already?
<a href="{target}">Go on</a>.</p>
</main>
</body>
</html>
"""
