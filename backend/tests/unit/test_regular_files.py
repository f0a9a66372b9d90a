"""Files that a user names must be regular files within a size limit."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlviz.cli.commands import configuration
from rlviz.cli.commands.start_experiments import read_specification
from rlviz.cli.exits import Failure
from rlviz.cli.rule_text import read_rules
from rlviz.domain.errors import ImportRefused, InvalidRequest
from rlviz.exchange.import_runs import ImportOptions, import_path
from rlviz.placed_file import read_placed_file
from rlviz.regular_file import NotRegular, read_regular, replace_regular
from rlviz.settings import read_settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such devices")

ENDLESS = ["/dev/zero", "/dev/urandom", "pipe", "link-to-zero", "folder"]


@pytest.fixture
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    match request.param:
        case "pipe":
            os.mkfifo(tmp_path / "pipe.toml")
            return tmp_path / "pipe.toml"
        case "link-to-zero":
            (tmp_path / "link.toml").symlink_to("/dev/zero")
            return tmp_path / "link.toml"
        case "folder":
            (tmp_path / "folder.toml").mkdir()
            return tmp_path / "folder.toml"
        case device:
            return Path(device)


READERS: dict[str, Callable[[Path], object]] = {
    "experiment run": read_specification,
    "settings": lambda path: read_placed_file(path, "settings"),
    "--config": lambda path: read_settings(config_file=str(path)),
    "config check": lambda path: configuration._read(path),
    "rules": lambda path: read_rules([], path),
}


@pytest.mark.parametrize("endless", ENDLESS, indirect=True)
@pytest.mark.parametrize("reader", READERS)
def test_commands_read_only_regular_files(endless: Path, reader: str) -> None:
    with pytest.raises((InvalidRequest, Failure)):
        READERS[reader](endless)


@pytest.mark.parametrize("endless", [one for one in ENDLESS if one != "folder"], indirect=True)
def test_an_import_reads_regular_files_only(endless: Path, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="not a regular file"):
        import_path(endless, tmp_path / "runs", ImportOptions())


def test_an_import_of_a_folder_opens_regular_files_only(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("a.zip", "monitor.csv", "progress.csv", "x.tfevents.1", "evaluations.npz", "metrics.json", "args.yml"):
        os.mkfifo(logs / name)
        (logs / f"link-{name}").symlink_to("/dev/zero")
    with pytest.raises(ImportRefused, match="no run"):
        import_path(logs, tmp_path / "runs", ImportOptions())


def test_a_file_larger_than_its_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sparse.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(NotRegular, match="more than 1,000 bytes"):
        read_regular(path, 1_000)
    for reader in READERS.values():
        with pytest.raises((InvalidRequest, Failure)):
            reader(path)


def test_a_link_to_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_regular(tmp_path / "link", 7) == b"content"


def test_a_file_is_replaced_in_one_step_with_its_permissions_also_behind_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "game.toml", tmp_path / "link.toml"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to(file)
    replace_regular(link, b"new")
    assert link.is_symlink()
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    replace_regular(tmp_path / "first.toml", b"first")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.toml", "game.toml", "link.toml"]


def test_a_file_that_cannot_be_replaced_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        replace_regular(tmp_path / "folder", b"new")
    with pytest.raises(OSError):
        replace_regular(tmp_path / "none/game.toml", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
