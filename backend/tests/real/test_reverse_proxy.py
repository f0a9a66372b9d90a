"""The app behind a real nginx, configured as in ``docs/reverse-proxy.md``."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from rlviz.server.auth import MAX_ATTEMPTS
from rlviz.server.pages import ROOT_PLACEHOLDER, TEMPLATE
from tests.support.event_streams import Stream
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.waiting import PATIENCE, eventually

DOCS = Path(__file__).parents[3] / "docs" / "reverse-proxy.md"


TOKEN = "a-long-secret"


HOST = "example.org"


BEARER = {"Authorization": f"Bearer {TOKEN}"}


BROWSER = {"Accept": "text/html"}


PAGE = '<script src="ROOT/_next/static/app.js"></script>'


behind_nginx = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with the settings of the docs, one run and two pages."""
    folder = tmp_path_factory.mktemp("proxied")
    make_run(folder / "runs", "a-run", rows=3, status="completed")
    (folder / "out").mkdir()
    for name in ("index.html", "404.html"):
        (folder / "out" / name).write_text(PAGE.replace("ROOT", ""))
        (folder / "out" / f"{name}{TEMPLATE}").write_text(PAGE.replace("ROOT", ROOT_PLACEHOLDER.decode()))
    with serving(
        folder,
        token=TOKEN,
        root_path="/rlviz",
        trusted_proxies="127.0.0.1",
        allowed_hosts=HOST,
        frontend_dir=str(folder / "out"),
    ) as service:
        yield service
        assert "Traceback" not in service.log, service.log


@pytest.fixture(scope="module")
def nginx(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of an nginx with the configuration of the docs."""
    example = re.search(r"```nginx\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert example, "the docs have an example"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    servers = example[1].replace("listen 80;", f"listen 127.0.0.1:{port};")
    servers = servers.replace("127.0.0.1:8000", f"127.0.0.1:{service.port}")
    assert f":{service.port}/;" in servers
    folder = tmp_path_factory.mktemp("nginx")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    scratch = "\n".join(f"{kind}_temp_path {folder / kind};" for kind in kinds)
    config = folder / "nginx.conf"
    config.write_text(f"events {{}}\nhttp {{\naccess_log off;\n{scratch}\n{servers}\n}}\n")
    options = f"daemon off; master_process off; pid {folder / 'nginx.pid'}; error_log stderr;"
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(config), "-g", options], stderr=subprocess.PIPE)

    def answers() -> bool:
        assert process.poll() is None, process.stderr and process.stderr.read()
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", port)) == 0

    with process:
        try:
            eventually(answers, "nginx")
            yield port
        finally:
            process.terminate()


@pytest.fixture
def browser(nginx: int) -> Iterator[httpx.Client]:
    """A client of nginx that sends the host name of the docs and is not signed in."""
    with httpx.Client(base_url=f"http://127.0.0.1:{nginx}", headers={"Host": HOST}, timeout=PATIENCE) as client:
        yield client


@behind_nginx
def test_a_person_signs_in_and_gets_pages_below_the_path(browser: httpx.Client) -> None:
    assert browser.get("/rlviz?new", headers=BROWSER).headers["location"].endswith("/rlviz/?new")
    asked = browser.get("/rlviz/?new", headers=BROWSER)
    assert asked.headers["location"] == "/rlviz/login?next=%2Frlviz%2F%3Fnew"
    assert 'action="/rlviz/login"' in browser.get(asked.headers["location"], headers=BROWSER).text
    form = {"token": TOKEN, "next": "/rlviz/?new"}
    answer = browser.post("/rlviz/login", data=form, headers={"Origin": f"http://{HOST}"})
    assert answer.headers["location"] == "/rlviz/?new"
    session, *attributes = answer.headers["set-cookie"].split("; ")
    assert "Path=/rlviz" in attributes
    cookie = {"Cookie": session}
    assert browser.get("/rlviz/", headers=cookie).text == PAGE.replace("ROOT", "/rlviz")
    assert browser.get("/rlviz/runs/a-run", headers=cookie).headers["location"] == "/rlviz/runs/view?id=a-run"


@behind_nginx
def test_requests_with_side_effects_come_from_the_apps_own_pages(browser: httpx.Client) -> None:
    own, foreign = ({**BEARER, "Origin": origin} for origin in (f"http://{HOST}", "http://evil.example"))
    assert browser.patch("/rlviz/api/runs/a-run", json={"notes": "x"}, headers=own).status_code == 200
    assert browser.patch("/rlviz/api/runs/a-run", json={"notes": "y"}, headers=foreign).status_code == 403
    assert browser.get("/rlviz/api/health", headers={**BEARER, "Host": "evil.example"}).status_code == 403


@behind_nginx
def test_all_links_in_responses_lead_through_the_proxy(browser: httpx.Client) -> None:
    for path in ("/environments", "/runs", "/runs/a-run", "/openapi.json"):
        answer = browser.get(f"/rlviz/api{path}", headers=BEARER)
        assert answer.status_code == 200
        assert '"/api' not in answer.text, path
    still = browser.get("/rlviz/api/runs/a-run", headers=BEARER).json()["still_url"]
    assert browser.get(still, headers=BEARER).headers["content-type"] == "image/webp"


@behind_nginx
def test_events_arrive_while_the_stream_is_open(browser: httpx.Client, nginx: int, service: Service) -> None:
    make_run(service.runs_dir, "live-run", rows=1)
    assert service.api("POST", "/runs/live-run/take-up").status_code == 200
    connection = HTTPConnection("127.0.0.1", nginx, timeout=PATIENCE)
    connection.request("GET", "/rlviz/api/stream?runs=live-run", headers={**BEARER, "Host": HOST})
    with connection.getresponse() as response:
        stream = Stream(connection, response)
        stream.until(lambda event: event.kind == "metrics")
        changed = browser.patch("/rlviz/api/runs/live-run", json={"notes": "seen"}, headers=BEARER)
        assert changed.status_code == 200
        seen = stream.until(lambda event: event.kind == "status" and event.data["run"]["notes"] == "seen")
        assert seen[-1].data["run"]["still_url"].startswith("/rlviz/api/")
    connection.close()


@behind_nginx
def test_a_session_is_watched_through_the_proxy(browser: httpx.Client, nginx: int) -> None:
    asked = browser.post("/rlviz/api/sessions", json={"mode": "play", "env_id": "CartPole-v1"}, headers=BEARER)
    address = asked.json()["socket"]
    assert address.startswith("/rlviz/api/sessions/")
    wire = socket.create_connection(("127.0.0.1", nginx), PATIENCE)
    own = {**BEARER, "Origin": f"http://{HOST}"}
    with connect(
        f"ws://{HOST}{address}", sock=wire, additional_headers=own, open_timeout=PATIENCE, ping_interval=None
    ) as viewer:
        assert '"hello"' in viewer.recv(PATIENCE)
    browser.delete(address.removesuffix("/socket"), headers=BEARER)


@behind_nginx
def test_behind_the_proxy_each_client_has_its_own_attempts(nginx: int) -> None:
    def client(address: str) -> httpx.Client:
        transport = httpx.HTTPTransport(local_address=address)
        return httpx.Client(base_url=f"http://127.0.0.1:{nginx}", headers={"Host": HOST}, transport=transport)

    with client("127.0.0.4") as guesser, client("127.0.0.5") as other:
        for number in range(MAX_ATTEMPTS):
            guess = {"Authorization": f"Bearer {number}", "X-Forwarded-For": f"192.0.2.{number}"}
            assert guesser.get("/rlviz/api/health", headers=guess).status_code == 401
        assert guesser.get("/rlviz/api/health", headers=BEARER).status_code == 429
        assert other.get("/rlviz/api/health", headers=BEARER).status_code == 200


def test_wrong_tokens_count_against_a_local_client_that_claims_to_be_a_proxy(tmp_path: Path) -> None:
    with serving(tmp_path, token=TOKEN) as service, httpx.Client(base_url=str(service.http.base_url)) as client:
        for number in range(MAX_ATTEMPTS):
            guess = {"Authorization": f"Bearer {number}", "X-Forwarded-For": f"192.0.2.{number}"}
            assert client.get("/api/health", headers=guess).status_code == 401
        assert client.get("/api/health", headers=BEARER).status_code == 429
