"""A real service in a separate process."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from rlviz.domain.status import RunStatus
from rlviz.rundir.folder import RunFolder
from tests.support.forked_process import ForkedProcess
from tests.support.template import SOCKET, template_address
from tests.support.waiting import PATIENCE, eventually


@dataclass
class Service:
    """``python -m rlviz serve`` on a free port. ``log`` holds its output."""

    process: ForkedProcess
    port: int
    runs_dir: Path
    log_path: Path
    http: httpx.Client

    @property
    def log(self) -> str:
        return self.log_path.read_text()

    def api(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.http.request(method, f"/api{path}", **options)

    def get(self, path: str, **options: Any) -> Any:
        """Return the JSON of a successful GET."""
        answer = self.api("GET", path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def create(self, **wishes: Any) -> dict[str, Any]:
        answer = self.api("POST", "/runs", json={"algo": "ppo", "seed": 1, **wishes})
        assert answer.status_code == 201, answer.text
        run: dict[str, Any] = answer.json()
        return run

    def wait_for_status(self, run_id: str, *statuses: str) -> dict[str, Any]:
        """Wait until the run has one of ``statuses``, and return it. Fail immediately if it ended with another."""
        run: dict[str, Any] = {}

        def look() -> bool:
            run.update(self.get(f"/runs/{run_id}"))
            if run["status"] in statuses:
                return True
            assert not RunStatus(run["status"]).is_final, self._story(run)
            return False

        try:
            eventually(look, f"status {' or '.join(statuses)}")
        except AssertionError as error:
            raise AssertionError(f"{error}: {self._story(run)}") from error
        return run

    def _story(self, run: dict[str, Any]) -> str:
        """Return a description of a run that has an unexpected status."""
        folder = self.folder(run["id"])
        told = "".join(
            f"\n{path.name}: {path.read_text(errors='replace')[-1_000:]}"
            for path in (folder.control_path, folder.events_path, folder.log_path, self.log_path)
            if path.is_file()
        )
        return f"it is {run['status']} at step {run['step']}, cause {run['cause']!r}{told}"

    def folder(self, run_id: str) -> RunFolder:
        return RunFolder(self.runs_dir, run_id)

    def stop(self, signal_number: int = signal.SIGTERM) -> int:
        """Ask the service to exit, and return its exit status."""
        self.process.send_signal(signal_number)
        return self.process.wait(PATIENCE)


def environment(**settings: str) -> dict[str, str]:
    """Return the environment of this process, with ``settings`` as the only settings. By default, runs that a test
    writes by hand count as the user's own.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RLVIZ_")}
    given = {"trust_runs_dir": "true", **settings}
    return kept | {f"RLVIZ_{name.upper()}": value for name, value in given.items()}


IMPATIENT = """
import logging
from rlviz.server.serve import serve
from rlviz.server.application import Application
from rlviz.settings import read_settings

logging.basicConfig(level=logging.INFO)
application = Application(read_settings())
application.streams.heartbeat, application.streams.send_timeout = 0.2, 1.0
raise SystemExit(serve(application))
"""
"""The service with a heartbeat and a send timeout that a test can wait for."""


@contextmanager
def serving(folder: Path, *, script: str | None = None, token: str | None = None, **settings: str) -> Iterator[Service]:
    """A service whose runs, log and working directory are in ``folder``. It is ended at the exit, by force if
    necessary.

    Unless ``settings`` say otherwise, its workers are forks of the template that all tests share.
    """
    runs_dir, log_path = folder / "runs", folder / "service.log"
    folder.mkdir(parents=True, exist_ok=True)
    shares = "warm_worker" not in settings
    given = {
        "port": "0",
        "on_exit": "leave",
        "warm_worker": "true" if shares else "false",
        "runs_dir": str(runs_dir),
        "frontend_dir": str(folder / "none"),
        **settings,
    }
    if token is not None:
        given["token"] = token
    process = ForkedProcess(
        folder,
        environment(**given) | {SOCKET: template_address()},
        ["serve"],
        log=log_path,
        script=script,
        shared_workers=shares,
    )
    try:
        port = eventually(lambda: _port(process, log_path), "The service's start")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        address, once = f"http://127.0.0.1:{port}", httpx.Limits(max_keepalive_connections=0)
        # A connection for each request: on a busy machine the server may close one that was kept just as it is used.
        # Certificates, which take 30 ms to load, are of no use over HTTP.
        with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE, limits=once, verify=False) as client:
            yield Service(process, port, runs_dir, log_path, client)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _port(process: ForkedProcess, log_path: Path) -> int | None:
    """Return the port once the service accepts connections."""
    text = log_path.read_text()
    assert process.poll() is None, f"The service ended: {text}"
    match = re.search(r"RL Gym Visualizer is at http://\S+:(\d+)", text)
    if match is None:
        return None
    try:
        socket.create_connection(("127.0.0.1", int(match[1])), 1).close()
    except OSError:
        return None
    return int(match[1])
