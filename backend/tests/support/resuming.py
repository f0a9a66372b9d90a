"""Training that is cut and goes on from a snapshot, compared with training that was not cut.

python -m tests.support.resuming RUN_FOLDER …    train each, one after the other, in this process
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rlviz.domain.events import EventKind
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lineage import newest_of_run
from rlviz.rundir.snapshot_key import KEY_FILE
from rlviz.rundir.snapshots import Snapshot, snapshots_of
from rlviz.training.snapshot.archive import read_archive
from tests.support.training import events, kinds, rows

WALL_CLOCK = {"time/fps", "time/recent_fps", "time/time_elapsed", "time/update_seconds"}
"""Metrics that a clock decides about. All others have to be the same, to the last bit."""


def cut(folder: RunFolder, snapshot: Snapshot, root: Path) -> RunFolder:
    """A copy of the run under ``root``, as if its worker had died just after ``snapshot``: the next attempt begins
    from it."""
    root.mkdir(parents=True, exist_ok=True)
    copy = RunFolder(root, folder.run_id)
    shutil.copytree(folder.path, copy.path)
    shutil.copy(folder.path.parent / KEY_FILE, root / KEY_FILE)
    for later in snapshots_of(copy):
        if later.manifest.step > snapshot.manifest.step:
            later.path.unlink()
    for path in (copy.model_path, copy.events_path):  # the best policy stays, as it does where a worker dies
        path.unlink(missing_ok=True)
    lines = copy.metrics_path.read_bytes().splitlines(keepends=True)
    copy.metrics_path.write_bytes(b"".join(lines[: snapshot.manifest.last_row]))
    copy.write_control(Control(desired=Desired.RUN, attempt=2, resume_from=snapshot.name))
    return copy


def train_elsewhere(folders: Sequence[RunFolder], backend: Path) -> None:
    """Train each run in one new process."""
    command = [sys.executable, "-m", "tests.support.resuming", *(str(folder.path) for folder in folders)]
    subprocess.run(command, check=True, cwd=backend, timeout=14_400)


def interrupt_at_random(folder: RunFolder, backend: Path, interruptions: int, chance: random.Random) -> None:
    """Train the run, each attempt in a new process, of which so many are paused or killed at a random moment once a
    snapshot is on disk; each attempt begins from the newest that there is."""
    command = [sys.executable, "-m", "tests.support.resuming", str(folder.path)]
    folder.write_control(Control(desired=Desired.RUN))
    for number in range(interruptions + 1):
        worker = subprocess.Popen(command, cwd=backend)
        if number < interruptions:
            while worker.poll() is None and (newest_of_run(folder) is None or not _trains(folder, number + 1)):
                time.sleep(0.02)
            time.sleep(chance.uniform(0, 0.4))
            if chance.random() < 0.5:
                folder.change_control(desired=Desired.PAUSE)
            else:
                worker.kill()
        worker.wait(14_400)
        if kinds(folder)[-1] == "finished":
            return
        newest = newest_of_run(folder)
        assert newest is not None
        folder.change_control(desired=Desired.RUN, attempt=number + 2, resume_from=newest.name)


def _trains(folder: RunFolder, attempt: int) -> bool:
    return any(event.data.attempt == attempt for event in events(folder, EventKind.STARTED))


def logged(folder: RunFolder) -> list[tuple[int, dict[str, Any]]]:
    """Every row, without what a clock decides about; a row that says nothing else is left out."""
    compared = (
        (row["step"], {name: value for name, value in row["values"].items() if name not in WALL_CLOCK})
        for row in rows(folder)
    )
    return [(step, values) for step, values in compared if values]


def final_state(folder: RunFolder) -> dict[str, Any]:
    """All that training is at its end, by the path of each value: weights, optimizers, generators, environments."""
    contents = read_archive(folder, snapshots_of(folder)[-1].name)
    found = dict(_flat({"tensors": contents.tensors, **contents.state}))
    return {path: value for path, value in found.items() if not _is_wall_clock(path)}


def _is_wall_clock(path: str) -> bool:
    """A finished episode is kept with the time at which it ended, and so is an environment's Monitor. What waits in the
    logger may be a rate, which is written, or not, with a row of its own."""
    return (
        path.endswith(("/elapsed_ns", "/t", "/steering/seconds")) or "/environments/each/" in path or "/logger/" in path
    )


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _flat(part, f"{path}/{key}")
    elif isinstance(value, torch.Tensor):
        yield path, (str(value.dtype), tuple(value.shape), value.numpy().tobytes())
    elif isinstance(value, np.ndarray):
        yield path, (str(value.dtype), value.shape, value.tobytes())
    elif isinstance(value, (str, bytes, int, float, type(None))):
        yield path, value
    elif isinstance(value, set):
        yield path, sorted(value)
    elif isinstance(value, type):
        yield path, value.__name__
    elif isinstance(value, Sequence) or hasattr(value, "maxlen"):
        for index, part in enumerate(value):
            yield from _flat(part, f"{path}/{index}")
    else:
        yield from _flat(vars(value), path)


def main(paths: Sequence[str]) -> int:
    from rlviz.training.watched_training import train_run

    for path in paths:
        if not train_run(RunFolder.at(Path(path))):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
