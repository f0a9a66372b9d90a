"""Files through a real nginx."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rlviz.server.pages import ROOT_PLACEHOLDER, TEMPLATE
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.waiting import PATIENCE, eventually

DOCS = Path(__file__).parents[3] / "docs" / "reverse-proxy.md"


TOKEN = "a-long-secret"


HOST = "example.org"


BEARER = {"Authorization": f"Bearer {TOKEN}"}


PAGE = '<script src="ROOT/_next/static/app.js"></script>'


behind_nginx = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with the settings of the docs, one run, and two pages."""
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
    """The port of an nginx with the example of the docs."""
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
    """A client of nginx that asks for the host of the docs, and has not signed in."""
    with httpx.Client(base_url=f"http://127.0.0.1:{nginx}", headers={"Host": HOST}, timeout=PATIENCE) as client:
        yield client


@behind_nginx
def test_files_come_and_go_through_the_proxy(browser: httpx.Client) -> None:
    bundle = browser.get("/rlviz/api/runs/a-run/bundle", headers=BEARER)
    assert bundle.headers["content-disposition"] == 'attachment; filename="a-run.zip"'
    part = browser.get("/rlviz/api/runs/a-run/artifacts/config.json", headers={**BEARER, "Range": "bytes=0-9"})
    assert (part.status_code, len(part.content)) == (206, 10)
    rows = "r,l,t\n" + f"{1:.100f},10,0.1\n" * 12_000
    assert len(rows) > 1_200_000, "more than what nginx takes without being told"
    log = f'#{{"t_start": 0.0, "env_id": "CartPole-v1"}}\n{rows}'
    sent = browser.post(
        "/rlviz/api/runs/import", params={"file": "0.monitor.csv", "algo": "ppo"}, content=log, headers=BEARER
    )
    assert sent.status_code == 201, sent.text
