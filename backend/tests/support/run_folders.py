"""Run folders written by hand."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rlviz.domain.config import RunConfig
from rlviz.domain.events import EventKind
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.process_identity import ProcessIdentity


def make_run(root: Path, run_id: str, *, rows: int = 0, status: str = "created", **config: Any) -> RunFolder:
    """Create a run folder as a trainer leaves it, with ``rows`` lines of metrics.

    ``status`` is created or completed; for a run that is under way see ``LiveRun``.
    """
    folder = RunFolder(root, run_id)
    folder.create(
        RunConfig(
            **{
                "run_id": run_id,
                "name": run_id,
                "created_at": datetime(2026, 11, 21, 1, 43, 12, tzinfo=UTC),
                "algo": "ppo",
                "env_id": "CartPole-v1",
                "preset": None,
                "seed": 1,
                "total_timesteps": 100_000,
                "hyperparameters": {"gamma": 0.99},
                **config,
            }
        )
    )
    if rows:
        with journal(folder.metrics_path) as metrics:
            append_rows(metrics, rows)
    if status == "completed":
        folder.write_control(Control(desired=Desired.RUN, requested_at=time.time()))
        with journal(folder.events_path) as events:
            events.append({"event": EventKind.STARTED, "step": 0, "data": {"worker": "process:1:0.0:"}})
            events.append({"event": EventKind.FINISHED, "step": rows, "data": {"path": None}})
    return folder


@contextmanager
def journal(path: Path) -> Iterator[JournalWriter]:
    writer = JournalWriter(path)
    try:
        yield writer
    finally:
        writer.close()


def append_rows(writer: JournalWriter, count: int) -> None:
    """Append ``count`` finished episodes of ten steps each, with returns 1, 2, 3, …"""
    for index in range(1, count + 1):
        values = {"episode/reward": float(index), "episode/length": 10, "episode/index": index}
        writer.append({"step": 10 * index, "values": values})
    writer.flush()


class LiveRun:
    """A run whose worker is the test: its process waits for this one, and the test writes its journals.

    A service that starts on this folder takes it for a worker that outlived the service before.
    """

    def __init__(self, root: Path, run_id: str) -> None:
        self.folder = make_run(root, run_id)
        self.run_id = run_id
        self.folder.write_control(Control(desired=Desired.RUN, requested_at=time.time()))
        self.process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
        self.metrics = JournalWriter(self.folder.metrics_path, flush_seconds=0)
        self.events = JournalWriter(self.folder.events_path, flush_seconds=0)
        self.event(EventKind.STARTED, worker=str(ProcessIdentity.of(self.process.pid)))

    def event(self, kind: EventKind, **data: Any) -> None:
        self.events.append({"event": kind.value, "step": 0, "data": data})
        self.events.flush()

    def row(self, **values: float) -> int:
        """Append a metrics row, and return its sequence number."""
        seq = self.metrics.append({"step": 1, "values": {"episode/reward": 1.0, **values}})
        self.metrics.flush()
        return seq

    def finish(self, kind: EventKind = EventKind.FINISHED) -> None:
        self.event(kind, path=None)
        self.close()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.metrics.close()
        self.events.close()
