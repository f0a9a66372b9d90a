"""A server that speaks as much of MLflow's REST interface as a sink needs, and misbehaves as a test wants."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Mood(Enum):
    WELL = "well"
    ERROR = "error"
    """Answers 500."""
    HANGS = "hangs"
    """Takes a request and never answers."""
    PAGE = "page"
    """Answers 200 with a page of HTML, as a proxy does that wants a login."""
    FORGETS = "forgets"
    """Says that it took rows, and keeps none."""


class FakeMlflow(ThreadingHTTPServer):
    """What it has is what a test looks at: ``points`` by name of the metric, each (step, value)."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mood = Mood.WELL
        self.asked: list[str] = []
        self.released = Event()
        self.forget()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def forget(self) -> None:
        """As a server that is set up anew."""
        self.run: dict[str, Any] | None = None
        self.points: dict[str, set[tuple[int, float]]] = {}

    def answer(self, call: str, sent: dict[str, Any]) -> dict[str, Any]:
        match call:
            case "experiments/get-by-name":
                return {"experiment": {"experiment_id": "1", "name": sent["experiment_name"]}}
            case "runs/search":
                return {"runs": [self._told()] if self.run else []}
            case "runs/create":
                self.run = {"run_id": "r1", "status": "RUNNING", "tags": sent["tags"]}
                return {"run": self._told()}
            case "runs/get":
                return {"run": self._told()}
            case "runs/log-batch" if self.mood is not Mood.FORGETS:
                for metric in sent.get("metrics", ()):
                    point = (int(metric.get("step", 0)), float(metric["value"]))
                    self.points.setdefault(metric["key"], set()).add(point)
            case "runs/update":
                assert self.run is not None
                self.run["status"] = sent.get("status", self.run["status"])
                return {"run_info": self._told()["info"]}
        return {}

    def _told(self) -> dict[str, Any]:
        assert self.run is not None
        info = {"run_id": "r1", "run_uuid": "r1", "experiment_id": "1", "status": self.run["status"]}
        newest = {name: max(points) for name, points in self.points.items()}
        metrics = [{"key": name, "value": value, "step": step} for name, (step, value) in newest.items()]
        info |= {"lifecycle_stage": "active", "artifact_uri": "file:///nowhere"}
        return {"info": info, "data": {"metrics": metrics, "tags": self.run["tags"]}}


class _Handler(BaseHTTPRequestHandler):
    server: FakeMlflow

    def do_GET(self) -> None:
        self._serve({name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()})

    def do_POST(self) -> None:
        self._serve(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}"))

    def _serve(self, sent: dict[str, Any]) -> None:
        call = urlsplit(self.path).path.partition("/mlflow/")[2]
        self.server.asked.append(call)
        match self.server.mood:
            case Mood.HANGS:
                self.server.released.wait()
            case Mood.ERROR:
                self._write(500, b'{"error_code": "INTERNAL_ERROR", "message": "out of order"}')
            case Mood.PAGE:
                self._write(200, b"<html>Please log in</html>", "text/html")
            case Mood.WELL | Mood.FORGETS:
                self._write(200, json.dumps(self.server.answer(call, sent)).encode())

    def _write(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_told: Any) -> None:
        """Nothing."""


@contextmanager
def fake_mlflow() -> Iterator[FakeMlflow]:
    with FakeMlflow() as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
