"""A client of server-sent events."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.service_process import Service
from tests.support.waiting import PATIENCE


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
    """An EventSource: returns each event after its blank line, and keeps the last id.

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
        """Return the events completed by the next ``size`` bytes at most; a partial event is lost, as on a broken
        connection.
        """
        return list(self.feed(self.response.read1(size)))

    def until(self, found: Callable[[Event], object]) -> list[Event]:
        """Return the events up to the first that ``found`` accepts."""
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
    """Open an event stream at ``/api<path>``. ``last_event_id="…"`` becomes the Last-Event-ID header."""
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
