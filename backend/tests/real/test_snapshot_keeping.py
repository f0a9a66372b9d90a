"""Snapshot plans, their changes, and named snapshots."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.config import SnapshotPlan
from rlviz.domain.errors import ArtifactNotFound, InvalidRequest, SnapshotDamaged
from rlviz.domain.events import EventKind
from rlviz.domain.snapshots import SnapshotVerification
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import read_snapshot, read_snapshot_verification, snapshots_of, write_snapshot_verification
from rlviz.server.runs.configuration import NewRun
from rlviz.server.snapshots.forking import ForkRequest
from rlviz.server.snapshots.models import view_snapshots
from tests.support.service import catalogued
from tests.support.training import QUICK, events, make_run, snapshots


def names(folder: RunFolder) -> list[str]:
    return [one.name for one in snapshots_of(folder)]


@pytest.fixture
def trained(tmp_path: Path) -> RunFolder:
    folder = make_run(tmp_path, total_timesteps=512, snapshots=snapshots(every_steps=128, keep=100))
    assert train_run(folder)
    assert names(folder) == ["128", "256", "384", "512"]
    return folder


def test_a_run_is_created_with_the_requested_snapshot_plan(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        new = NewRun(algo="ppo", total_timesteps=512, hyperparameters=QUICK["ppo"])
        usual = app.runs.resolve(new).snapshots
        assert usual == SnapshotPlan(max_bytes=app.settings.snapshot_bytes)
        plan = SnapshotPlan(every_steps=128, every_seconds=None, keep=2)
        row = app.runs.create(NewRun(algo="ppo", total_timesteps=512, hyperparameters=QUICK["ppo"], snapshots=plan))
        folder = RunFolder(tmp_path, row.id)
        assert folder.read_config().snapshots == plan.within(app.settings.snapshot_bytes)
    assert train_run(folder)
    assert names(folder) == ["384", "512"]
    assert [event.step for event in events(folder, EventKind.SNAPSHOT)] == [128, 256, 384, 512]


def test_a_changed_snapshot_plan_applies_from_then_on_and_in_forks(trained: RunFolder) -> None:
    plan = SnapshotPlan(every_steps=256, every_seconds=None, keep=1, max_bytes=5_000_000)
    with catalogued(trained.path.parent) as app:
        app.snapshots.change_plan(trained.run_id, plan)
        assert names(trained) == ["512"], "those that are too many go at once"
        found = view_snapshots(trained.run_id, app.snapshots.list(trained.run_id))
        assert found.plan == plan
        child = app.forks.fork(trained.run_id, ForkRequest(snapshot="512", total_timesteps=768))
        assert app.runs.config(child.id).snapshots == plan
    trained.change_control(desired=Desired.RUN, attempt=2, resume_from="512", total_timesteps=1_024)
    assert train_run(trained)
    assert names(trained) == ["1024"]
    taken = [event.step for event in events(trained, EventKind.SNAPSHOT)]
    assert taken[4:] == [768, 1_024]


def test_a_run_adopts_another_snapshot_plan_while_it_trains(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=512)
    folder.write_control(Control(desired=Desired.RUN, snapshots=SnapshotPlan(every_steps=256, every_seconds=None)))
    assert train_run(folder)
    assert names(folder) == ["256", "512"]


def test_a_named_snapshot_is_kept_and_can_be_resumed_from(trained: RunFolder) -> None:
    write_snapshot_verification(trained, "256", verified := SnapshotVerification())
    with catalogued(trained.path.parent) as app:
        app.snapshots.keep(trained.run_id, "256", "mine", "It walks.")
        assert names(trained) == ["128", "mine", "384", "512"]
        manifest, _ = read_snapshot(trained, "mine")
        assert (manifest.step, manifest.is_named, manifest.message) == (256, True, "It walks.")
        assert read_snapshot_verification(trained, "mine") == verified
        app.snapshots.keep(trained.run_id, "mine", None, "It runs.")
        app.snapshots.change_plan(trained.run_id, SnapshotPlan(keep=1))
        assert names(trained) == ["mine", "512"]
        assert read_snapshot(trained, "mine")[0].message == "It runs."
        with pytest.raises(InvalidRequest, match="already"):
            app.snapshots.keep(trained.run_id, "512", "mine", None)
        with pytest.raises(InvalidRequest, match="Give it a name"):
            app.snapshots.keep(trained.run_id, "512", None, "the end")
        with pytest.raises(ArtifactNotFound):
            app.snapshots.keep(trained.run_id, "gone", "other", None)
        child = app.forks.fork(trained.run_id, ForkRequest(snapshot="mine", total_timesteps=768))
        with pytest.raises(InvalidRequest, match="keeps its name"):
            app.snapshots.keep(child.id, "mine", "other", None)
    trained.change_control(desired=Desired.RUN, attempt=2, resume_from="mine", rollback=True)
    assert train_run(trained)


def test_a_damaged_snapshot_cannot_be_named(trained: RunFolder) -> None:
    content = bytearray(trained.snapshot_path("512").read_bytes())
    content[len(content) // 2] ^= 1
    trained.snapshot_path("512").write_bytes(content)
    with catalogued(trained.path.parent) as app, pytest.raises(SnapshotDamaged):
        app.snapshots.keep(trained.run_id, "512", "mine", None)
    assert "mine" not in names(trained)
