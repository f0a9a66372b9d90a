"""Clients that send requests unchanged, and checks of problem responses."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.waiting import PATIENCE


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
    """Send ``target`` unchanged; HTTP clients would normalize it. ``on_head`` is called before the body is read."""
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
    """Check that ``answer`` is a complete problem+json with that status and exactly these fields, and return it."""
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
