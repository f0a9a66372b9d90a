"""Retention, names and space of snapshots."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import ArtifactNotFound, InvalidRequest
from rlviz.domain.snapshots import Trigger, check_snapshot_name
from rlviz.rundir import snapshots
from rlviz.rundir.files import list_files
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import delete_snapshot, drop_segments, retain_snapshots
from rlviz.rundir.snapshots import inherit_snapshot, newest_usable_snapshot, snapshot_key, snapshots_bytes, snapshots_of
from tests.support.snapshots import names, written
from tests.support.training import make_run


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


def test_the_newest_snapshots_named_ones_and_the_newest_of_each_event_are_kept(folder: RunFolder) -> None:
    written(folder, 1, name="mine", is_named=True)
    of_events = {
        **dict.fromkeys((3, 4), (Trigger.BEST, "")),
        5: (Trigger.SOLVED, ""),
        **dict.fromkeys((6, 8), (Trigger.RULE, "When A: take a snapshot.")),
        7: (Trigger.RULE, "When B: take a snapshot."),
    }
    for step in range(2, 13):
        trigger, message = of_events.get(step, (Trigger.PERIODIC, ""))
        written(folder, step, trigger=trigger, message=message)
    retain_snapshots(folder, 2, 10**9)
    assert names(folder) == ["mine", "4", "5", "7", "8", "11", "12"]


def test_fewer_snapshots_are_kept_if_they_would_take_too_much_space_but_never_none(folder: RunFolder) -> None:
    for step in range(1, 6):
        written(folder, step, size=500_000)
    written(folder, 6, size=500_000, name="mine", is_named=True)
    retain_snapshots(folder, 10, 1_100_000)
    assert names(folder) == ["5", "mine"]
    written(folder, 7, size=500_000)
    retain_snapshots(folder, 10, 1)
    assert names(folder) == ["mine", "7"]


def test_segments_are_deleted_with_the_last_snapshot_that_needs_them(folder: RunFolder) -> None:
    folder.replay.mkdir()
    kept, old, new = (
        {"file": f"{first}-{first + 10}-{'0' * 16}.seg", "first": first, "end": first + 10, "bytes": 3, "sha256": ""}
        for first in (10, 0, 20)
    )
    for segment in (kept, old, new):
        folder.segment_path(str(segment["file"])).write_bytes(b"seg")
    written(folder, 1, segments=(kept, old))
    written(folder, 2, segments=(kept,))
    assert snapshots_of(folder)[0].replay_bytes == 6
    drop_segments(folder, beyond=20)
    assert len(list(folder.replay.iterdir())) == 3, "the newest is for a snapshot to come"
    delete_snapshot(folder, "1")
    assert [path.name for path in folder.replay.iterdir()] == [kept["file"]]
    assert snapshots_bytes(folder) == 3 + folder.snapshot_path("2").stat().st_size


def test_a_file_deleted_during_the_measurement_takes_no_space(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(folder, 1)
    whole = snapshots_bytes(folder)
    monkeypatch.setattr(snapshots, "list_files", lambda path, within: [*list_files(path, within), path / "gone"])
    assert snapshots_bytes(folder) == whole == folder.snapshot_path("1").stat().st_size


def test_the_newest_complete_snapshot_is_the_one_with_the_highest_step(folder: RunFolder) -> None:
    assert newest_usable_snapshot(folder) is None
    for step in (100, 200, 300):
        written(folder, step)
    folder.snapshot_path("300").write_bytes(folder.snapshot_path("300").read_bytes()[:-1])
    found = newest_usable_snapshot(folder)
    assert found is not None
    assert found.name == "200"


def test_a_snapshot_name_cannot_be_a_path_or_a_step() -> None:
    for name in ("", "../x", "a/b", "A", "12", "-a", "a" * 61, "a.zip"):
        with pytest.raises(InvalidRequest):
            check_snapshot_name(name)
    assert check_snapshot_name("before-lunch-2") == "before-lunch-2"


def test_all_workers_of_a_runs_folder_have_the_same_key(tmp_path: Path) -> None:
    assert snapshot_key(tmp_path) == snapshot_key(tmp_path)
    assert len(snapshot_key(tmp_path)) == 32
    assert [path.name for path in tmp_path.iterdir()] == [".snapshot-key"]


def test_a_snapshot_just_deleted_for_newer_ones_cannot_be_forked(folder: RunFolder, tmp_path: Path) -> None:
    written(folder, 100)
    [gone], child = snapshots_of(folder), make_run(tmp_path / "child")
    gone.path.unlink()
    with pytest.raises(ArtifactNotFound, match="deleted for newer ones"):
        inherit_snapshot(gone, folder, child)
