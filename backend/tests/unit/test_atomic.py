"""Atomic file writes: a file is complete or absent."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rlviz.rundir.files import atomic_write, remove_leftovers, temporary_name, write_atomically


def test_the_file_appears_complete_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with atomic_write(path) as file:
        file.write(b"half")
        file.flush()
        assert not path.exists()
        file.write(b" and half")
    assert path.read_bytes() == b"half and half"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    write_atomically(path, b"old")

    def fail_half_way() -> None:
        with atomic_write(path) as file:
            file.write(b"new")
            raise RuntimeError("power")

    with pytest.raises(RuntimeError, match="power"):
        fail_half_way()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_sees_the_old_or_the_new_content_and_never_a_part(tmp_path: Path) -> None:
    path = tmp_path / "control.json"
    contents = {bytes([digit]) * 20_000 for digit in b"abcd"}
    write_atomically(path, b"a" * 20_000)
    done = threading.Event()

    def replace(content: bytes) -> None:
        while not done.is_set():
            write_atomically(path, content)

    writers = [threading.Thread(target=replace, args=[content]) for content in contents]
    for writer in writers:
        writer.start()
    seen = {path.read_bytes() for _ in range(500)}
    done.set()
    for writer in writers:
        writer.join()
    assert seen <= contents
    assert list(tmp_path.iterdir()) == [path]


def test_temporary_files_are_hidden_siblings(tmp_path: Path) -> None:
    name = temporary_name(tmp_path / "model.zip")
    assert name.parent == tmp_path
    assert name.name.startswith(".model.zip.")
    assert name.suffix == ".tmp"


def test_only_leftovers_of_killed_writers_are_removed(tmp_path: Path) -> None:
    kept = {tmp_path / "model.zip", tmp_path / ".hidden", tmp_path / "notes.tmp"}
    kept.add(temporary_name(tmp_path / "control.json"))  # this process is writing it
    for path in kept | {tmp_path / ".model.zip.1-2.tmp", tmp_path / ".step_1.zip.1.tmp"}:
        path.touch()
    remove_leftovers(tmp_path, tmp_path)
    assert set(tmp_path.iterdir()) == kept
    remove_leftovers(tmp_path / "not there", tmp_path)
