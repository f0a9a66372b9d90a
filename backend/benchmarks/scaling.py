"""Measures total steps per second: 1, 2 and 4 runs in separate processes, and 1 and 2 in threads of one process."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.support import Figure, figure, new_folder, scratch, wait_until
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import last_lines, read_journal

SECONDS = 8.0
ROUNDS = 3

_THREADS = """
import sys
from pathlib import Path
from threading import Thread
from rlviz.rundir.folder import RunFolder
from rlviz.learning.training.watched import train_run
threads = [Thread(target=train_run, args=(RunFolder.at(Path(path)),)) for path in sys.argv[1:]]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def run() -> list[Figure]:
    kinds = {"1 process": 1, "2 processes": 2, "4 processes": 4, "1 thread": 1, "2 threads": 2}
    rates: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(ROUNDS):
        for kind, count in kinds.items():
            with scratch() as root:
                rates[kind].append(_total_rate(root, count, in_threads="thread" in kind))
    best = {kind: max(values) for kind, values in rates.items()}
    figures = [figure(f"PPO steps a second, {kind}", rate, "steps/s") for kind, rate in best.items()]
    ratio = best["2 processes"] / best["1 process"]
    figures.append(figure("2 runs in processes against 1", ratio, "×", at_least=1.8))
    figures.append(figure("2 runs in threads against 1", best["2 threads"] / best["1 thread"], "×"))
    return figures


def _total_rate(root: Path, count: int, *, in_threads: bool) -> float:
    folders = [new_folder(root, "ppo", 10_000_000) for _ in range(count)]
    paths = [str(folder.path) for folder in folders]
    if in_threads:
        processes = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", _THREADS, *paths])]
    else:
        processes = [subprocess.Popen([sys.executable, "-m", "rlviz.worker", path]) for path in paths]
    wait_until(lambda: all(len(read_journal(folder.metrics_path)) > 20 for folder in folders), 120)
    rate = _steps_in_window(folders)
    for folder in folders:
        folder.write_control(Control(desired=Desired.STOP))
    for process in processes:
        process.wait()
    return rate


def _steps_in_window(folders: Sequence[RunFolder]) -> float:
    """Return steps per second, summed over the runs, while all of them train."""
    begin = [_newest(folder) for folder in folders]
    time.sleep(SECONDS)
    end = [_newest(folder) for folder in folders]
    return sum((b[0] - a[0]) / (b[1] - a[1]) for a, b in zip(begin, end, strict=True))


def _newest(folder: RunFolder) -> tuple[int, float]:
    record = last_lines(folder.metrics_path, 1)[0].record
    assert record is not None
    return record["step"], record["time"]
