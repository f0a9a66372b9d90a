"""Runs that appear to train: one process each appends rows at a steady rate, and stops on request."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random

from rlviz.domain.events import EventKind
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.lock import training_lock
from rlviz.rundir.process_identity import ProcessIdentity
from seeding.curves import CARTPOLE, rows
from seeding.story import Author

TOTAL = 10_000_000
TICK_SECONDS = 0.1


class LiveRun:
    """A run whose worker is this process. Its returns rise over the first 50,000 steps and then stay level."""

    def __init__(self, folder: RunFolder, seed: int) -> None:
        self.folder = folder
        self._metrics = JournalWriter(folder.metrics_path, flush_seconds=0)
        self._events = JournalWriter(folder.events_path, flush_seconds=0)
        self._rows = rows("ppo", CARTPOLE, TOTAL, 50_000, Random(seed))
        self._step = 0
        self._event(EventKind.STARTED, worker=str(ProcessIdentity.current()))

    def advance(self, count: int = 1) -> None:
        """Append the given number of rows."""
        for _ in range(count):
            self._step, values = next(self._rows)
            self._metrics.append({"step": self._step, "values": values})

    def stops(self) -> bool:
        """Return whether a stop was requested and is done."""
        if self.folder.read_control().desired is not Desired.STOP:
            return False
        self._event(EventKind.STOPPED, path=None)
        self._metrics.close()
        self._events.close()
        return True

    def _event(self, kind: EventKind, **data: str | float | None) -> None:
        self._events.append({"event": kind.value, "step": self._step, "data": data})


def create_live(root: Path, count: int) -> list[RunFolder]:
    """Write folders of ``count`` runs that have just started."""
    author = Author(root)
    folders = []
    for number in range(count):
        folder = author.run("ppo", f"Live {number + 1}", hours_ago=0.01 * (number + 1), ending=None, total=TOTAL)
        folder.write_control(Control(desired=Desired.RUN, requested_at=author.now, queued_at=author.now))
        folders.append(folder)
    return folders


def keep_alive(folders: list[RunFolder], ready: Path, warm_rows: int = 400) -> None:
    """Run a process for each, with ten rows per second, until stopped or until the parent process exits.

    A process each, because a run that was stopped has to see its worker end.
    """
    parent = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begun, begin = os.pipe()
    workers = [_fork(folder, seed, warm_rows, begin) for seed, folder in enumerate(folders)]
    for _ in workers:
        os.read(begun, 1)
    ready.touch()
    while workers and os.getppid() == parent:
        time.sleep(TICK_SECONDS)
        workers = [pid for pid in workers if os.waitpid(pid, os.WNOHANG) == (0, 0)]


def _fork(folder: RunFolder, seed: int, warm_rows: int, begin: int) -> int:
    """Run one in a separate process, which writes a byte once it has started. Returns the process id."""
    parent = os.getpid()
    if (pid := os.fork()) != 0:
        return pid
    with training_lock(folder):
        run = LiveRun(folder, seed)
        run.advance(warm_rows)
        os.write(begin, b".")
        while os.getppid() == parent and not run.stops():
            run.advance()
            time.sleep(TICK_SECONDS)
    os._exit(0)
