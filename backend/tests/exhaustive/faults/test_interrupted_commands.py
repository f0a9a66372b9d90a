"""Export, import, rebuild and run changes, interrupted by Ctrl-C at many moments."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import pytest

from rlviz.cli.exits import Exit
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.folder import run_folders
from tests.support.cli import call
from tests.support.faults import times
from tests.support.interrupting import ROWS, RUNS, Anew, interrupted
from tests.support.run_folders import make_run


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("metrics.csv", ("one",)),
        ("one.zip", ("one", "--bundle")),
        ("several", RUNS),
        ("several.zip", (*RUNS, "--format", "json")),
        ("bundles.zip", (*RUNS, "--bundle")),
    ],
)
def test_an_interrupted_export_leaves_a_complete_file_or_none(
    tmp_path: Path, name: str, arguments: tuple[str, ...]
) -> None:
    target = tmp_path / "out" / name

    class Unexported(Anew):
        def fill(self) -> None:
            super().fill()
            shutil.rmtree(target.parent, ignore_errors=True)
            target.parent.mkdir()

    fresh = Unexported(tmp_path)
    export = ("export", *arguments, "--output", str(target))
    assert call(fresh(), *export).status == Exit.OK
    whole = outline(target)
    for _ in interrupted(fresh, *export, moments=times(3, 100)):
        left = list(target.parent.iterdir())
        assert left in ([], [target]), "what is there was renamed"
        if left:
            assert outline(target) == whole


def outline(path: Path) -> dict[str, int]:
    """Return the names of the files with their line counts; of an archive, every checksum is verified."""
    if path.is_dir():
        files = {one.relative_to(path).as_posix(): one.read_bytes() for one in path.rglob("*") if one.is_file()}
    elif path.suffix == ".zip":
        files = unpacked(path.read_bytes())
    else:
        files = {path.name: path.read_bytes()}
    inner = {name: len(unpacked(content)) for name, content in files.items() if name.endswith(".zip")}
    return {name: content.count(b"\n") for name, content in files.items()} | inner


def unpacked(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


class Empty(Anew):
    def fill(self) -> None:
        """Leave the folder empty."""


@pytest.mark.parametrize("what", ["bundles", "logs"])
def test_an_interrupted_import_leaves_only_complete_runs_and_can_be_repeated(tmp_path: Path, what: str) -> None:
    source = tmp_path / what
    if what == "bundles":
        for run_id in RUNS:
            make_run(tmp_path / "elsewhere", run_id, rows=ROWS, status="completed")
        assert call(tmp_path / "elsewhere", "export", *RUNS, "--bundle", "--output", str(source)).status == Exit.OK
    else:
        for place, run_id in enumerate(RUNS):
            (source / run_id).mkdir(parents=True)
            lines = [f"{step},{step + place}" for step in range(ROWS)]
            (source / run_id / "progress.csv").write_text("\n".join(["step,loss", *lines, ""]))

    fresh = Empty(tmp_path)
    for _ in interrupted(fresh, "import", str(source), moments=times(3, 100)):
        there = {folder.run_id: folder for folder in run_folders(fresh.path)}
        assert len(there) <= len(RUNS)
        for folder in there.values():
            assert len(folder.metrics_path.read_text().splitlines()) == ROWS
        drafts = fresh.path / DRAFTS
        assert not drafts.exists() or not any(drafts.iterdir())
        again = call(fresh.path, "import", str(source))
        assert again.status == (Exit.CONFLICT if len(there) == len(RUNS) else Exit.OK), again
        listed = {run["id"] for run in call(fresh.path, "runs", "--json").json["runs"]}
        assert listed == {folder.run_id for folder in run_folders(fresh.path)}
        assert len(listed) == len(RUNS)


def test_the_next_rebuild_repairs_the_catalogue_of_an_interrupted_rebuild(tmp_path: Path) -> None:
    fresh = Anew(tmp_path)
    for _ in interrupted(fresh, "rebuild", moments=times(3, 100)):
        files = {"rlviz.db", "rlviz.db-shm", "rlviz.db-wal", "rlviz.lock"}
        assert {path.name for path in fresh.path.iterdir()} <= {*RUNS, *files}
        assert call(fresh.path, "rebuild").out == "Indexed 3 runs and 0 evaluations.\n"


@pytest.mark.parametrize(
    "command",
    [
        ("run", "--algo", "random", "--no-start"),
        ("delete", "one"),
        ("edit", "one", "--name", "other"),
        ("sinks", "add", "one", "tensorboard"),
        ("storage", "add", "compress"),
    ],
    ids=lambda command: command[0],
)
def test_an_interrupted_change_of_a_run_or_its_rules_is_complete_or_absent(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    fresh = Anew(tmp_path)
    for _ in interrupted(fresh, *command, moments=times(3, 100)):
        folders = list(run_folders(fresh.path))
        told = call(fresh.path, "runs", "--json")
        assert {run["id"] for run in told.json["runs"]} == {folder.run_id for folder in folders}
        assert {run["status"] for run in told.json["runs"]} <= {"created", "completed"}
        for folder in folders:
            folder.read_config()
            if folder.run_id in RUNS:
                assert len(folder.metrics_path.read_text().splitlines()) == ROWS
        assert len(call(fresh.path, "storage", "show", "--json").json["rules"]) <= 1
        assert call(fresh.path, *command).status in (Exit.OK, Exit.NOT_FOUND), "which it is where it was deleted"
