"""A worker killed at any moment leaves complete files."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from stable_baselines3 import PPO

from rlviz.domain.events import EventKind, InterruptedData
from rlviz.domain.metrics import MetricRecord
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.supervisor.run_monitor import journal_ending
from tests.support.service import ENDLESS
from tests.support.training import checkpoints, events, kinds, make_run, rows
from tests.support.waiting import eventually

NURSERY = """
import os, sys
from pathlib import Path

import torch
torch.set_num_threads(1)
import rlviz.learning.training.watched
from rlviz import worker
from rlviz.launchers.base import Train
from rlviz.rundir.folder import RunFolder

for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        os._exit(worker.work(RunFolder.at(Path(line.strip())), Train(), "this"))
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("gone", flush=True)
"""
MOMENTS = 5


@pytest.fixture(scope="module")
def nursery() -> Iterator[subprocess.Popen[str]]:
    """A process that has imported everything and forks a worker for each given folder."""
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def killed_run(nursery: subprocess.Popen[str], root: Path, moment: int) -> RunFolder:
    """Return a run whose worker was killed at a random time after its start."""
    folder = make_run(
        root,
        f"killed-{moment}",
        total_timesteps=ENDLESS,
        checkpoints=checkpoints(every_steps=100, keep=2),
        hyperparameters={"n_epochs": 1},
    )
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    nursery.stdin.write(f"{folder.path}\n")
    nursery.stdin.flush()
    pid = int(nursery.stdout.readline())
    eventually(lambda: folder.events_path.exists() and kinds(folder), "the first event")
    time.sleep(random.Random(moment).uniform(0, 0.6))
    os.kill(pid, signal.SIGKILL)
    assert nursery.stdout.readline() == "gone\n"
    return folder


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_worker_killed_at_a_random_moment_leaves_complete_files(
    nursery: subprocess.Popen[str], tmp_path: Path, moment: int
) -> None:
    folder = killed_run(nursery, tmp_path, moment)

    records = [MetricRecord.model_validate(row) for row in rows(folder)]
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert kinds(folder)[0] == "started"
    for _, path in folder.checkpoint_files():
        assert PPO.load(path, device="cpu").num_timesteps > 0
    assert len(folder.checkpoint_files()) <= 3, "the newest two, and one that came before the oldest was dropped"
    told = events(folder, EventKind.CHECKPOINT)
    if told:
        newest = folder.newest_policy()
        assert newest is not None
        assert int(newest.stem.removeprefix("step_")) >= told[-1].step
        assert records[-1].step <= told[-1].step + 100 * 2

    journal_ending(folder, InterruptedData(cause="killed"))
    assert [line.record and line.record["seq"] for line in read_journal(folder.events_path)] == list(
        range(1, len(events(folder)) + 1)
    )
    row = row_of_folder(folder)
    assert (row.status, row.cause, row.warnings) == ("interrupted", "killed", 0)
