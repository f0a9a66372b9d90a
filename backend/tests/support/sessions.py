"""A viewer of a session over a real WebSocket."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.sync.client import ClientConnection, connect

from rlviz.domain.recording import StepRecord
from rlviz.domain.sessions import SERVER_MESSAGE, ServerMessage, StepMessage
from tests.support.service_process import Service
from tests.support.waiting import PATIENCE

SERVER_MESSAGE.rebuild()
"""As the service does: a viewer that is late at its first message misses frames."""


@dataclass
class Viewer:
    """``messages`` and ``frames`` hold everything received; each frame is stored with the index of its message."""

    socket: ClientConnection
    messages: list[ServerMessage] = field(default_factory=list)
    frames: dict[int, bytes] = field(default_factory=dict)

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def next(self) -> ServerMessage:
        """Return the next message after its frame has arrived."""
        text = self.socket.recv(PATIENCE)
        assert isinstance(text, str), "a frame that nobody announced"
        message = SERVER_MESSAGE.validate_json(text)
        self.messages.append(message)
        if isinstance(message, StepMessage) and message.frame_follows:
            frame = self.socket.recv(PATIENCE)
            assert isinstance(frame, bytes)
            self.frames[len(self.messages) - 1] = frame
        return message

    def until(self, look: Callable[[ServerMessage], bool]) -> ServerMessage:
        while not look(message := self.next()):
            pass
        return message

    def first(self, kind: str) -> Any:
        """Return the next message of that type."""
        return self.until(lambda message: message.type == kind)

    def step(self, look: Callable[[StepRecord], bool] = lambda _: True) -> StepRecord:
        """Return the next record that ``look`` accepts."""
        found = self.until(lambda message: isinstance(message, StepMessage) and look(message.record))
        assert isinstance(found, StepMessage)
        return found.record


def new_session(service: Service, **wishes: Any) -> dict[str, Any]:
    answer = service.api("POST", "/sessions", json={"mode": "watch", **wishes})
    assert answer.status_code == 201, answer.text
    session: dict[str, Any] = answer.json()
    return session


@contextmanager
def looking(service: Service, session: Mapping[str, Any] | None = None, **wishes: Any) -> Iterator[Viewer]:
    """Yield a viewer of ``session`` or of a new session. Waits for a slow service."""
    found = session or new_session(service, **wishes)
    address = f"ws://127.0.0.1:{service.port}{found['socket']}"
    with connect(
        address, max_size=None, max_queue=None, open_timeout=PATIENCE, close_timeout=1, ping_interval=None
    ) as connection:
        yield Viewer(connection)
