"""A local server that a sink delivers to, and that fails as a test says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, RLock, Thread
from typing import Any, TypeVar
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
    FORGETS_SOME = "forgets some"
    """Says that it took rows, and keeps every other one."""


class TrackingServer(ThreadingHTTPServer):
    """A fake server. ``respond`` handles requests while it is healthy; ``asked`` lists every request in any state."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mood = Mood.WELL
        self.asked: list[str] = []
        self.released = Event()
        self.one_at_a_time = RLock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def name_of(self, path: str, body: bytes) -> str:
        """Return the name of a request in ``asked``."""
        return path

    def respond(self, path: str, query: dict[str, str], body: bytes) -> Any:
        """Return the response as a JSON value."""
        raise NotImplementedError


class _Handler(BaseHTTPRequestHandler):
    server: TrackingServer

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        address = urlsplit(self.path)
        self.server.asked.append(self.server.name_of(address.path, body))
        match self.server.mood:
            case Mood.HANGS:
                self.server.released.wait()
            case Mood.ERROR:
                self._write(500, b'{"error_code": "INTERNAL_ERROR", "message": "out of order"}')
            case Mood.PAGE:
                self._write(200, b"<html>Please log in</html>", "text/html")
            case Mood.WELL | Mood.FORGETS | Mood.FORGETS_SOME:
                query = {name: values[0] for name, values in parse_qs(address.query).items()}
                with self.server.one_at_a_time:
                    answer = self.server.respond(address.path, query, body)
                self._write(200, json.dumps(answer).encode())

    def _write(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_told: Any) -> None:
        """Log nothing."""


S = TypeVar("S", bound=TrackingServer)


@contextmanager
def served(server: S) -> Iterator[S]:
    with server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
