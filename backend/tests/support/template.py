"""One process that has imported torch, for all services that tests start.

    python -m tests.support.template SOCKET     serve it until standard input ends

Importing torch takes longer than most tests. Each service connects to the socket and uses it like its own template.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from setproctitle import setproctitle

from rlviz.launchers.base import Worker
from rlviz.launchers.process import ForkedWorkers, Template
from rlviz.machine import lower_priority
from tests.support.waiting import eventually

TITLE = "template-for"
"""Begins the title of the process whose forks are the workers of a service; its process id follows."""

SOCKET = "TESTS_TEMPLATE"
"""Environment variable with the address of the template, for processes that another one has started."""

NICENESS = 3
"""Of the workers that tests start. With that of the product, a test that waits for training would wait until the tests
beside it have ended."""

ROOT = Path(__file__).parents[2]


class SharedWorkers(ForkedWorkers):
    """Workers forked from the shared template. The first launch connects to it and waits for it."""

    def maintain(self) -> None:
        """Do nothing: there is nothing to maintain."""

    def start(self, arguments: list[str]) -> Worker | None:
        if self.template is None or not self.template.is_up():
            template = Template(_connected(template_address()))
            eventually(template.is_ready, "the template")
            self.template = template
        return super().start(arguments)


@cache
def template_address() -> str:
    """Return the address of the template that this process was given, or of one that it starts at the first call."""
    if given := os.environ.get(SOCKET):
        return given
    folder = Path(tempfile.mkdtemp(prefix="rlviz-template-"))
    path = str(folder / "socket")
    command = [sys.executable, "-m", "tests.support.template", path]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=ROOT)

    def end() -> None:
        server.kill()
        server.wait()
        Path(path).unlink(missing_ok=True)
        folder.rmdir()

    atexit.register(end)
    return path


def _connected(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def connect() -> bool:
        try:
            connection.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True

    eventually(connect, "the template's socket")
    return connection


def _serve(path: str) -> None:
    from rlviz import worker

    worker.lower_priority = lambda _by: lower_priority(NICENESS)
    worker._import_everything()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # what it forks leaves no zombie
        while True:
            readable, _, _ = select.select([listener.fileno(), 0], [], [])
            if 0 in readable:
                return
            connection, _ = listener.accept()
            with connection:
                peer, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                if os.fork():
                    continue
                os.dup2(connection.fileno(), 0)
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            setproctitle(f"{TITLE} {peer}")
            sys.argv = ["rlviz.worker", "--template"]
            os._exit(worker.main())


if __name__ == "__main__":
    _serve(sys.argv[1])
