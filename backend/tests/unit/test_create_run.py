"""Creating a run is one transaction: complete or not at all."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.server.application import Application
from rlviz.server.catalog.database import Database
from rlviz.server.runs.configuration import NewRun
from tests.support.forked_process import ForkedProcess
from tests.support.service import catalogue, catalogued
from tests.support.waiting import PATIENCE

NEW = NewRun(algo="ppo", env_id="CartPole-v1", seed=1, total_timesteps=1_000)


def left(runs_dir: Path) -> list[str]:
    """Return what remains of any run."""
    return sorted(
        path.name for path in runs_dir.rglob("*") if not path.name.startswith("rlviz") and path.name != ".new"
    )


@pytest.mark.parametrize("start", [True, False])
def test_a_requested_run_is_stored_in_folder_and_catalogue(tmp_path: Path, start: bool) -> None:
    with catalogued(tmp_path) as app:
        row = app.runs.create(NEW, start=start)
        assert row.status == ("queued" if start else "created")
        control = RunFolder(tmp_path, row.id).read_control()
        assert (control.desired, control.queued_at) == (("run", row.queued_at) if start else ("idle", None))
        assert catalogue(app.database)[row.id] == catalogue(rebuilt(app))[row.id]


def rebuilt(app: Application) -> Database:
    app.rebuild()
    return app.database


@pytest.mark.parametrize("start", [True, False])
@pytest.mark.parametrize("step", ["check", "config", "control", "lock", "appear", "commit"])
def test_a_failed_creation_leaves_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, start: bool
) -> None:
    def full(*_arguments: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    with catalogued(tmp_path) as app, monkeypatch.context() as patch:
        if step == "control" and not start:
            pytest.skip("there is none to write")
        elif step == "lock":
            patch.setattr(app.runs, "_database", Database(tmp_path / "rlviz.db", busy_seconds=0.05))
        elif step == "commit":
            patch.setattr(app.runs, "_database", Uncommitted(app.database))
        else:
            owner, name = {
                "check": (app.runs._disk, "check"),
                "config": (os, "fsync"),
                "control": (RunFolder, "write_control"),
                "appear": (Path, "rename"),
            }[step]
            patch.setattr(owner, name, full)
        with locked(tmp_path / "rlviz.db", step == "lock"), pytest.raises((OSError, OperationalError)):
            app.runs.create(NEW, start=start)
        assert left(tmp_path) == []
        assert catalogue(app.database) == {}


class Uncommitted:
    """A catalogue whose disk is full at the commit."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def write(self) -> Iterator[Session]:
        with self._database.write() as session:
            yield session
            raise OSError(28, "No space left on device")


@contextmanager
def locked(path: Path, wanted: bool) -> Iterator[None]:
    """Another program keeps the catalogue locked."""
    with closing(sqlite3.connect(path)) as holder:
        if wanted:
            holder.execute("BEGIN IMMEDIATE")
        yield


DIE = """
import os
from pathlib import Path
from tests.support.service import catalogued
from tests.unit.test_create_run import NEW
from rlviz.server.catalog.database import Database
from rlviz.rundir.folder import RunFolder

def die(*arguments, **more):
    os._exit(9)

def rename_and_die(path, target, rename=Path.rename):
    if path.parent.name == ".new":
        rename(path, target)
        os._exit(9)
    return rename(path, target)

with catalogued(Path({runs!r})) as app:
    match {step!r}:
        case "before the control file": RunFolder.write_control = die
        case "before it appears": Path.rename = lambda path, target: die()
        case "before the commit": Path.rename = rename_and_die
        case "before it is told": app.events.publish = die
    app.runs.create(NEW, start=True)
"""


@pytest.mark.parametrize(("step", "there"), [("before it appears", False), ("before the commit", True)])
def test_a_service_that_dies_while_it_creates_a_run_leaves_a_whole_run_or_none(
    tmp_path: Path, step: str, there: bool
) -> None:
    die_while_creating_a_run(tmp_path, step, there)


def die_while_creating_a_run(tmp_path: Path, step: str, there: bool) -> None:
    service = ForkedProcess(tmp_path, os.environ, script=DIE.format(runs=str(tmp_path), step=step))
    _, err = service.communicate(PATIENCE)
    assert service.returncode == 9, err
    with catalogued(tmp_path) as app:
        rows = catalogue(app.database)
        assert [row["status"] for row in rows.values()] == ["queued"] * there
        assert [folder.run_id for folder in run_folders(tmp_path)] == list(rows)
        assert there or left(tmp_path) == []
