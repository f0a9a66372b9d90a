"""Requests through a reverse proxy: trusted headers, and the root path."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from rlviz.domain.errors import InvalidRequest
from rlviz.server.auth import MAX_ATTEMPTS
from rlviz.server.pages import ROOT_PLACEHOLDER, check_root_path, page_routes
from rlviz.server.proxy import ProxyHeaders, link
from rlviz.server.request_filter import RequestFilter
from rlviz.settings import Settings
from tests.support.cases import cases

TOKEN = "open-sesame-123"
PROXY = "10.0.0.7"
BROWSER = {"Accept": "text/html"}


def settings(**given: Any) -> Settings:
    return Settings(_env_file=None, **given)  # type: ignore[call-arg]


async def echo(request: Request) -> Response:
    """Return what the app sees of a request."""
    client = request.client
    return JSONResponse(
        {
            "path": request.url.path,
            "scheme": request.url.scheme,
            "client": client and client.host,
            "link": link("/api/runs"),
        }
    )


async def greet(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(websocket.url.path)
    await websocket.close()


def client_of(given: Settings, *, peer: str = "127.0.0.1", host: str = "127.0.0.1:8000") -> TestClient:
    """Return a client at the address ``peer`` of an app with these settings that echoes requests."""
    app = Starlette(
        routes=[WebSocketRoute("/api/sessions/a/socket", greet), Route("/{path:path}", echo, methods=["GET", "POST"])],
        middleware=[Middleware(ProxyHeaders, settings=given), Middleware(RequestFilter, settings=given)],
    )
    return TestClient(app, base_url=f"http://{host}", client=(peer, 4711), follow_redirects=False)


@cases(
    ("peer", "forwarded", "seen"),
    [
        (PROXY, "192.0.2.1", "192.0.2.1"),
        (PROXY, "203.0.113.9, 192.0.2.1", "192.0.2.1"),
        (PROXY, "192.0.2.1, 10.1.2.3", "192.0.2.1"),
        (PROXY, "192.0.2.1:4711", "192.0.2.1"),
        (PROXY, "[2001:db8::1]:4711", "2001:db8::1"),
        (PROXY, "2001:db8::1", "2001:db8::1"),
        (f"::ffff:{PROXY}", "192.0.2.1", "192.0.2.1"),
        (PROXY, "10.1.2.3", PROXY),
        (PROXY, "192.0.2.1, unknown", PROXY),
        (PROXY, "", PROXY),
        ("192.0.2.5", "192.0.2.1", "192.0.2.5"),
        ("127.0.0.1", "192.0.2.1", "127.0.0.1"),
        ("testclient", "192.0.2.1", "testclient"),
    ],
)
def test_a_clients_address_is_the_last_one_that_is_no_configured_proxy(peer: str, forwarded: str, seen: str) -> None:
    client = client_of(settings(trusted_proxies="10.0.0.0/8"), peer=peer)
    assert client.get("/", headers={"X-Forwarded-For": forwarded}).json()["client"] == seen


def test_only_configured_proxies_are_trusted() -> None:
    forwarded = {
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Prefix": "/rl",
        "X-Forwarded-Host": "evil.example",
    }
    seen = client_of(settings(), peer="127.0.0.1").get("/", headers=forwarded)
    assert seen.json() == {"path": "/", "scheme": "http", "client": "127.0.0.1", "link": "/api/runs"}


def test_wrong_tokens_count_against_a_client_that_claims_to_be_a_proxy() -> None:
    client = client_of(settings(token=TOKEN))
    for number in range(MAX_ATTEMPTS):
        guess = {"Authorization": f"Bearer {number}", "X-Forwarded-For": f"192.0.2.{number}"}
        assert client.get("/api/health", headers=guess).status_code == 401
    assert client.get("/api/health", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 429


def test_behind_a_configured_proxy_each_client_has_its_own_attempts() -> None:
    client = client_of(settings(token=TOKEN, trusted_proxies=PROXY), peer=PROXY)
    for number in range(MAX_ATTEMPTS):
        guess = {"Authorization": f"Bearer {number}", "X-Forwarded-For": f"198.51.100.{number}, 192.0.2.1"}
        assert client.get("/api/health", headers=guess).status_code == 401
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/api/health", headers={**right, "X-Forwarded-For": "192.0.2.1"}).status_code == 429
    assert client.get("/api/health", headers={**right, "X-Forwarded-For": "192.0.2.2"}).status_code == 200


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("/", "/"),
        ("/rl", "/"),
        ("/rl/", "/"),
        ("/rl/api/runs", "/api/runs"),
        ("/api/runs", "/api/runs"),
        ("/rlviz", "/rlviz"),
        ("/rl/rl", "/rl"),
    ],
)
def test_a_proxy_may_strip_the_root_path_or_pass_it_on(asked: str, path: str) -> None:
    seen = client_of(settings(root_path="/rl/")).get(asked).json()
    assert (seen["path"], seen["link"]) == (path, "/rl/api/runs")


def test_an_encoded_root_path_is_recognised_after_decoding() -> None:
    seen = client_of(settings(root_path="/user/a%40b.org/rl")).get("/user/a@b.org/rl/api/runs").json()
    assert (seen["path"], seen["link"]) == ("/api/runs", "/user/a%40b.org/rl/api/runs")


@cases(
    ("prefix", "found"),
    [
        ("/other", "/other/api/runs"),
        ("/other/", "/other/api/runs"),
        ("/", "/rl/api/runs"),
        ("//evil.example", "/rl/api/runs"),
        ("https://evil.example", "/rl/api/runs"),
        ('/"><script>', "/rl/api/runs"),
        ("/a/../b", "/rl/api/runs"),
        ("/a, /b", "/rl/api/runs"),
    ],
)
def test_a_configured_proxy_sets_the_root_path_of_the_app(prefix: str, found: str) -> None:
    client = client_of(settings(root_path="/rl", trusted_proxies="127.0.0.1"))
    assert client.get("/", headers={"X-Forwarded-Prefix": prefix}).json()["link"] == found


def test_the_root_path_of_a_request_does_not_affect_later_ones() -> None:
    client = client_of(settings(trusted_proxies="127.0.0.1"))
    client.get("/", headers={"X-Forwarded-Prefix": "/rl"})
    assert client.get("/").json()["link"] == link("/api/runs") == "/api/runs"


def test_a_socket_below_the_root_path_is_found() -> None:
    client = client_of(settings(root_path="/rl"))
    with client.websocket_connect("ws://127.0.0.1:8000/rl/api/sessions/a/socket") as socket:
        assert socket.receive_text() == "/api/sessions/a/socket"


# Names and origins


@pytest.mark.parametrize(
    ("host", "headers", "status"),
    [
        ("rl.example.org", {}, 200),
        ("RL.example.org:8443", {}, 200),
        ("127.0.0.1", {}, 200),
        ("evil.example", {}, 403),
        ("127.0.0.1", {"X-Forwarded-Host": "rl.example.org"}, 200),
        ("127.0.0.1", {"X-Forwarded-Host": "evil.example"}, 403),
        ("evil.example", {"X-Forwarded-Host": "rl.example.org"}, 403),
    ],
)
def test_a_proxy_forwards_allowed_host_names(host: str, headers: dict[str, str], status: int) -> None:
    given = settings(token=TOKEN, allowed_hosts="rl.example.org", trusted_proxies="127.0.0.1")
    asked = {"Authorization": f"Bearer {TOKEN}", **headers}
    assert client_of(given, host=host).get("/api/runs", headers=asked).status_code == status


@cases(
    ("headers", "status"),
    [
        ({"Origin": "http://127.0.0.1:8000"}, 200),
        ({"Origin": "https://rl.example.org"}, 403),
        ({"Origin": "https://rl.example.org", "X-Forwarded-Host": "rl.example.org"}, 200),
        ({"Origin": "https://evil.example", "X-Forwarded-Host": "rl.example.org"}, 403),
        ({"Origin": "null", "X-Forwarded-Host": ""}, 403),
        ({"Origin": "http://127.0.0.1:8138", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://127.0.0.1:8138", "Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:8138", "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_a_page_served_by_a_proxy_counts_as_the_apps_own(headers: dict[str, str], status: int) -> None:
    given = settings(token=TOKEN, allowed_hosts="rl.example.org", trusted_proxies="127.0.0.1")
    client = client_of(given)
    asked = {"Authorization": f"Bearer {TOKEN}", **headers}
    assert client.post("/api/runs", headers=asked).status_code == status
    if status == 200:
        with client.websocket_connect("ws://127.0.0.1:8000/api/sessions/a/socket", headers=asked) as socket:
            assert socket.receive_text()
    else:
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("ws://127.0.0.1:8000/api/sessions/a/socket", headers=asked),
        ):
            pass


def test_a_host_forwarded_by_an_unknown_proxy_does_not_count_as_the_apps_own() -> None:
    client = client_of(settings())
    forged = {"Origin": "http://evil.example", "X-Forwarded-Host": "evil.example"}
    assert client.post("/api/runs", headers=forged).status_code == 403


# The login


def test_the_login_stays_below_the_root_path() -> None:
    client = client_of(settings(token=TOKEN, root_path="/rl"))
    asked = client.get("/compare?runs=a", headers=BROWSER)
    assert asked.headers["location"] == "/rl/login?next=%2Frl%2Fcompare%3Fruns%3Da"
    assert 'action="/rl/login"' in client.get(asked.headers["location"], headers=BROWSER).text
    answer = client.post("/rl/login", data={"token": TOKEN, "next": "/rl/compare?runs=a"})
    assert answer.headers["location"] == "/rl/compare?runs=a"
    assert "Path=/rl;" in answer.headers["set-cookie"]
    assert client.get("/rl/api/runs").status_code == 200
    left = client.post("/rl/logout")
    assert left.headers["location"] == "/rl/login"
    assert "Path=/rl;" in left.headers["set-cookie"]


@pytest.mark.parametrize("target", ["/", "/rl", "/compare", "/rlviz/compare", "//evil.example/rl/", "/rl/login", ""])
def test_the_login_redirects_to_no_other_app_of_the_origin(target: str) -> None:
    client = client_of(settings(token=TOKEN, root_path="/rl"))
    answer = client.post("/rl/login", data={"token": TOKEN, "next": target})
    assert answer.headers["location"] == "/rl/"


@pytest.mark.parametrize(("proto", "secure"), [("https", True), ("http", False), ("", False)])
def test_the_login_cookie_is_secure_exactly_over_tls(proto: str, secure: bool) -> None:
    client = client_of(settings(token=TOKEN, trusted_proxies="127.0.0.1"))
    answer = client.post("/login", data={"token": TOKEN, "next": "/"}, headers={"X-Forwarded-Proto": proto})
    assert ("Secure" in answer.headers["set-cookie"]) is secure


# Pages


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A front-end export: templates and two other files."""
    out = tmp_path / "out"
    (out / "_next/static").mkdir(parents=True)
    for name, content in {
        "index.html": '<a href="/"></a><script>go("/compare")</script>',
        "404.html": '<a href="/">Home</a>',
        "_next/static/app.js": 'const root="";',
        "icon.svg": "<svg/>",
    }.items():
        (out / name).write_text(content)
    for name, content in {
        "index.html": '<a href="ROOT/"></a><script>go("ROOT/compare")</script>',
        "404.html": '<a href="ROOT/">Home</a>',
        "_next/static/app.js": 'const root="ROOT";',
    }.items():
        (out / f"{name}.template").write_text(content.replace("ROOT", ROOT_PLACEHOLDER.decode()))
    (out / "index.html.gz").write_bytes(gzip.compress(b"at the top"))
    return out


def browser_of(pages: Path, **given: Any) -> TestClient:
    app = Starlette(routes=page_routes(pages), middleware=[Middleware(ProxyHeaders, settings=settings(**given))])
    return TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 4711), follow_redirects=False)


def test_pages_contain_addresses_below_the_root_path(pages: Path) -> None:
    browser = browser_of(pages, root_path="/rl")
    for address in ("/", "/rl/"):
        answer = browser.get(address)
        assert answer.text == '<a href="/rl/"></a><script>go("/rl/compare")</script>'
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["cache-control"] == "no-cache"
    script = browser.get("/rl/_next/static/app.js", headers={"Accept-Encoding": "identity"})
    assert script.text == 'const root="/rl";'
    assert "javascript" in script.headers["content-type"]
    assert "immutable" in script.headers["cache-control"]
    assert browser.get("/rl/icon.svg").text == "<svg/>"
    missing = browser.get("/rl/nowhere")
    assert (missing.status_code, missing.text) == (404, '<a href="/rl/">Home</a>')
    assert browser.get("/rl/runs/ppo-a").headers["location"] == "/rl/runs/view?id=ppo-a"


def test_a_page_below_the_root_path_may_run_its_own_inline_script(pages: Path) -> None:
    script = browser_of(pages).get("/_next/static/app.js").headers["content-security-policy"]
    assert "connect-src 'self'" in script, "a shared worker takes its policy from its script"
    policies = {
        root: browser_of(pages, root_path=root).get("/").headers["content-security-policy"] for root in ("", "/rl")
    }
    assert policies[""].count("'sha256-") == policies["/rl"].count("'sha256-") == 1
    assert policies[""] != policies["/rl"]


def test_a_page_cached_by_the_browser_is_not_sent_again(pages: Path) -> None:
    browser = browser_of(pages, root_path="/rl")
    known = browser.get("/").headers["etag"]
    assert browser.get("/", headers={"If-None-Match": known}).status_code == 304
    other = browser_of(pages, root_path="/other").get("/", headers={"If-None-Match": known})
    assert other.status_code == 200
    assert browser.get("/", headers={"If-None-Match": known, "Accept-Encoding": "identity"}).status_code == 200


def test_without_a_root_path_pages_are_sent_as_built_and_templates_never(pages: Path) -> None:
    browser = browser_of(pages)
    assert browser.get("/").text == "at the top"
    assert browser.get("/index.html.template").status_code == 404
    assert browser.get("/_next/static/app.js").text == 'const root="";'


def test_the_proxy_chooses_the_root_path_of_each_request(pages: Path) -> None:
    browser = browser_of(pages, trusted_proxies="127.0.0.1")
    for prefix in ("/a", "/b", "/a"):
        assert f'href="{prefix}/"' in browser.get("/", headers={"X-Forwarded-Prefix": prefix}).text
    assert browser.get("/").text == "at the top"


@pytest.mark.parametrize("root", ["/api", "/runs", "/metrics/x", "/login", "/icon.svg"])
def test_a_root_path_cannot_be_an_address_of_the_app(pages: Path, root: str) -> None:
    (pages / "runs").mkdir()
    with pytest.raises(InvalidRequest, match="Choose another"):
        check_root_path(root, pages)
    for fine in ("", "/rl", "/apis", "/user/runs"):
        check_root_path(fine, pages)


def test_the_build_leaves_the_placeholder_that_the_service_fills_in() -> None:
    script = Path(__file__).parents[3] / "frontend" / "scripts" / "root-path.mjs"
    assert f'ROOT_PLACEHOLDER = "{ROOT_PLACEHOLDER.decode()}";' in script.read_text()
