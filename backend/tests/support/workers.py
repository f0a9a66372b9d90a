"""Worker processes that tests start: watched, and never left behind."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from pathlib import Path

import psutil

from rlviz.launchers.base import Exit, Worker
from rlviz.launchers.process import ProcessLauncher
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.services.supervision.termination import GracePeriod
from tests.support.training import eventually

GRACE = GracePeriod(ask=30.0, terminate=10.0)
"""For a worker that is asked to stop."""


class Actor(Worker):
    """A worker that lives until it is told how it ended."""

    exit: Exit | None = None

    @property
    def identity(self) -> str:
        return "an actor"

    def poll(self) -> Exit | None:
        return self.exit

    def terminate(self) -> None:
        self.exit = Exit(-15)

    def kill(self) -> None:
        self.exit = Exit(-9)


def impatient_launcher() -> ProcessLauncher:
    """A launcher whose clock runs so fast that a prewarmed worker is always due."""
    ticks = itertools.count(step=60)
    return ProcessLauncher(monotonic=lambda: float(next(ticks)))


def pid_of(identity: str | None) -> int:
    """The process id in the identity of a worker that is a process."""
    process = ProcessIdentity.parse(identity or "")
    assert process is not None, f"{identity!r} names no process"
    return process.pid


def put_down(worker: Worker) -> None:
    """Kill ``worker`` if it lives, and wait for its end."""
    worker.kill()
    eventually(worker.poll, "the worker's end")


def is_running(pid: int) -> bool:
    """Whether a process of that id runs; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def worker_processes() -> list[int]:
    """Ids of the worker processes that this process, or a child of it, has started and that still run.

    Those of a service that other tests have up (``rlviz serve``) are not counted.
    """
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            running = "rlviz.worker" in _command_line(process) and process.status() != psutil.STATUS_ZOMBIE
            parent = process.parent()
            if running and (parent is None or "serve" not in parent.cmdline()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def kill_workers_below(folder: Path) -> None:
    """Kill every worker of a runs folder below ``folder``: one that is left would train until it is killed."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            line = process.cmdline()
            if "rlviz.worker" in line and any(argument.startswith(f"{folder}/") for argument in line):
                process.kill()


def _command_line(process: psutil.Process) -> list[str]:
    """Of a process that was started this moment too: the kernel shows it before it has its arguments."""
    while not (line := process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.001)
    return list(line)
