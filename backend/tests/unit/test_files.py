"""Safe access to files in a run folder: no links, no pipes, no unbounded reads."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.files import (
    FOLDER,
    LINK,
    NO_FOLDER,
    SPECIAL,
    is_file,
    list_files,
    may_be_file,
    open_file,
    read_small,
    write_atomically,
)
from rlviz.rundir.folder import RunFolder, find_artifact, linked_folders, run_folders
from rlviz.rundir.journal import JournalTail, JournalWriter, last_lines, offset_after, read_journal, whole_size
from rlviz.rundir.lock import training_lock
from rlviz.rundir.trash import Trash


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run folder beside the folder ``outside``, which has a file of the same name as each file of the run."""
    folder = RunFolder(tmp_path / "runs", "run-1")
    folder.evaluations.path.mkdir(parents=True)
    outside = tmp_path / "outside"
    (outside / "eval").mkdir(parents=True)
    for name in ("config.json", "control.json", "metrics.jsonl", "worker.lock", "eval/x.json"):
        (outside / name).write_text('{"seq":1,"time":1}\n')
    return folder


def a_link(path: Path) -> None:
    path.symlink_to(path.parents[2] / "outside" / "config.json")


def a_folder(path: Path) -> None:
    path.mkdir()


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


IN_PLACE_OF_A_FILE = [(a_link, LINK), (a_folder, FOLDER), (os.mkfifo, SPECIAL), (a_socket, SPECIAL)]

READERS: list[Callable[[Path], object]] = [
    open_file,
    read_small,
    read_journal,
    whole_size,
    lambda path: JournalTail(path).read_records(),
    lambda path: last_lines(path, 1),
    lambda path: offset_after(path, 0.0),
    JournalWriter,
]


@pytest.mark.parametrize(("make", "problem"), IN_PLACE_OF_A_FILE)
@pytest.mark.parametrize("read", READERS)
def test_an_entry_that_is_not_a_file_is_named_and_not_waited_for(
    folder: RunFolder, make: Callable[[Path], None], problem: str, read: Callable[[Path], object]
) -> None:
    make(folder.metrics_path)
    with pytest.raises(RunFolderError) as caught:
        read(folder.metrics_path)
    assert caught.value.damage.file == "metrics.jsonl"
    assert caught.value.damage.problem == problem
    assert not is_file(folder.metrics_path)


@pytest.mark.parametrize("read", [open_file, read_small])
def test_a_missing_file_is_no_damage(folder: RunFolder, read: Callable[[Path], object]) -> None:
    with pytest.raises(FileNotFoundError):
        read(folder.config_path)
    with pytest.raises(FileNotFoundError):
        read(folder.path.parent / "run-2" / "config.json")


def test_a_link_to_an_outside_folder_is_neither_read_nor_written_through(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "runs", "run-1")
    outside = tmp_path / "outside"
    (outside / "eval").mkdir(parents=True)
    (outside / "config.json").write_text("{}")
    (outside / ".model.zip.1-2.tmp").touch()
    run.path.parent.mkdir()
    run.path.symlink_to(outside)
    before = {path: path.stat().st_mtime_ns for path in [outside, *outside.rglob("*")]}
    for attempt in (
        lambda: open_file(run.config_path),
        lambda: open_file(run.evaluations.path / "x.json", run.path),
        lambda: write_atomically(run.labels_path, b"{}"),
        lambda: write_atomically(run.evaluations.path / "x.json", b"{}", run.path),
        lambda: JournalWriter(run.events_path),
        lambda: training_lock(run).__enter__(),
        run.open_log,
        run.read_config,
    ):
        with pytest.raises(RunFolderError) as caught:
            attempt()
        assert (caught.value.damage.file, caught.value.damage.problem) == (".", LINK)
    run.tidy()
    assert (run.evaluations.ids(), run.checkpoint_files(), run.newest_policy()) == ([], [], None)
    assert {path: path.stat().st_mtime_ns for path in [outside, *outside.rglob("*")]} == before


def test_a_subfolder_that_is_a_link_or_a_file_is_empty(folder: RunFolder, tmp_path: Path) -> None:
    folder.evaluations.path.rmdir()
    folder.evaluations.path.symlink_to(tmp_path / "outside" / "eval")
    assert list_files(folder.evaluations.path, folder.path) == []
    with pytest.raises(RunFolderError) as caught:
        write_atomically(folder.evaluations.path / "y.json", b"{}", folder.path)
    assert (caught.value.damage.file, caught.value.damage.problem) == ("eval", LINK)
    folder.evaluations.path.unlink()
    folder.evaluations.path.touch()
    assert folder.evaluations.ids() == []
    with pytest.raises(RunFolderError) as caught:
        write_atomically(folder.evaluations.path / "y.json", b"{}", folder.path)
    assert (caught.value.damage.file, caught.value.damage.problem) == ("eval", NO_FOLDER)


@pytest.fixture
def out_of_reach(monkeypatch: pytest.MonkeyPatch, folder: RunFolder) -> RunFolder:
    """A run whose disk returns an error for every file."""
    folder.evaluations.video_path(VIDEO).write_bytes(b"mp4")
    lstat = Path.lstat

    def broken(path: Path) -> os.stat_result:
        if path.is_relative_to(folder.path):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", broken)
    return folder


VIDEO = "eval_20261121-014312-001"


def test_an_unreadable_file_is_not_reported_as_lost(out_of_reach: RunFolder) -> None:
    video = out_of_reach.evaluations.video_path(VIDEO)
    assert may_be_file(video, out_of_reach.path)
    assert find_artifact(out_of_reach, f"eval/{VIDEO}.mp4") == video
    assert out_of_reach.is_there(), "its worker must not be ended"
    with pytest.raises(RunFolderError, match="cannot be opened"):
        open_file(video, out_of_reach.path)


def test_a_missing_file_or_run_folder_is_recognised_as_missing(folder: RunFolder) -> None:
    assert not may_be_file(folder.evaluations.video_path(VIDEO), folder.path)
    assert not may_be_file(folder.path / ("x" * 5_000), folder.path)
    assert folder.is_there()
    assert not RunFolder(folder.path.parent, "run-2").is_there()
    (folder.path.parent / "run-3").write_text("a file")
    assert not RunFolder(folder.path.parent, "run-3").is_there()


def test_a_file_too_large_for_a_document_is_not_read(folder: RunFolder) -> None:
    with folder.config_path.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(RunFolderError, match="50,000,000 bytes"):
        folder.read_config()


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"gamma": NaN}', b'{"a": 1e999}', b"\xff", b"[]"])
def test_a_document_that_cannot_be_sent_in_a_response_is_damaged(folder: RunFolder, content: bytes) -> None:
    folder.config_path.write_bytes(content)
    with pytest.raises(RunFolderError, match=r"config\.json: It "):
        folder.read_config()


@pytest.mark.parametrize(("make", "problem"), [*IN_PLACE_OF_A_FILE])
def test_control_and_lock_files_replace_foreign_entries_and_keep_them_aside(
    folder: RunFolder, make: Callable[[Path], None], problem: str
) -> None:
    for path in (folder.control_path, folder.lock_path):
        make(path)
    folder.change_control(checkpoint_request=3)
    assert folder.read_control().checkpoint_request == 3
    with training_lock(folder):
        pass
    assert is_file(folder.lock_path), problem
    assert len(list(folder.path.glob("worker.lock.damaged-*"))) == 1
    assert (folder.path.parents[1] / "outside" / "worker.lock").read_text() == '{"seq":1,"time":1}\n'


def test_only_real_folders_are_run_folders_however_damaged(tmp_path: Path) -> None:
    for name in ("whole", "no-config", "odd-config", "nothing"):
        (tmp_path / name).mkdir()
    (tmp_path / "whole" / "config.json").touch()
    (tmp_path / "no-config" / "metrics.jsonl").mkdir()
    os.mkfifo(tmp_path / "odd-config" / "config.json")
    (tmp_path / "nothing" / "notes.txt").touch()
    (tmp_path / "a-file").touch()
    (tmp_path / "a-link").symlink_to(tmp_path / "whole")
    assert [folder.run_id for folder in run_folders(tmp_path)] == ["no-config", "odd-config", "whole"]
    assert linked_folders(tmp_path) == [tmp_path / "a-link"]


def test_an_entry_in_place_of_a_run_folder_is_itself_moved_to_the_trash(tmp_path: Path) -> None:
    outside, trash = tmp_path / "outside", Trash(tmp_path)
    outside.mkdir()
    (outside / "kept").touch()
    at = outside.stat().st_mtime_ns
    (tmp_path / "a-link").symlink_to(outside)
    (tmp_path / "a-file").touch()
    for name in ("a-link", "a-file"):
        trash.put(RunFolder(tmp_path, name), now=5.0)
        assert not os.path.lexists(tmp_path / name)
    assert trash.purge(before=5.0) == ["a-file", "a-link"]
    assert [outside.stat().st_mtime_ns, *outside.iterdir()] == [at, outside / "kept"]
    assert list(trash.path.iterdir()) == []
