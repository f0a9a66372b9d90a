"""Forks between two snapshots that replay nothing, and cleanup after a killed worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.rules import KnobRequest, SetKnob
from rlviz.learning.training import retraining
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot, snapshots_of
from rlviz.server.snapshots.forking import ForkRequest
from tests.support.service import catalogued
from tests.support.training import curves, make_run, snapshots

PLAN = snapshots(every_steps=512, keep=100)


def trained_twice(root: Path, algo: str, **changes: Any) -> RunFolder:
    """A run of 512 steps whose second attempt continues to 1,280 steps with a learning rate changed by a user."""
    folder = make_run(root, "parent", algo=algo, total_timesteps=512, snapshots=PLAN, **changes)
    assert train_run(folder)
    slower = KnobRequest(number=1, change=SetKnob(knob="learning_rate", value=1e-4))
    folder.write_control(
        Control(desired=Desired.RUN, attempt=2, resume_from="512", total_timesteps=1_280, knob_requests=(slower,))
    )
    assert train_run(folder)
    return folder


def forked(parent: RunFolder, step: int, **wish: Any) -> RunFolder:
    """Return an untrained fork at ``step``."""
    root = parent.path.parent
    with catalogued(root) as app:
        child = app.forks.fork(parent.run_id, ForkRequest(step=step, total_timesteps=1_280, start=True, **wish))
        assert child.parent is not None
        assert child.parent["step"] == app.forks.changes(parent.run_id, step=step).at.step
    return RunFolder(root, child.id)


def beyond(folder: RunFolder, step: int) -> list[Any]:
    return [row for row in curves(folder) if row[0] > step]


def test_a_fork_at_a_snapshot_or_beyond_the_end_replays_nothing(tmp_path: Path) -> None:
    parent = make_run(tmp_path, "parent", total_timesteps=640, snapshots=snapshots(every_steps=128, keep=100))
    assert train_run(parent)
    for step, snapshot in ((500, 512), (512, 512), (513, 640), (9_000, 640)):
        child = forked(parent, step)
        fork = child.read_config().parent
        assert fork is not None
        assert (fork.snapshot, fork.step) == (str(snapshot), snapshot)
        assert not child.parent.exists()


def test_the_next_worker_removes_a_parent_copy_left_by_a_killed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(_folder: RunFolder) -> None:
        raise RuntimeError("killed")

    parent = trained_twice(tmp_path, "ppo")
    child = forked(parent, 896)
    with monkeypatch.context() as killed:
        killed.setattr(retraining, "leave_parent", end)
        assert not train_run(child)
    assert child.parent.exists()
    newest = newest_usable_snapshot(child)
    assert newest is not None
    child.change_control(attempt=2, resume_from=newest.name)
    assert train_run(child)
    assert not child.parent.exists()
    assert [one.manifest.step for one in snapshots_of(child) if one.is_inherited] == [896]
    assert curves(child) == beyond(parent, 896)
