"""Workers that are processes of this host: children of this service, and those of an earlier service."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil

from rlviz.launchers.base import Exit, Worker
from rlviz.launchers.process_identity import ProcessIdentity

_VMSTAT = Path("/proc/vmstat")


class ChildWorker(Worker):
    """A child process of this service."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._identity = _identity_of(process.pid)
        self._kills_before = _out_of_memory_kills()
        self._exit: Exit | None = None

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:
        code = self._process.poll()
        if code is not None and self._exit is None:
            starved = code == -signal.SIGKILL and _out_of_memory_kills() > self._kills_before
            self._exit = Exit(code, out_of_memory=starved)
        return self._exit

    def terminate(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()


class AdoptedWorker(Worker):
    """A process that an earlier service launched: it can be watched, but its exit status is lost."""

    def __init__(self, process: ProcessIdentity) -> None:
        self._process = process

    @property
    def identity(self) -> str:
        return str(self._process)

    def poll(self) -> Exit | None:
        return None if self._process.is_alive() else Exit(None)

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._process.is_alive():
            with suppress(ProcessLookupError):  # it ended just now
                os.kill(self._process.pid, number)


def _identity_of(pid: int) -> str:
    """Empty for a process that is gone, on systems that do not tell."""
    try:
        return str(ProcessIdentity.of(pid))
    except psutil.NoSuchProcess:
        return ""


def _out_of_memory_kills() -> int:
    """Number of processes the kernel has killed for lack of memory since boot; 0 if unknown."""
    try:
        for line in _VMSTAT.read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
