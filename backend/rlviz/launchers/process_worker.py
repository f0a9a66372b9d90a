"""Workers that are processes of this host: children of this service, and those of an earlier service."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

from rlviz.child_environment import child_environment
from rlviz.domain.errors import LauncherError
from rlviz.importing import module_command
from rlviz.launchers.base import Exit, UnknownWorker, Worker
from rlviz.launchers.process_identity import ProcessIdentity

_VMSTAT = Path("/proc/vmstat")


class _LastingProcess(subprocess.Popen[bytes]):
    """A process that may outlive its service, so that it is no mistake to forget it while it runs."""

    def __del__(self) -> None:
        super().__del__(_warn=lambda *_args, **_options: None)  # type: ignore[call-arg]


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
            self._exit = _exit_of(code, self._kills_before)
        return self._exit

    def processor_seconds(self) -> float | None:
        return _processor_seconds_of(self._identity)

    def terminate(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        if self._process.poll() is None:
            if hasattr(os, "killpg"):
                _kill(self._process.pid)
            else:
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

    def processor_seconds(self) -> float | None:
        return self._process.processor_seconds()

    def terminate(self) -> None:
        if self._process.is_alive():
            with suppress(ProcessLookupError):  # it ended just now
                os.kill(self._process.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self._process.is_alive():
            _kill(self._process.pid)


@dataclass
class Fork:
    """``exit_status``: negative for a signal; None as long as it is not known, which may be for ever."""

    pid: int
    exit_status: int | None = None


class Forks(Protocol):
    """The process that workers are forked from, and that waits for their ends."""

    def is_up(self) -> bool:
        """Take in what it has told of ends. Once it is not up, exit statuses that are not known never will be."""


class ForkedWorker(Worker):
    """A fork of a process that the launcher keeps. Once that is gone, it is watched as an adopted worker is."""

    def __init__(self, fork: Fork, forks: Forks) -> None:
        self._fork, self._forks = fork, forks
        self._identity = _identity_of(fork.pid)
        self._kills_before = _out_of_memory_kills()
        self._exit: Exit | None = None

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:
        if self._exit is None:
            is_known_here = self._forks.is_up()
            code = self._fork.exit_status
            if code is not None:
                self._exit = _exit_of(code, self._kills_before)
            elif not is_known_here:
                return self._adopted().poll()
        return self._exit

    def processor_seconds(self) -> float | None:
        return _processor_seconds_of(self._identity)

    def terminate(self) -> None:
        self._adopted().terminate()

    def kill(self) -> None:
        self._adopted().kill()

    def _adopted(self) -> Worker:
        process = ProcessIdentity.parse(self._identity)
        return UnknownWorker() if process is None else AdoptedWorker(process)


def spawn(arguments: list[str], *, stdin: int, output: int) -> subprocess.Popen[bytes]:
    """Start a worker process in a session of its own. Raises LauncherError."""
    environment = child_environment(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", PYTHONUNBUFFERED="1")
    try:
        return _LastingProcess(
            [*module_command("rlviz.worker"), *arguments],
            stdin=stdin,
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise LauncherError(f"The worker process could not be started: {error}.") from error


def _kill(pid: int) -> None:
    """Kill a worker with what its environment has started: a worker leads a group of processes of its own."""
    with suppress(ProcessLookupError, PermissionError):
        (os.killpg if os.getpgid(pid) == pid else os.kill)(pid, signal.SIGKILL)


def _exit_of(code: int, kills_before: int) -> Exit:
    return Exit(code, out_of_memory=code == -signal.SIGKILL and _out_of_memory_kills() > kills_before)


def _identity_of(pid: int) -> str:
    """Empty for a process that is gone, on systems that do not tell."""
    try:
        return str(ProcessIdentity.of(pid))
    except psutil.NoSuchProcess:
        return ""


def _processor_seconds_of(identity: str) -> float | None:
    process = ProcessIdentity.parse(identity)
    return None if process is None else process.processor_seconds()


def _out_of_memory_kills() -> int:
    """Number of processes the kernel has killed for lack of memory since boot; 0 if unknown."""
    try:
        for line in _VMSTAT.read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
