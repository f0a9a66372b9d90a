"""Invalid messages and unauthorized connections at the WebSocket of a session."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.support.service_process import Service, serving
from tests.support.sessions import looking, new_session
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("faults"), on_exit="stop") as service:
        yield service


NO_MESSAGES = [
    *("", "{", "[]", "null", '"play"', "{}", "\ufffd"),
    *('{"type": "fly"}', '{"type": "play", "more": 1}', '{"type": "presence", "looks": false}'),
    *('{"type": "step", "n": 0}', '{"type": "step", "n": 1e9}', '{"type": "reset", "seed": -1}'),
    *('{"type": "rate", "fps": NaN}', '{"type": "rate", "fps": 1e999}'),
    '{"type": "action", "value": ' + "[" * 9_000,
]


def test_an_invalid_message_is_answered_with_an_error_and_ignored(service: Service) -> None:
    with looking(service, env_id="CartPole-v1") as viewer:
        viewer.step()
        for text in NO_MESSAGES:
            viewer.socket.send(text)
            assert viewer.first("error").detail, text
            assert viewer.step(), text


def test_a_binary_message_is_invalid_and_an_oversized_one_closes_the_connection(service: Service) -> None:
    with looking(service, env_id="CartPole-v1") as viewer:
        viewer.step()
        viewer.socket.send(b"\x00\xff" * 50)
        assert viewer.first("error").detail
        viewer.socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosed) as closed:
            viewer.until(lambda _: False)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


def handshake(service: Service, **headers: str) -> int:
    """Return the response status of a handshake with ``headers``."""
    session = new_session(service, env_id="CartPole-v1")
    try:
        with connect(f"ws://127.0.0.1:{service.port}{session['socket']}", additional_headers=headers):
            return 101
    except InvalidStatus as error:
        return error.response.status_code
    finally:
        service.api("DELETE", f"/sessions/{session['id']}")


def test_a_page_of_another_origin_opens_no_socket(service: Service) -> None:
    assert handshake(service, Origin="http://evil.example") == 403
    assert handshake(service, Origin="null") == 403
    assert handshake(service, Origin=f"http://127.0.0.1:{service.port}") == 101
    assert handshake(service) == 101, "a program has no origin"


def test_another_host_name_opens_no_socket(service: Service) -> None:
    session = new_session(service, env_id="CartPole-v1")
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        head = (
            f"GET {session['socket']} HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        connection.sendall(head.encode())
        assert b" 403 " in connection.recv(1_000).splitlines()[0]


def test_a_service_with_a_token_opens_no_socket_without_it(tmp_path: Path) -> None:
    token = "a-secret-of-some-length"
    with serving(tmp_path, token=token) as service:
        session: dict[str, Any] = new_session(service, env_id="CartPole-v1")
        address = f"ws://127.0.0.1:{service.port}{session['socket']}"
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "rlviz_session=wrong"}):
            with pytest.raises(InvalidStatus) as refused:
                connect(address, additional_headers=headers)
            assert refused.value.response.status_code == 401
        with connect(address, additional_headers={"Authorization": f"Bearer {token}"}) as viewer:
            assert json.loads(viewer.recv(PATIENCE))["type"] == "hello"


def test_a_long_lived_socket_is_not_mistaken_for_an_unfinished_request(service: Service) -> None:
    """HTTP connections are closed if their headers do not end within fifteen seconds."""
    with looking(service, env_id="CartPole-v1") as viewer:
        viewer.send(type="rate", fps=5)
        begin = time.monotonic()
        viewer.step(lambda _: time.monotonic() - begin > 17)
