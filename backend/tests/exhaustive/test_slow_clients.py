"""Disconnection of a slow client. It is exhaustive because it waits for the time limit."""

from __future__ import annotations

import socket

from tests.scripted.test_headers import site
from tests.support.service_process import Service
from tests.support.waiting import PATIENCE

__all__ = ["site"]


def test_a_client_that_sends_its_request_too_slowly_is_disconnected(site: Service) -> None:
    """Slow loris: one connection never ends its headers, one never ends its body."""
    for begun in (
        b"GET / HTTP/1.1\r\nHost: x",
        b"POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{",
    ):
        with socket.create_connection(("127.0.0.1", site.port), PATIENCE) as connection:
            connection.sendall(begun)
            connection.settimeout(PATIENCE)
            assert b" 408 " in connection.recv(1_000)
