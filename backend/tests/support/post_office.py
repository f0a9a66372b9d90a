"""A local HTTP server that collects POST requests and answers as a test says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

SECRET = "T0-very-secret"


@dataclass
class PostOffice:
    """A server that collects posts. ``answers`` has the status for each post, the last one for all that follow. None
    sends no answer until ``release`` is set.
    """

    answers: list[int | None] = field(default_factory=lambda: [200])
    posted: list[dict[str, Any]] = field(default_factory=list)
    release: Event = field(default_factory=Event)
    arrived: Event = field(default_factory=Event)
    url: str = ""

    def next_answer(self) -> int | None:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def post_office(*answers: int | None) -> Iterator[PostOffice]:
    office = PostOffice(list(answers) or [200])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            office.posted.append(json.loads(body))
            office.arrived.set()
            status = office.next_answer()
            if status is None:
                office.release.wait()
                return
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    office.url = f"http://user:{SECRET}@127.0.0.1:{server.server_port}/hooks/{SECRET}?key={SECRET}"
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield office
    finally:
        office.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
