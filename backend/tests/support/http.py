"""A real service in a process of its own, and clients that say exactly what they are told to."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx

from rlviz.domain.config import RunConfig
from rlviz.domain.events import EventKind
from rlviz.domain.status import RunStatus
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from tests.support.forked_process import ForkedProcess
from tests.support.template import SOCKET, template_address
from tests.support.training import pause_after

PATIENCE = 150.0
"""Seconds after which something counts as hanging. Generous: nothing here is about speed."""

T = TypeVar("T")


def wait_for(look: Callable[[], T | None], what: str, seconds: float = PATIENCE) -> T:
    """The first thing ``look`` finds that is true."""
    begun = time.monotonic()
    while (waited := time.monotonic() - begun) < seconds:
        if found := look():
            return found
        time.sleep(pause_after(waited))
    raise AssertionError(f"{what} did not happen within {seconds:g} s")


# The service


@dataclass
class Service:
    """``python -m rlviz serve`` on a free port. ``log`` is what it printed."""

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
        """The JSON of a GET that succeeds."""
        answer = self.api("GET", path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def create(self, **wishes: Any) -> dict[str, Any]:
        answer = self.api("POST", "/runs", json={"algo": "ppo", "seed": 1, **wishes})
        assert answer.status_code == 201, answer.text
        run: dict[str, Any] = answer.json()
        return run

    def wait_for_status(self, run_id: str, *statuses: str) -> dict[str, Any]:
        """The run, once it has one of ``statuses``; fails at once if it has ended in another."""
        run: dict[str, Any] = {}

        def look() -> bool:
            run.update(self.get(f"/runs/{run_id}"))
            if run["status"] in statuses:
                return True
            assert not RunStatus(run["status"]).is_final, self._story(run)
            return False

        try:
            wait_for(look, f"status {' or '.join(statuses)}")
        except AssertionError as error:
            raise AssertionError(f"{error}: {self._story(run)}") from error
        return run

    def _story(self, run: dict[str, Any]) -> str:
        """What is known of a run that is not where it should be."""
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
        """Ask the service to end; return its exit status."""
        self.process.send_signal(signal_number)
        return self.process.wait(PATIENCE)


def environment(**settings: str) -> dict[str, str]:
    """The environment of this process, with no settings but ``settings``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RLVIZ_")}
    return kept | {f"RLVIZ_{name.upper()}": value for name, value in settings.items()}


IMPATIENT = """
import logging
from rlviz.api.server import serve
from rlviz.services.application import Application
from rlviz.settings import read_settings

logging.basicConfig(level=logging.INFO)
application = Application(read_settings())
application.streams.heartbeat, application.streams.send_timeout = 0.2, 1.0
raise SystemExit(serve(application))
"""
"""The service with a heartbeat and a send timeout that a test can wait for."""


@contextmanager
def serving(folder: Path, *, script: str | None = None, token: str | None = None, **settings: str) -> Iterator[Service]:
    """A service whose runs, log and working directory lie in ``folder``; ended, by force if need be, at the end.

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
        port = wait_for(lambda: _port(process, log_path), "The service's start")
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
    """The port, once the service accepts connections."""
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


# Bytes on the wire


@dataclass(frozen=True)
class RawAnswer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def raw_request(
    port: int,
    target: bytes,
    *,
    method: bytes = b"GET",
    headers: Mapping[str, bytes] | None = None,
    body: bytes | Iterator[bytes] = b"",
    on_head: Callable[[], object] = lambda: None,
) -> RawAnswer:
    """Send ``target`` as it is: no client tidies it up on the way. ``on_head`` is called before the body is read."""
    lines = {"Host": f"127.0.0.1:{port}".encode(), "Connection": b"close", **(headers or {})}
    if isinstance(body, bytes) and body:
        lines.setdefault("Content-Length", str(len(body)).encode())
    head = b"%b %b HTTP/1.1\r\n" % (method, target)
    head += b"".join(b"%b: %b\r\n" % (name.encode(), value) for name, value in lines.items()) + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.settimeout(PATIENCE)
        connection.sendall(head)
        for part in [body] if isinstance(body, bytes) else body:
            connection.sendall(part)
        answer = http.client.HTTPResponse(connection, method=method.decode())
        answer.begin()
        on_head()
        content = answer.read()
        return RawAnswer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)


def assert_problem(answer: httpx.Response | RawAnswer, status: int, *pointers: str) -> dict[str, Any]:
    """``answer`` is a whole problem+json of that status that points at exactly these fields; returns it."""
    got = answer.status if isinstance(answer, RawAnswer) else answer.status_code
    body = answer.body if isinstance(answer, RawAnswer) else answer.content
    assert got == status, body[:2_000]
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = json.loads(body)
    assert {"type", "title", "status", "detail"} <= problem.keys() <= {"type", "title", "status", "detail", "errors"}
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    if pointers:
        assert [error["pointer"] for error in problem["errors"]] == list(pointers)
        assert all(error["detail"] for error in problem["errors"])
    return problem


# Server-sent events


@dataclass(frozen=True)
class Event:
    kind: str
    data: Any
    id: str | None
    at: float

    @property
    def seqs(self) -> list[int]:
        return [row["seq"] for row in self.data["rows"]]


@dataclass
class Stream:
    """An EventSource: hands out an event once its blank line is there, and remembers the last id.

    ``comments`` are the heartbeats seen so far.
    """

    connection: http.client.HTTPConnection
    response: http.client.HTTPResponse
    comments: list[str] = field(default_factory=list)
    last_id: str | None = None
    bytes_read: int = 0
    _text: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.response.getheaders()}

    def __iter__(self) -> Iterator[Event]:
        while data := self.response.read1(65_536):
            yield from self.feed(data)

    @property
    def is_inside_an_event(self) -> bool:
        return bool(self._text)

    def feed(self, data: bytes) -> Iterator[Event]:
        self.bytes_read += len(data)
        self._text += data.decode()
        while "\n\n" in self._text:
            block, self._text = self._text.split("\n\n", 1)
            if (event := self._parse(block)) is not None:
                yield event

    def read(self, size: int) -> list[Event]:
        """The events completed by the next ``size`` bytes at most; what is cut off is lost, as on the wire."""
        return list(self.feed(self.response.read1(size)))

    def until(self, found: Callable[[Event], object]) -> list[Event]:
        """Events up to the first that ``found`` accepts."""
        seen: list[Event] = []
        for event in self:
            seen.append(event)
            if found(event):
                return seen
        raise AssertionError(f"The stream closed after {[event.kind for event in seen]}")

    def _parse(self, block: str) -> Event | None:
        fields: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            if name:
                fields[name] = value.removeprefix(" ")
            else:
                self.comments.append(value.strip())
        if "data" not in fields:
            return None
        self.last_id = fields.get("id", self.last_id)
        return Event(fields["event"], json.loads(fields["data"]), fields.get("id"), time.monotonic())


@contextmanager
def streaming(service: Service, path: str, *, timeout: float = PATIENCE, **headers: str) -> Iterator[Stream]:
    """GET ``/api<path>`` as an event stream. ``last_event_id="…"`` becomes the header Last-Event-ID."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=timeout)
    try:
        connection.request(
            "GET", f"/api{path}", headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        response = connection.getresponse()
        assert response.status == 200, response.read()
        with response:
            yield Stream(connection, response)
    finally:
        connection.close()


def is_kind(kind: str) -> Callable[[Event], bool]:
    return lambda event: event.kind == kind


def is_status(status: str, run_id: str | None = None) -> Callable[[Event], bool]:
    return lambda event: (
        event.kind == "status" and event.data["run"]["status"] == status and run_id in (None, event.data["run"]["id"])
    )


# Run folders made by hand


def make_run(root: Path, run_id: str, *, rows: int = 0, status: str = "created", **config: Any) -> RunFolder:
    """A run folder as a trainer would have left it, with ``rows`` lines of metrics.

    ``status`` is created or completed; for a run that is under way see ``LiveRun``.
    """
    folder = RunFolder(root, run_id)
    folder.create(
        RunConfig(
            **{
                "run_id": run_id,
                "name": run_id,
                "created_at": datetime(2026, 11, 21, 1, 43, 12, tzinfo=UTC),
                "algo": "ppo",
                "env_id": "CartPole-v1",
                "preset": None,
                "seed": 1,
                "total_timesteps": 100_000,
                "hyperparameters": {"gamma": 0.99},
                **config,
            }
        )
    )
    if rows:
        with journal(folder.metrics_path) as metrics:
            append_rows(metrics, rows)
    if status == "completed":
        folder.write_control(Control(desired=Desired.RUN, requested_at=time.time()))
        with journal(folder.events_path) as events:
            events.append({"event": EventKind.STARTED, "step": 0, "data": {"worker": "process:1:0.0:"}})
            events.append({"event": EventKind.FINISHED, "step": rows, "data": {"path": None}})
    return folder


@contextmanager
def journal(path: Path) -> Iterator[JournalWriter]:
    writer = JournalWriter(path)
    try:
        yield writer
    finally:
        writer.close()


def append_rows(writer: JournalWriter, count: int) -> None:
    """``count`` finished episodes of ten steps each, with returns 1, 2, 3, …"""
    for index in range(1, count + 1):
        values = {"episode/reward": float(index), "episode/length": 10, "episode/index": index}
        writer.append({"step": 10 * index, "values": values})
    writer.flush()


class LiveRun:
    """A run with a worker that the test plays: its process only sleeps, its journals are written here.

    A service that starts on this folder takes it for a worker that outlived the service before.
    """

    def __init__(self, root: Path, run_id: str) -> None:
        self.folder = make_run(root, run_id)
        self.run_id = run_id
        self.folder.write_control(Control(desired=Desired.RUN, requested_at=time.time()))
        self.process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        self.metrics = JournalWriter(self.folder.metrics_path, flush_seconds=0)
        self.events = JournalWriter(self.folder.events_path, flush_seconds=0)
        self.event(EventKind.STARTED, worker=str(ProcessIdentity.of(self.process.pid)))

    def event(self, kind: EventKind, **data: Any) -> None:
        self.events.append({"event": kind.value, "step": 0, "data": data})
        self.events.flush()

    def row(self, **values: float) -> int:
        """Append one row of metrics; return its seq."""
        seq = self.metrics.append({"step": 1, "values": {"episode/reward": 1.0, **values}})
        self.metrics.flush()
        return seq

    def finish(self, kind: EventKind = EventKind.FINISHED) -> None:
        self.event(kind, path=None)
        self.close()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.metrics.close()
        self.events.close()
