"""Run the app under uvicorn, until it is interrupted or for the duration of a block.

``BoundedProtocol`` limits the number of connections, the size of request headers, and how long clients may wait.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, Timer
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rlviz.domain.errors import InvalidRequest, RlvizError
from rlviz.importing import without_collection
from rlviz.machine import return_large_memory
from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.server.app import create_app
from rlviz.server.application import Application
from rlviz.server.auth import session_value
from rlviz.server.proxy import ServiceAddress
from rlviz.settings import Settings

log = logging.getLogger(__name__)


MAX_UNFINISHED_BYTES = 1 << 17
"""Maximum bytes of an incomplete request line with headers; RequestFilter limits complete ones further. It also limits
empty lines, chunk extensions and trailers."""

HEAD_SECONDS = 15.0
"""Seconds that a client may take to send request line and headers."""

STALL_SECONDS = 60.0
"""Seconds after which a client that reads nothing of a response is disconnected. Streams have a shorter limit."""

MAX_CONNECTIONS = 500
"""Maximum number of open connections. A new one replaces the connection that has been idle longest; if none is idle, it
gets 503."""

_TOO_LARGE = b"431 Request Header Fields Too Large"
_TOO_SLOW = b"408 Request Timeout"


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's HTTP protocol with limits. Without them it waits forever for a request to end or a client to read."""

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
            self._wait()  # even an empty line must end in time

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
            self.connections.discard(longest)  # now, since uvicorn notices the end later than this request

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


SHUTDOWN_SECONDS = 5

END_SECONDS = 9.7
"""Seconds that the app may take to end after the first signal; then it exits even if something hangs."""

MAX_MESSAGE_BYTES = 1 << 16
"""Maximum bytes of a WebSocket message from a client; a longer one closes the connection."""

_AT_THE_END = {
    "pause": " and pauses training runs",
    "stop": " and stops training runs",
    "leave": "; training runs continue",
}

_ENDING = {
    "pause": "Pausing runs, which continue when the app is started again.",
    "stop": "Stopping runs and saving their policies.",
}


def serve(application: Application) -> int:
    """Serve until interrupted, and return the exit status.

    Raises the errors of ``Application.open``, or InvalidRequest if the address is in use.
    """
    settings = application.settings
    return_large_memory()
    application.claim()  # checked here, since uvicorn reports an address in use with a traceback
    listener = _listen(settings)
    url = _url(settings.host, listener)
    below = f"{settings.root_path}/" if settings.root_path else ""
    _print(f"RL Gym Visualizer is at {url}{below} (Ctrl-C ends it{_AT_THE_END[settings.on_exit]})", settings)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _already_handled)
    with without_collection():  # it builds many models, which stay in memory
        server = _Server(application, listener)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # its terminal was closed
        signal.signal(signal.SIGHUP, server.handle_exit)
    server.run(sockets=[listener])
    if server.failure is not None:
        raise server.failure
    return 0


@contextmanager
def served(application: Application) -> Iterator[ServiceAddress]:
    """Serve in a thread of this process for the duration of the block. The caller handles signals.

    Raises the errors of ``serve``.
    """
    return_large_memory()
    application.claim()
    listener = _listen(application.settings)
    server = _Server(application, listener)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="service")
    try:
        thread.start()
        server.settled.wait()
        if not server.started:
            raise server.failure or InvalidRequest("The service could not be started; the lines above say why.")
        yield server.address
    finally:
        server.should_exit = True
        thread.join()


class _Server(uvicorn.Server):
    """Writes its address into the runs folder, and asks runs to stop as soon as a signal arrives, so that they save
    while streams are closed."""

    def __init__(self, application: Application, listener: socket.socket) -> None:
        super().__init__(
            uvicorn.Config(
                create_app(application),
                log_level="warning",
                log_config=None if application.settings.log_format == "json" else LOGGING_CONFIG,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                server_header=False,
                proxy_headers=False,  # `ProxyHeaders` applies them
                http=BoundedProtocol,
                ws="websockets-sansio",
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_per_message_deflate=False,  # frames are compressed already
            )
        )
        self.address = _address(application.settings, listener)
        self.settled = Event()
        """Set when it has started or failed to start."""
        self.failure: RlvizError | None = None
        """The error that kept it from starting."""
        self._application = application

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            super().run(sockets)
        finally:
            self.settled.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        with without_collection():
            try:
                self._application.open()  # before the web app does, which would answer an error with a traceback
            except RlvizError as error:
                self.failure, self.should_exit = error, True
                return
            await super().startup(sockets)
        if self.started:
            try:
                self.address.write(self._application.settings.runs_dir)
            except OSError as error:  # such as a full disk; the pages work anyway
                log.warning("Commands cannot find this service, because its address could not be written: %s", error)
        self.settled.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.address.remove(self._application.settings.runs_dir)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            if (on_exit := self._application.settings.on_exit) != "leave":
                with suppress(OSError):  # the output may be closed already: `rlviz serve 2>&1 | tee log`
                    _print(f"{_ENDING[on_exit]} Press Ctrl-C again to end without waiting.", self._application.settings)
            last = Timer(END_SECONDS, _force_exit)
            last.daemon = True
            last.start()
            Thread(target=self._application.wind_down, name="wind-down").start()  # a second Ctrl-C waits for it too
            super().handle_exit(sig, frame)
        else:
            self.force_exit = True
            self._application.skip_waiting()


def _print(text: str, settings: Settings) -> None:
    """Print a message for the user, as text or as a JSON log line."""
    if settings.log_format == "json":
        log.info("%s", text)
    else:
        print(text, file=sys.stderr)


def _force_exit() -> None:
    """Exit even if something hangs. Workers end on their own, or the next start adopts them."""
    log.warning("The app did not end within %g s. It exits now, although something hangs.", END_SECONDS)
    os._exit(0)


def _already_handled(_number: int, _frame: FrameType | None) -> None:
    """Ignore the signal that uvicorn raises again after its shutdown, so that the process exits with status 0."""


def _address(settings: Settings, listener: socket.socket) -> ServiceAddress:
    """Return the address at which programs on this machine reach ``listener``."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    session = session_value(settings.token) if settings.token else ""
    return ServiceAddress(_url(host, listener), str(ProcessIdentity.current()), session, settings.host)


def _url(host: str, listener: socket.socket) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        running = "Is RL Gym Visualizer running already? " if error.errno == errno.EADDRINUSE else ""
        raise InvalidRequest(
            f"Port {settings.port} on {settings.host} cannot be used ({error.strerror}). {running}Choose another with "
            "RLVIZ_PORT, or another address with RLVIZ_HOST."
        ) from error
    return listener
