"""Runs the app under uvicorn."""

from __future__ import annotations

import errno
import signal
import socket
import sys
from contextlib import suppress
from threading import Thread
from types import FrameType

import uvicorn

from rlviz.api.app import create_app
from rlviz.api.protocol import BoundedProtocol
from rlviz.domain.errors import InvalidRequest
from rlviz.machine import return_large_memory
from rlviz.services.application import Application
from rlviz.settings import Settings

SHUTDOWN_SECONDS = 5

MAX_MESSAGE_BYTES = 1 << 16
"""Maximum bytes of a WebSocket message from a client; a longer one closes the connection."""

_AT_THE_END = {
    "pause": ", and pauses what trains",
    "stop": ", and stops what trains",
    "leave": "; runs that train go on",
}

_ENDING = {
    "pause": "Pausing runs, which go on when the app is started again.",
    "stop": "Stopping runs and saving their policies.",
}


def serve(application: Application) -> int:
    """Serve until interrupted. Raises what ``Application.claim`` does, or InvalidRequest if the address is taken."""
    settings = application.settings
    return_large_memory()
    application.claim()  # checked here, since uvicorn reports an address in use with a traceback
    listener = _listen(settings)
    port = listener.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    print(
        f"RL Gym Visualizer is at http://{host}:{port} (Ctrl-C ends it{_AT_THE_END[settings.on_exit]})", file=sys.stderr
    )
    config = uvicorn.Config(
        create_app(application),
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        server_header=False,
        http=BoundedProtocol,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,  # frames are compressed already
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _already_handled)
    server = _Server(config, application)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # its terminal was closed
        signal.signal(signal.SIGHUP, server.handle_exit)
    server.run(sockets=[listener])
    return 0


class _Server(uvicorn.Server):
    """Asks the runs to stop as soon as the signal comes, so that they save while streams are closed."""

    def __init__(self, config: uvicorn.Config, application: Application) -> None:
        super().__init__(config)
        self._application = application

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            if (on_exit := self._application.settings.on_exit) != "leave":
                with suppress(OSError):  # the reader of our output may be gone already: `rlviz serve 2>&1 | tee log`
                    print(_ENDING[on_exit], "Ctrl-C again does not wait for them.", file=sys.stderr)
            Thread(target=self._application.wind_down, name="wind-down").start()  # a second Ctrl-C waits for it too
            super().handle_exit(sig, frame)
        else:
            self.force_exit = True
            self._application.hurry()


def _already_handled(_number: int, _frame: FrameType | None) -> None:
    """Uvicorn raises the signal again after its shutdown; here the process then exits with status 0."""


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
