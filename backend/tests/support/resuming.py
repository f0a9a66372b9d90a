"""Train runs with interruptions and resumes, and compare them with uninterrupted ones.

python -m tests.support.resuming RUN_FOLDER …    train each, one after the other, in this process
"""

from __future__ import annotations

import itertools
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
from rlviz.launchers.base import Launcher, Train, Worker
from rlviz.learning.training.snapshot.capture import read_archive
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import KEY_FILE, Snapshot, newest_usable_snapshot, snapshots_of
from tests.support.training import events, kinds, rows

WALL_CLOCK = {"time/fps", "time/recent_fps", "time/time_elapsed", "time/update_seconds"}
"""Metrics that a clock decides about. All others have to be the same, to the last bit."""

PAUSED = 0.3
"""Share of the interruptions that pause a run; the others kill its worker. A pause takes a rollout to its end, where a
kill takes none further, so that with more of them a run would end after few interruptions."""


def cut(folder: RunFolder, snapshot: Snapshot, root: Path) -> RunFolder:
    """Copy the run under ``root`` as if its worker had died just after ``snapshot``, from which the next attempt
    starts.
    """
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
    """Train all runs in one new process."""
    command = [sys.executable, "-m", "tests.support.resuming", *(str(folder.path) for folder in folders)]
    subprocess.run(command, check=True, cwd=backend, timeout=14_400)


def train_undisturbed(folder: RunFolder, launcher: Launcher) -> float:
    """Train the run in a new worker, and return the training time in seconds."""
    folder.change_control(desired=Desired.RUN)
    _await_end(launcher.launch(folder, Train()))
    [began] = events(folder, EventKind.STARTED)
    [ended] = events(folder, EventKind.FINISHED)
    return ended.time - began.time


def interrupt_at_random(
    folder: RunFolder, launcher: Launcher, *, at_most: int, seconds: float, chance: random.Random
) -> int:
    """Train the run to its end, with each attempt in a new worker that starts from the newest snapshot. Each attempt is
    killed, or sometimes paused, at a random moment after the first snapshot: after ``seconds`` on average. Return
    the number of interruptions, which is ``at_most`` or fewer if training ends before.
    """
    folder.change_control(desired=Desired.RUN)
    for attempt in itertools.count(1):
        worker = launcher.launch(folder, Train())
        if attempt <= at_most:
            _await_snapshot(folder, worker, attempt)
            _await_end(worker, chance.expovariate(1 / seconds))
            if chance.random() < PAUSED:
                folder.change_control(desired=Desired.PAUSE)
            else:
                worker.kill()
        _await_end(worker)
        if kinds(folder)[-1] == "finished":
            return attempt - 1
        newest = newest_usable_snapshot(folder)
        assert newest is not None, "the worker ended, and there is nothing to go on from"
        folder.change_control(desired=Desired.RUN, attempt=attempt + 1, resume_from=newest.name)
    raise AssertionError("unreachable")


def _await_end(worker: Worker, seconds: float = 14_400) -> None:
    """Wait until ``worker`` has ended, or for the given seconds."""
    deadline = time.monotonic() + seconds
    while worker.poll() is None and (left := deadline - time.monotonic()) > 0:
        time.sleep(min(0.005, left))


def _await_snapshot(folder: RunFolder, worker: Worker, attempt: int) -> None:
    """Wait until the attempt trains and a snapshot exists, or the worker has ended."""
    while worker.poll() is None and not (_trains(folder, attempt) and newest_usable_snapshot(folder)):
        time.sleep(0.01)


def _trains(folder: RunFolder, attempt: int) -> bool:
    return any(event.data.attempt == attempt for event in events(folder, EventKind.STARTED))


def logged(folder: RunFolder) -> list[tuple[int, dict[str, Any]]]:
    """Return every row without its time-dependent values; rows that have no other values are left out."""
    compared = (
        (row["step"], {name: value for name, value in row["values"].items() if name not in WALL_CLOCK})
        for row in rows(folder)
    )
    return [(step, values) for step, values in compared if values]


def final_state(folder: RunFolder) -> dict[str, Any]:
    """Return the complete final state of training by the path of each value: weights, optimizers, generators,
    environments.
    """
    contents = read_archive(folder, snapshots_of(folder)[-1].name)
    found = dict(_flat({"tensors": contents.tensors, **contents.state}))
    return {path: value for path, value in found.items() if not _is_wall_clock(path)}


def _is_wall_clock(path: str) -> bool:
    """Return whether the value may depend on the clock. Episodes and Monitors store end times, and the logger may hold
    a rate that is not written yet.
    """
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
    from rlviz.learning.training.watched import train_run

    for path in paths:
        if not train_run(RunFolder.at(Path(path))):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
