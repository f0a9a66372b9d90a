"""Pauses that come too late, and runs that train on after their end."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind, StartedData
from rlviz.domain.status import RunStatus
from rlviz.learning.training.callback import RunCallback
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.training import curves, events, make_run, rows, snapshots

TOTAL = 1_500


def run_of(root: Path, algo: str = "ppo", **plan: Any) -> RunFolder:
    total = TOTAL if algo != "q-learning" else 3 * TOTAL  # its rollouts are long
    return make_run(root, algo=algo, total_timesteps=total, snapshots=snapshots(**plan))


def ask_to_pause(callback: RunCallback) -> None:
    callback._pause.request()


def resume(folder: RunFolder, attempt: int = 2, **wishes: Any) -> None:
    name = wishes.pop("snapshot", snapshots_of(folder)[-1].name)
    folder.change_control(desired=Desired.RUN, attempt=attempt, resume_from=name, **wishes)
    assert train_run(folder)


def learned(folder: RunFolder) -> list[Any]:
    """The rows that say more than how fast it went: when those come, the clock decides."""
    return [row for row in curves(folder) if row[1]]


def test_a_pause_that_comes_too_late_leaves_a_last_snapshot_that_knows_all_rows(tmp_path: Path, at: Any) -> None:
    folder = run_of(tmp_path, every_steps=500)
    at(TOTAL - 50, ask_to_pause)
    assert train_run(folder)
    assert row_of_folder(folder).state is RunStatus.COMPLETED
    assert snapshots_of(folder)[-1].manifest.last_row == len(rows(folder))
    resume(folder, total_timesteps=2 * TOTAL)
    assert events(folder, EventKind.DIVERGED) == []
    assert row_of_folder(folder).superseded == []


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run that was trained to its end, with a snapshot on the way."""
    folder = run_of(tmp_path_factory.mktemp("ended") / "runs", every_steps=400, keep=10)
    assert train_run(folder)
    return folder


def test_a_run_that_has_ended_trains_on_with_more_timesteps(ended: RunFolder, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "runs", ended.run_id)
    shutil.copytree(ended.path.parent, tmp_path / "runs")
    longer = make_run(tmp_path / "longer", total_timesteps=2_000, snapshots=snapshots())
    assert train_run(longer)
    resume(folder, total_timesteps=2_000)
    row = row_of_folder(folder)
    assert (row.state, row.total_timesteps, row.step) == (RunStatus.COMPLETED, 2_000, row_of_folder(longer).step)
    started = events(folder, EventKind.STARTED)[-1].data
    assert isinstance(started, StartedData)
    assert (started.snapshot, started.total_timesteps) == ("1536", 2_000)
    assert learned(folder) == learned(longer)
