"""Runs one job with one tool in a separate process, and prints the measurement as JSON in the last line.

    python peer.py log|read|latency TOOL FOLDER ROWS

It also runs in the environment of the other tools, so it uses only the standard library and the tool.
``log``: logs ROWS rows of three numbers with their steps, as a training loop does. ``read``: reads one of the three
completely, with the tool's own reader, in a new process. ``latency``: measures the time from logging a row until that
reader sees it, with the tool's default settings.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

NAMES = ("episode/reward", "episode/length", "episode/index")
TRIES = 5
PATIENCE_SECONDS = 10.0


class Tool(ABC):
    """A tool, used as in its own first example. It writes to ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def begin(self) -> None:
        """Open a run for writing."""

    @abstractmethod
    def log(self, step: int, values: dict[str, float]) -> None: ...

    @abstractmethod
    def end(self) -> None:
        """Return when all logged rows are written."""

    @abstractmethod
    def read(self) -> int:
        """Read the first metric as far as it is written, and return the number of points."""

    @abstractmethod
    def prepare_reading(self) -> None:
        """Import the reader."""


class TensorBoard(Tool):
    def begin(self) -> None:
        from tensorboard.summary import Writer

        self._writer = Writer(str(self.folder))

    def log(self, step: int, values: dict[str, float]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def end(self) -> None:
        self._writer.close()

    def prepare_reading(self) -> None:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        self._reader: Any = EventAccumulator(str(self.folder), size_guidance={"scalars": 0, "tensors": 0})

    def read(self) -> int:
        self._reader.Reload()
        tags = self._reader.Tags()
        if NAMES[0] in tags["tensors"]:
            return len(self._reader.Tensors(NAMES[0]))
        return len(self._reader.Scalars(NAMES[0])) if NAMES[0] in tags["scalars"] else 0


class Rlens(Tool):
    def begin(self) -> None:
        from rlens.telemetry.recorder import Recorder

        self._recorder = Recorder(self.folder)

    def log(self, step: int, values: dict[str, float]) -> None:
        self._recorder.scalars(values, step)

    def end(self) -> None:
        self._recorder.close()

    def prepare_reading(self) -> None:
        from rlens.telemetry.store import TelemetryStore

        self._store: Any = TelemetryStore(self.folder)

    def read(self) -> int:
        return len(self._store.scalars(NAMES[0]))


class Trackio(Tool):
    def begin(self) -> None:
        import trackio

        self._trackio = trackio
        trackio.init(project="bench", name="run", embed=False)

    def log(self, step: int, values: dict[str, float]) -> None:
        self._trackio.log(values, step=step)

    def end(self) -> None:
        self._trackio.finish()  # type: ignore[no-untyped-call]

    def prepare_reading(self) -> None:
        from trackio.sqlite_storage import SQLiteStorage

        self._storage: Any = SQLiteStorage

    def read(self) -> int:
        return sum(NAMES[0] in row for row in self._storage.get_logs("bench", "run"))


class Rlviz(Tool):
    """This program: the trainer's journals, read as the service does for a page."""

    def begin(self) -> None:
        from rlviz.learning.training import journals as log_limits
        from rlviz.learning.training.journals import RunJournals
        from rlviz.rundir.folder import RunFolder

        log_limits.ROWS_A_SECOND = sys.maxsize  # this loop does not train, so it logs faster than a run is allowed to

        self.folder.mkdir(exist_ok=True)
        self._journals = RunJournals(RunFolder.at(self.folder))
        Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        """Flush the journals, as the worker's main thread does."""
        while True:
            time.sleep(0.05)
            self._journals.flush_if_due()

    def log(self, step: int, values: dict[str, float]) -> None:
        self._journals.metrics_soon(step, values)

    def end(self) -> None:
        self._journals.close()

    def prepare_reading(self) -> None:
        from rlviz.rundir.folder import RunFolder
        from rlviz.server.metrics.service import CurveRequest, MetricsService

        self._run, self._metrics = RunFolder.at(self.folder), MetricsService()
        self._request = CurveRequest(2_000)

    def read(self) -> int:
        curves = self._metrics.curves(self._run, [NAMES[0]], self._request).curves
        return curves[NAMES[0]].count if NAMES[0] in curves else 0


TOOLS: dict[str, Callable[[Path], Tool]] = {
    "rlviz": Rlviz,
    "tensorboard": TensorBoard,
    "trackio": Trackio,
    "rlens": Rlens,
}


def values_of(step: int) -> dict[str, float]:
    return dict(zip(NAMES, (step * 7 % 501 / 3, step % 500, step), strict=True))


def log(tool: Tool, rows: int) -> dict[str, float]:
    tool.begin()
    begin = time.perf_counter()
    for step in range(1, rows + 1):
        tool.log(step, values_of(step))
    logged = time.perf_counter() - begin
    tool.end()
    return {"seconds": logged, "until_written": time.perf_counter() - begin}


def read(tool: Tool, rows: int) -> dict[str, float]:
    tool.prepare_reading()
    begin = time.perf_counter()
    points = tool.read()
    return {"seconds": time.perf_counter() - begin, "missing": rows - points, "memory": _peak_memory()}


def latency(tool: Tool, _rows: int) -> dict[str, float]:
    tool.begin()
    tool.log(0, values_of(0))
    time.sleep(1)
    delays: list[float] = []
    for step in range(1, TRIES + 1):
        begin = time.perf_counter()
        tool.log(step, values_of(step))
        delays.append(_until_seen(tool, step + 1, begin))
        if delays[-1] >= PATIENCE_SECONDS:
            break
    tool.end()
    return {"seconds": statistics.median(delays)}


def _until_seen(tool: Tool, points: int, begin: float) -> float:
    while (waited := time.perf_counter() - begin) < PATIENCE_SECONDS:
        try:
            tool.prepare_reading()
            if tool.read() >= points:
                return time.perf_counter() - begin
        except Exception:  # the tool has written nothing that it could open
            pass
        time.sleep(0.02)
    return waited


def _peak_memory() -> float:
    """Return the peak resident memory of this process in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def main(job: str, name: str, folder: str, rows: str) -> None:
    os.environ["TRACKIO_DIR"] = folder
    found = {"log": log, "read": read, "latency": latency}[job](TOOLS[name](Path(folder)), int(rows))
    print(json.dumps(found), flush=True)
    os._exit(0)  # background work of a tool is not measured


if __name__ == "__main__":
    main(*sys.argv[1:])
