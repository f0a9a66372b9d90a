"""Running the app under uvicorn."""

from __future__ import annotations

import signal
import socket
import sys
from types import FrameType

import uvicorn

from rlviz.api.app import create_app
from rlviz.domain.errors import InvalidRequest
from rlviz.services.application import Application
from rlviz.settings import Settings

SHUTDOWN_SECONDS = 5


def serve(application: Application) -> int:
    """Serve until interrupted. Raises RunsFolderInUse, or InvalidRequest if the address is taken."""
    settings = application.settings
    application.claim()  # here, lest uvicorn reports it with a traceback
    listener = _listen(settings)
    port = listener.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    print(f"RL Gym Visualizer is at http://{host}:{port} (Ctrl-C ends it; runs that train go on)", file=sys.stderr)
    config = uvicorn.Config(
        create_app(application),
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        server_header=False,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _already_handled)
    uvicorn.Server(config).run(sockets=[listener])
    return 0


def _already_handled(_number: int, _frame: FrameType | None) -> None:
    """Uvicorn raises the signal again once it has shut down; the service then ends with status 0."""


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise InvalidRequest(
            f"Port {settings.port} on {settings.host} cannot be used ({error.strerror}). Is RL Gym Visualizer "
            "running already? Otherwise choose another port with RLVIZ_PORT."
        ) from error
    return listener
