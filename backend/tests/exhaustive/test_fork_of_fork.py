"""A fork of a fork that has no snapshot of its own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import NothingToResume
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import find_fork_start
from rlviz.server.snapshots.forking import ForkRequest
from tests.support.service import catalogued
from tests.support.training import curves, kinds, make_run, messages, snapshots

CHANGES: dict[str, dict[str, Any]] = {
    "ppo": {"hyperparameters": {"learning_rate": 0.002}},
    "dqn": {"hyperparameters": {"n_envs": 2, "train_freq": 4}, "seed": 7},
}


def forked(parent: RunFolder, **wish: Any) -> RunFolder:
    with catalogued(parent.path.parent) as app:
        app.rebuild()  # no supervisor has followed the parent
        child = app.forks.fork(parent.run_id, ForkRequest(total_timesteps=1_024, start=True, **wish))
    return RunFolder(parent.path.parent, child.id)


@pytest.fixture
def fork(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[RunFolder, str]:
    """A completed fork at step 512 whose only snapshot is the one that it started with, and the name of it."""
    grandparent = make_run(
        tmp_path, "first", algo=request.param, total_timesteps=512, snapshots=snapshots(every_steps=10_000_000)
    )
    assert train_run(grandparent)
    child = forked(grandparent, snapshot="512", **CHANGES[request.param])
    assert train_run(child)
    for path in child.snapshots.glob("*.zip"):
        if path.stem != "512":
            path.unlink()
    shutil.rmtree(grandparent.path)
    return child, "512"


@pytest.mark.parametrize(
    ("fork", "at"),
    [("ppo", {"snapshot": "512"}), ("ppo", {"step": 700}), ("dqn", {"step": 700})],
    indirect=["fork"],
    ids=["snapshot", "beyond", "replay-buffer"],
)
def test_a_fork_of_a_fork_continues_as_the_fork_did(fork: tuple[RunFolder, str], at: dict[str, Any]) -> None:
    parent, _ = fork
    child = forked(parent, **at)
    born = child.read_config().parent
    assert born is not None
    assert (born.run_id, born.snapshot, born.changed) == (parent.run_id, "0", [])
    assert born.step == 512 if at.get("step") != 700 else 700 <= born.step < 800
    expected = [row for row in curves(parent) if row[0] > born.step]
    shutil.rmtree(parent.path)
    assert train_run(child)
    assert (kinds(child)[-1], messages(child)) == ("finished", [])
    assert expected
    assert curves(child) == expected
    began = find_fork_start(child, born).manifest
    assert (began.run_id, began.step) == (parent.run_id, born.step), "it is a snapshot of its parent now"
    assert not child.parent.exists()


@pytest.mark.parametrize("fork", ["ppo"], indirect=True)
def test_a_fork_cannot_be_forked_before_its_start(fork: tuple[RunFolder, str]) -> None:
    parent, name = fork
    with pytest.raises(NothingToResume, match="is a fork itself and starts at step 512"):
        forked(parent, step=400)
    parent.snapshot_path(name).unlink()
    with pytest.raises(NothingToResume, match="The run is a fork itself"):
        forked(parent, step=700)
