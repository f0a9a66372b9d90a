"""The HTTP protocol with limits on the number of connections, on the length of a request's head, and on waiting.

``tests/exhaustive/test_connection_bounds.py`` shows which of these uvicorn's own limits do not cover.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_UNFINISHED_BYTES = 1 << 17
"""Maximum bytes of a request line with headers while their end has not come; RequestFilter is stricter with whole ones.
It also limits what may come between parts of a request: empty lines, chunk extensions, trailers."""

HEAD_SECONDS = 15.0
"""Seconds that a client may take to send request line and headers."""

STALL_SECONDS = 60.0
"""Seconds that a client may take to read nothing of a response. Streams have a shorter limit of their own."""

MAX_CONNECTIONS = 500
"""Maximum number of open connections. Another one replaces the one that has been idle longest; if none is idle, it gets
503."""

_TOO_LARGE = b"431 Request Header Fields Too Large"
_TOO_SLOW = b"408 Request Timeout"


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's protocol by itself waits without limit for a request to end, and for a client to read."""

    head_seconds = HEAD_SECONDS
    stall_seconds = STALL_SECONDS
    max_connections = MAX_CONNECTIONS

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.limit_concurrency = self.max_connections
        self._unfinished_bytes = 0
        self._silent_since: float | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._silent_since = self.loop.time()
        self._make_room()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_stalling()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unfinished_bytes += len(data)
        super().data_received(data)
        if self._unfinished_bytes > MAX_UNFINISHED_BYTES:
            self._refuse(_TOO_LARGE)
        elif self._head_timer is None and not self._is_answering and not self._has_become_socket:
            self._wait()  # waits for the end of what has begun, even if it is an empty line

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        self._unfinished_bytes, self._silent_since = 0, None
        self._stop_waiting()
        super().on_headers_complete()

    def on_chunk_complete(self) -> None:
        self._unfinished_bytes = 0

    def on_body(self, body: bytes) -> None:
        self._unfinished_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unfinished_bytes = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_answering:
            self._silent_since = self.loop.time()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall_timer = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_stalling()
        super().resume_writing()

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _has_become_socket(self) -> bool:
        """Whether the connection was upgraded to a WebSocket."""
        return self.transport.get_protocol() is not self

    def _make_room(self) -> None:
        if len(self.connections) < self.max_connections:
            return
        others = (one for one in self.connections if isinstance(one, BoundedProtocol) and one is not self)
        silent = [one for one in others if one._silent_since is not None and not one.transport.is_closing()]
        if silent:
            longest = min(silent, key=lambda one: one._silent_since or 0.0)
            longest.transport.abort()
            self.connections.discard(longest)  # now, since the end is noticed later, when this request may have arrived

    def _wait(self) -> None:
        self._stop_waiting()
        self._head_timer = self.loop.call_later(self.head_seconds, self._refuse, _TOO_SLOW)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_stalling(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def _refuse(self, status: bytes) -> None:
        """Close the connection. If a response is being sent, its request was read completely, so none is lost."""
        self._stop_waiting()
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 %b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % status)
            self.transport.close()
