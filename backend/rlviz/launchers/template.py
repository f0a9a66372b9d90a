"""ForkedWorkers: one process, the template, that has imported everything, and a fork of it for each job.

A fork takes milliseconds and shares the template's memory, where an import of torch takes seconds and a third of a
gigabyte. The template runs nothing but its loop: it has built a model, and so starts no thread that a fork would miss.
Messages are JSON, one in a packet: from the launcher the arguments of a job, from the template ``ready``, ``forked``
and ``ended``.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rlviz.launchers.base import Worker
from rlviz.launchers.process_worker import Fork, ForkedWorker, spawn
from rlviz.launchers.warm import WarmWorkers

FORKS = sys.platform == "linux"
"""Whether a process that has imported torch can be forked. On macOS its libraries forbid it; Windows has no fork."""

RESPAWN_SECONDS = 1.5
"""Seconds before a template that died is replaced."""

FORK_SECONDS = 5.0
"""How long the template may take for a fork before it is given up. It takes milliseconds."""

MAX_BYTES = 64_000
"""Of a message."""

REFUSED = -1
"""In place of a process id: the system refused the fork."""


class ForkedWorkers(WarmWorkers):
    """The launcher's end: keeps a template, and asks it for forks."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._respawn_at = monotonic()
        self._closed = False
        self.template: Template | None = None

    def tick(self) -> None:
        if self.template is not None and not self.template.is_up():
            self.template = None
            self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        if self.template is None and not self._closed and self._monotonic() >= self._respawn_at:
            self.template = Template.started()

    def start(self, arguments: list[str]) -> Worker | None:
        fork = None if self.template is None else self.template.fork(arguments)
        return None if self.template is None or fork is None else ForkedWorker(fork, self.template)

    def close(self) -> None:
        self._closed = True
        if self.template is not None:
            self.template.close()


class Template:
    """One template process, from its start to its end. Its forks outlive it."""

    def __init__(self, connection: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        """``connection``: to a process that serves it with ``fork_workers``. ``process``: that one, to be ended."""
        self._connection, self._process = connection, process
        self._is_ready = False
        self._forked: Fork | None = None
        self._running: dict[int, Fork] = {}
        """By process id, which the system gives again once a fork has ended."""

    @classmethod
    def started(cls) -> Template:
        """A new one, which begins to import. Raises LauncherError."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            return cls(ours, spawn(["--template"], stdin=theirs.fileno(), output=subprocess.DEVNULL))

    def is_ready(self) -> bool:
        """Whether it has imported everything and can fork."""
        return self.is_up() and self._is_ready

    def is_up(self) -> bool:
        self._receive()
        return self._connection.fileno() >= 0

    def fork(self, arguments: list[str]) -> Fork | None:
        """A new worker that does the job of these arguments; None if there can be none from here."""
        if not self.is_ready():
            return None
        self._forked = None
        try:
            self._connection.settimeout(FORK_SECONDS)
            self._connection.send(json.dumps(arguments).encode())
        except OSError:
            self.close()
        deadline = time.monotonic() + FORK_SECONDS
        while self._forked is None and self._connection.fileno() >= 0:
            self._receive(max(0.0, deadline - time.monotonic()))
            if self._forked is None and time.monotonic() >= deadline:
                self.close()  # and so it cannot fork later, when somebody else does the job
        return None if self._forked is None or self._forked.pid == REFUSED else self._forked

    def close(self) -> None:
        """End it; its forks go on."""
        if self._connection.fileno() >= 0:
            self._connection.close()
            if self._process is not None:
                with self._process as process:
                    process.kill()

    def _receive(self, seconds: float = 0.0) -> None:
        """Take in what has arrived; wait for that up to ``seconds``."""
        while self._connection.fileno() >= 0:
            self._connection.settimeout(seconds)
            try:
                message = self._connection.recv(MAX_BYTES)
            except (TimeoutError, BlockingIOError):
                return
            except OSError:
                message = b""
            seconds = 0.0
            if message:
                self._take(json.loads(message))
            else:
                self.close()

    def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"ready": True}:
                self._is_ready = True
            case {"forked": pid}:
                self._forked = Fork(pid)
                if pid != REFUSED:
                    self._running[pid] = self._forked
            case {"ended": [pid, status]} if pid in self._running:
                self._running.pop(pid).exit_status = status


def fork_workers(connection: socket.socket) -> list[str] | None:
    """Fork a worker for each job that arrives on ``connection``, until the launcher closes it.

    Returns twice and more: the job's arguments in each worker, and in the end None in the template.
    """
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    gc.collect()
    gc.freeze()  # or the first collection of each worker would copy all of the memory that it shares
    _send(connection, {"ready": True})
    while True:
        readable, _, _ = select.select([connection.fileno(), woken], [], [])
        if connection.fileno() in readable:
            try:
                message = connection.recv(MAX_BYTES)
            except ConnectionResetError:  # the launcher was killed before it had read all that it was sent
                return None
            if not message:
                return None
            pid = _fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for descriptor in (woken, wake, connection.detach()):
                    os.close(descriptor)
                os.setsid()
                return list(json.loads(message))
            _send(connection, {"forked": pid})
        if woken in readable:
            os.read(woken, MAX_BYTES)
            _tell_ends(connection)


def _fork() -> int:
    """As os.fork, or REFUSED."""
    try:
        return os.fork()
    except OSError:
        return REFUSED


def _tell_ends(connection: socket.socket) -> None:
    """Tell the launcher of each fork that has ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _send(connection, {"ended": [pid, os.waitstatus_to_exitcode(status)]})


def _send(connection: socket.socket, message: dict[str, Any]) -> None:
    with suppress(OSError):  # the launcher is gone: the next receive says so
        connection.send(json.dumps(message).encode())
