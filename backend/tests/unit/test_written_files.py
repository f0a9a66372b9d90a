"""Files named with ``-o``: regular files are replaced, links followed, devices written to."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from rlviz.cli.exits import Failure
from rlviz.cli.files import replace_file


def write(path: Path, content: bytes = b"new") -> int:
    return replace_file(path, lambda file: file.write(content))


def test_a_regular_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    before = path.stat().st_ino
    assert write(path) == 3
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != before, "in one step, by a rename"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no such RAM disk")
def test_a_file_on_the_ram_disk_is_replaced() -> None:
    with TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "file"
        path.write_bytes(b"old")
        write(path)
        assert path.read_bytes() == b"new"


def test_an_open_file_is_appended_to_by_its_system_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.write(b"old")
        file.flush()
        write(Path(f"/dev/fd/{file.fileno()}"))
    assert path.read_bytes() == b"oldnew"


def test_a_new_file_is_created(tmp_path: Path) -> None:
    write(tmp_path / "file")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_file_stays_unchanged_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(_file: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(Failure, match="No space left"):
        replace_file(path, fail)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(tmp_path: Path, there: bool) -> None:
    target, link, second = tmp_path / "elsewhere" / "target", tmp_path / "link", tmp_path / "second"
    target.parent.mkdir()
    if there:
        target.write_bytes(b"old")
    link.symlink_to(Path("elsewhere") / "target")
    second.symlink_to(link)
    write(second)
    assert link.is_symlink()
    assert second.is_symlink()
    assert target.read_bytes() == b"new"
    assert {one.name for one in tmp_path.iterdir()} == {"elsewhere", "link", "second"}


def test_circular_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(Failure, match="cannot be written"):
        write(tmp_path / "a")


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert found == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("as_link", [True, False])
def test_a_device_is_written_to(tmp_path: Path, as_link: bool) -> None:
    path = Path("/dev/null")
    if as_link:
        path = tmp_path / "null"
        path.symlink_to("/dev/null")
    assert write(path) == 3
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert not as_link or path.is_symlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_full_device_is_reported() -> None:
    with pytest.raises(Failure, match="/dev/full cannot be written"):
        write(Path("/dev/full"))


def test_nothing_is_written_to_a_device_when_preparing_the_content_fails(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def fail(file: object) -> None:
        raise OSError(5, "Input/output error")

    with pytest.raises(Failure):  # it would wait for a reader if it were opened
        replace_file(pipe, fail)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="it is a folder"):
        write(tmp_path)
