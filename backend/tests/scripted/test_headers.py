"""Security headers and request limits, through a real server."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import psutil
import pytest

from rlviz.server.serve import MAX_UNFINISHED_BYTES
from tests.support.event_streams import streaming
from tests.support.raw_requests import assert_problem, raw_request
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.waiting import PATIENCE, eventually

THEME = 'document.documentElement.dataset.theme = "dark";'


PAGE = (
    f'<!doctype html><script>{THEME}</script><script src="/app.js" async=""></script><script id="x">second()</script>'
)


IMPATIENT = """
import rlviz.server.serve as process
from rlviz.server import request_filter
from rlviz.server.serve import serve
from rlviz.server.application import Application
from rlviz.settings import read_settings

process.BoundedProtocol.head_seconds = request_filter.BODY_SECONDS = 2.0
process.BoundedProtocol.stall_seconds = 2.0
process.BoundedProtocol.max_connections = 20
raise SystemExit(serve(Application(read_settings())))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a page, a run, short timeouts, and a disk that never has enough free space."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "out").mkdir()
    for name in ("index.html", "404.html"):
        (folder / "out" / name).write_text(PAGE)
    run = make_run(folder / "runs", "a-run", rows=3, status="completed")
    make_run(folder / "runs", "fresh-run")
    run.model_path.write_bytes(b"policy")
    with (run.path / "large").open("wb") as large:
        large.truncate(50_000_000)
    (run.path / "evil.html").write_text("<script>alert(1)</script>")
    settings = {"frontend_dir": str(folder / "out"), "min_free_disk": "1000000TB"}
    with serving(folder, script=IMPATIENT, **settings, launcher="scripted") as service:
        yield service
        assert "Traceback" not in service.log, service.log


def directives(answer_policy: str) -> dict[str, str]:
    parts = (part.partition(" ") for part in answer_policy.split("; "))
    return {name: value for name, _, value in parts}


def digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/nowhere", 404),
        ("/api/health", 200),
        ("/api/nowhere", 404),
        ("/api/runs?limit=0", 422),
        ("/api/docs", 200),
        ("/api/docs/explorer.js", 200),
        ("/api/openapi.json", 200),
        ("/api/runs/a-run/artifacts/evil.html", 200),
        ("/api/runs/a-run/stream", 200),
    ],
)
def test_every_response_forbids_sniffing_framing_and_referrers(site: Service, path: str, status: int) -> None:
    answer = site.http.get(path)
    assert answer.status_code == status
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-frame-options"] == "DENY"
    rules = directives(answer.headers["content-security-policy"])
    assert rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in rules.get("script-src", "")


def test_refusals_have_the_same_headers(site: Service) -> None:
    answer = raw_request(site.port, b"/api/health", headers={"Host": b"evil.example"})
    assert answer.status == 403
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_page_may_run_only_its_own_inline_scripts(site: Service) -> None:
    rules = directives(site.http.get("/").headers["content-security-policy"])
    assert rules["script-src"].split() == ["'self'", digest(THEME), digest("second()")]
    assert rules["connect-src"] == "'self'"
    assert rules["object-src"] == "'none'"


def test_a_page_revalidated_by_the_browser_keeps_its_policy(site: Service) -> None:
    etag = site.http.get("/").headers["etag"]
    again = site.http.get("/", headers={"If-None-Match": etag})
    assert again.status_code == 304
    assert "content-security-policy" not in again.headers


def test_a_rebuilt_page_has_a_new_policy(site: Service) -> None:
    page = site.runs_dir.parent / "out" / "index.html"
    before = page.read_text()
    try:
        page.write_text("<script>another()</script>")
        rules = directives(site.http.get("/").headers["content-security-policy"])
    finally:
        page.write_text(before)
    assert rules["script-src"].split() == ["'self'", digest("another()")]


def test_a_file_of_a_run_is_never_served_as_a_page(site: Service) -> None:
    answer = site.api("GET", "/runs/a-run/artifacts/evil.html")
    rules = directives(answer.headers["content-security-policy"])
    assert "sandbox" in rules
    assert rules["default-src"] == "'none'"
    assert "script-src" not in rules


def test_the_api_page_loads_nothing_from_other_origins(site: Service) -> None:
    page = site.http.get("/api/docs")
    for target in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert site.http.get(f"/api/{target}" if not target.startswith("/") else target).status_code == 200
    assert not re.search(r"<script(?! src)|<style|\son[a-z]+=|\sstyle=", page.text)
    assert "innerHTML" not in site.http.get("/api/docs/explorer.js").text


def test_no_run_starts_on_a_nearly_full_disk(site: Service) -> None:
    runs = site.get("/runs")["total"]
    for path, body in (
        ("/runs", {"algo": "ppo", "start": True}),
        ("/runs/fresh-run/start", None),
        ("/runs/a-run/evaluations", None),
    ):
        problem = assert_problem(site.api("POST", path, json=body), 507)
        assert "RLVIZ_MIN_FREE_DISK" in problem["detail"]
    assert site.get("/runs")["total"] == runs
    assert site.get("/runs/fresh-run")["status"] == "created"
    assert site.get("/runs/a-run/evaluations") == []


@pytest.mark.parametrize(
    "begun",
    [
        b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ",
        b"POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        b"POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: ",
    ],
    ids=["header", "chunk-extension", "trailer"],
)
def test_an_endless_request_is_cut_off(site: Service, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", site.port), PATIENCE) as connection:
        connection.sendall(begun)
        sent = 0
        try:
            while sent < 100 * MAX_UNFINISHED_BYTES:
                sent += connection.send(b"x" * 8_192)
            received = connection.recv(100)
        except ConnectionError:
            received = b""
    assert sent < 100 * MAX_UNFINISHED_BYTES or received.startswith(b"HTTP/1.1 431")
    assert site.get("/health")["status"] == "ok"


def test_many_large_headers_are_refused(site: Service) -> None:
    headers = {f"X-{number}": b"x" * 7_000 for number in range(10)}
    assert_problem(raw_request(site.port, b"/api/health", headers=headers), 431)


def test_a_client_that_is_idle_after_a_response_is_disconnected(site: Service) -> None:
    """An empty line is no request, but it ends uvicorn's keep-alive timeout."""
    with socket.create_connection(("127.0.0.1", site.port), PATIENCE) as connection:
        connection.sendall(b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert connection.recv(10_000).startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"\r\n")
        while connection.recv(10_000):
            pass


def test_a_client_that_reads_none_of_its_response_is_disconnected(site: Service) -> None:
    with socket.create_connection(("127.0.0.1", site.port), PATIENCE) as connection:
        connection.sendall(b"GET /api/runs/a-run/artifacts/large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        connections = psutil.Process(site.process.pid).net_connections
        port = connection.getsockname()[1]
        eventually(lambda: all(one.raddr[1:] != (port,) for one in connections()), "the connection's end")


def test_idle_connections_give_way_and_active_ones_stay(site: Service) -> None:
    with streaming(site, "/stream") as stream, ExitStack() as silent:
        for _ in range(3 * 20):
            silent.enter_context(socket.create_connection(("127.0.0.1", site.port), PATIENCE)).sendall(b"GET /")
            assert raw_request(site.port, b"/api/health").status == 200
        site.api("PATCH", "/runs/a-run", json={"notes": "still here"})
        stream.until(lambda event: event.kind == "status" and event.data["run"]["notes"] == "still here")


def test_a_large_body_in_one_packet_with_its_headers_is_not_a_large_header(site: Service) -> None:
    body = b" " * (4 * MAX_UNFINISHED_BYTES) + b"{}"
    answer = raw_request(
        site.port, b"/api/runs", method=b"POST", headers={"Content-Type": b"application/json"}, body=body
    )
    assert answer.status == 422
