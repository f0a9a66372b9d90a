"""The trash: complete restore, and deletion after the retention time."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import RunNotFound
from rlviz.domain.ids import DAY_SECONDS
from rlviz.rundir.trash import Trash
from rlviz.server.runs.trash import TrashService
from rlviz.settings import Settings
from tests.support.training import make_run


def files(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_a_folder_is_restored_completely(tmp_path: Path) -> None:
    folder, trash = make_run(tmp_path), Trash(tmp_path)
    (folder.evaluations.path / "note.txt").write_text("kept")
    before = files(folder.path)
    trash.put(folder, now=1_000.0)
    assert not folder.path.exists()
    assert trash.run_ids() == [folder.run_id]
    assert trash.take(folder.run_id).path == folder.path
    assert files(folder.path) == before
    assert trash.run_ids() == []


def test_a_folder_missing_from_the_trash_cannot_be_restored_and_a_missing_one_can_be_deleted(tmp_path: Path) -> None:
    folder, trash = make_run(tmp_path), Trash(tmp_path)
    with pytest.raises(RunNotFound):
        trash.take(folder.run_id)
    folder.path.rename(tmp_path / "elsewhere")
    trash.put(folder, now=1.0)
    assert trash.run_ids() == []


def test_a_manually_restored_folder_stays_unchanged(tmp_path: Path) -> None:
    trash, folder = Trash(tmp_path), make_run(tmp_path)
    trash.put(folder, 1.0)
    copied = make_run(tmp_path)
    copied.log_path.write_text("by hand")
    assert trash.take(folder.run_id).log_path.read_text() == "by hand"


def test_the_newest_of_several_folders_with_one_name_is_kept(tmp_path: Path) -> None:
    trash = Trash(tmp_path)
    for content in ("old", "new"):
        folder = make_run(tmp_path)
        folder.log_path.write_text(content)
        trash.put(folder, now=1.0)
    assert trash.take(folder.run_id).log_path.read_text() == "new"


def test_only_expired_folders_are_removed_and_an_interrupted_purge_is_completed(tmp_path: Path) -> None:
    trash, now = Trash(tmp_path), 50 * DAY_SECONDS
    old, young = make_run(tmp_path, "old"), make_run(tmp_path, "young")
    trash.put(old, now - 7 * DAY_SECONDS)
    trash.put(young, now - 6.9 * DAY_SECONDS)
    half = trash.path / ".purging-another"
    half.mkdir()
    settings = Settings(_env_file=None, runs_dir=tmp_path, trash_days=7)  # type: ignore[call-arg]
    TrashService(settings, trash, clock=lambda: now).purge()
    assert [path.name for path in trash.path.iterdir()] == [young.run_id]
