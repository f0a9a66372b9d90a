"""Worker processes for tests: finding, watching and killing them."""

from __future__ import annotations

import itertools
import re
import time
from contextlib import suppress
from pathlib import Path

import psutil

from rlviz.launchers.base import Exit, Worker
from rlviz.launchers.process import ForkedWorkers, PrewarmedWorkers, ProcessLauncher
from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.server.supervisor.monitors import GracePeriod
from tests.support.template import TITLE, SharedWorkers
from tests.support.waiting import eventually

GRACE = GracePeriod(ask=30.0, terminate=10.0)
"""For a worker that is asked to stop."""


SERVES = re.compile(rf"{TITLE}|serve")
"""In the title of a service that tests have up, and of the process whose forks are its workers."""


class Actor(Worker):
    """A worker that lives until a test sets its exit."""

    exit: Exit | None = None
    used: float | None = None

    @property
    def identity(self) -> str:
        return "an actor"

    def poll(self) -> Exit | None:
        return self.exit

    def processor_seconds(self) -> float | None:
        return self.used

    def terminate(self) -> None:
        self.exit = Exit(-15)

    def kill(self) -> None:
        self.exit = Exit(-9)


def forking_launcher() -> ProcessLauncher:
    """A launcher whose workers are forks of the template that all tests share."""
    return ProcessLauncher(source=SharedWorkers())


def warm_launcher() -> ProcessLauncher:
    """A launcher with its own template, which is ready."""
    source = ForkedWorkers()
    source.maintain()
    eventually(lambda: source.template is not None and source.template.is_ready(), "the template")
    return ProcessLauncher(source=source)


def impatient_launcher() -> ProcessLauncher:
    """A launcher with a fast clock, for which a prewarmed worker is always due."""
    ticks = itertools.count(step=60)
    return ProcessLauncher(source=PrewarmedWorkers(monotonic=lambda: float(next(ticks))))


def parent_of(pid: int) -> int:
    return int(psutil.Process(pid).ppid())


def pid_of(identity: str | None) -> int:
    """Return the process id in the identity of a worker that is a process."""
    process = ProcessIdentity.parse(identity or "")
    assert process is not None, f"{identity!r} names no process"
    return process.pid


def put_down(worker: Worker) -> None:
    """Kill ``worker`` if it is alive, and wait for its end."""
    worker.kill()
    eventually(worker.poll, "the worker's end")


def is_running(pid: int) -> bool:
    """Return whether a process with that id runs; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def worker_processes() -> list[int]:
    """Return the ids of running worker processes that this process or one of its children started.

    Templates and prewarmed workers are among them, but not the template that all tests share.
    Those of a service that other tests have up (``rlviz serve``) are not counted.
    """
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            running = "-m rlviz.worker" in _title_of_child(process) and process.status() != psutil.STATUS_ZOMBIE
            parent = process.parent()
            if running and (parent is None or not SERVES.search(title_of(parent))):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def descendants(pid: int) -> list[psutil.Process]:
    """Return all descendants of a service, including its workers that are forks of the tests' template."""
    found = psutil.Process(pid).children(recursive=True)
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if title_of(process) == f"{TITLE} {pid}":
                found += process.children(recursive=True)
    return found


def kill_workers_below(folder: Path) -> None:
    """Kill every worker of the runs folders below ``folder``, because they would train forever."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if "rlviz.worker" in (line := title_of(process)) and f" {folder}/" in line:
                process.kill()


def title_of(process: psutil.Process) -> str:
    """Return the command line or the process title; empty for kernel threads. Raises psutil.Error."""
    return " ".join(process.cmdline()).strip()


def _title_of_child(process: psutil.Process) -> str:
    """Return the title of a process that has just started, for which the kernel first shows no arguments."""
    while not (title := title_of(process)) and process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.001)
    return title
