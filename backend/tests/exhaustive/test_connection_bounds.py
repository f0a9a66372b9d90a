"""Connection limits that ``BoundedProtocol`` adds to uvicorn's own; the same attacks on both, through real sockets."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import Any

import psutil
import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rlviz.server.serve import MAX_UNFINISHED_BYTES, BoundedProtocol
from tests.support.raw_requests import raw_request
from tests.support.waiting import PATIENCE, eventually

LONG_AFTER = 4.0
"""Seconds: far more than all limits of both servers."""

ANSWER_BYTES = 50_000_000
"""Of ``/large``: more than the buffers of a connection hold."""


class Bounded(BoundedProtocol):
    head_seconds = 2.0
    stall_seconds = 1.0
    max_connections = 5


PROTOCOLS = {"ours": Bounded, "uvicorn's": HttpToolsProtocol}


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        body = bytes(ANSWER_BYTES) if scope["path"] == "/large" else b"ok"
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@contextmanager
def serving(protocol: type[HttpToolsProtocol]) -> Iterator[int]:
    """A server with all limits that uvicorn has; yields its port."""
    config = uvicorn.Config(
        app,
        port=0,
        log_level="critical",
        lifespan="off",
        http=protocol,
        limit_concurrency=5,
        timeout_keep_alive=0,
        timeout_graceful_shutdown=0,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started, "the server's start")
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module", params=PROTOCOLS)
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with serving(PROTOCOLS[request.param]) as port:
        yield port


@pytest.fixture
def is_ours(request: pytest.FixtureRequest) -> bool:
    return "ours" in request.node.name


def connected(port: int, begun: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.sendall(begun)
    return connection


def is_let_go(connection: socket.socket, *, expected: bool) -> bool:
    """Return whether the server responds or closes. If ``expected``, wait longer, for a busy machine."""
    readable, _, _ = select.select([connection], [], [], PATIENCE if expected else LONG_AFTER)
    return bool(readable)


def is_held(port: int, connection: socket.socket) -> bool:
    """Return whether the server still has its end of ``connection``. Reading from the client's end would first return
    what was sent before.
    """
    ends = (port, connection.getsockname()[1])
    return any(
        one.laddr and one.raddr and (one.laddr.port, one.raddr.port) == ends
        for one in psutil.Process().net_connections("tcp")
    )


@pytest.mark.parametrize(
    "begun", [b"G", b"GET / HTTP/1.1\r\nHost: x", b"\r\n"], ids=["first-letter", "half-a-head", "empty-line"]
)
def test_an_unfinished_request_is_closed(port: int, is_ours: bool, begun: bytes) -> None:
    with connected(port, begun) as connection:
        assert is_let_go(connection, expected=is_ours) is is_ours


def test_endless_headers_are_not_buffered(port: int, is_ours: bool) -> None:
    taken = 0
    with connected(port, b"GET / HTTP/1.1\r\nX-Long: ") as connection:
        try:
            while taken < 50 * MAX_UNFINISHED_BYTES:
                taken += connection.send(b"x" * 8_192)
        except ConnectionError:
            pass
        refused = taken < 50 * MAX_UNFINISHED_BYTES or is_let_go(connection, expected=is_ours)
    assert refused is is_ours


def test_a_client_that_reads_none_of_its_response_is_disconnected(port: int, is_ours: bool) -> None:
    with connected(port, b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n") as connection:
        assert connection.recv(1, socket.MSG_PEEK), "it has begun to answer"
        if is_ours:
            eventually(lambda: not is_held(port, connection), "the connection's end")
        else:
            time.sleep(LONG_AFTER)
            assert is_held(port, connection)


def test_idle_connections_give_way_to_one_that_sends_a_request(port: int, is_ours: bool) -> None:
    with ExitStack() as silent:
        for _ in range(10):
            silent.enter_context(connected(port, b""))
        answer = raw_request(port, b"/")
    assert answer.status == (200 if is_ours else 503)
