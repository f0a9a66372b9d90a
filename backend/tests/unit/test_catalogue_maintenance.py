"""Commands that check, upgrade, restore and optimize the catalogue."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rlviz.rundir.lock import RunsLock
from rlviz.server.catalog.database import HEAD, REVISIONS, Database
from tests.support.cli import call

OLD = Path(__file__).parents[1] / "fixtures" / "runs_v0_1_0" / "rlviz.db"


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "rlviz.db"
    database = Database(path)
    database.migrate()
    database.close()
    return path


def order(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def test_an_intact_catalogue_is_reported_as_intact(catalogue: Path) -> None:
    told = call(catalogue.parent, "catalog", "check", "--json")
    assert told.status == 0
    assert told.json == {"revision": HEAD, "head": HEAD, "waiting": [], "problems": []}


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("ALTER TABLE run ADD COLUMN dreams TEXT", "run.dreams is in the file but in no model"),
        ("ALTER TABLE run DROP COLUMN notes", "run.notes is missing in the file"),
        ("DROP INDEX ix_run_group_id", "ix_run_group_id"),
        ("UPDATE alembic_version SET version_num = '9999'", "made by another version"),
    ],
)
def test_tables_that_differ_from_the_models_are_reported(catalogue: Path, statement: str, says: str) -> None:
    order(catalogue, statement)
    told = call(catalogue.parent, "catalog", "check")
    assert told.status == 1
    assert says in told.out


def test_the_catalogue_of_version_0_1_0_is_previewed_upgraded_and_restored(tmp_path: Path) -> None:
    path = tmp_path / "rlviz.db"
    shutil.copy(OLD, path)
    told = call(tmp_path, "catalog", "upgrade", "--dry-run", "--json")
    first = told.json["migrations"][0]
    assert told.json["migrations"] == list(REVISIONS[REVISIONS.index(first) :])
    assert Database(path).revision() == REVISIONS[REVISIONS.index(first) - 1], "nothing was changed"
    assert call(tmp_path, "catalog", "upgrade", "--json").json["migrations"] == told.json["migrations"]
    assert Database(path).revision() == HEAD
    assert call(tmp_path, "catalog", "check").status == 0
    back = call(tmp_path, "catalog", "downgrade", REVISIONS[-2], "--json")
    assert Database(path).revision() == REVISIONS[-2]
    assert Database(Path(back.json["copy"])).revision() == HEAD
    for bad in (HEAD, "later", "0000"):
        ended = call(tmp_path, "catalog", "downgrade", bad)
        assert (ended.status, "can be downgraded to" in ended.err) == (2, True)


def test_the_file_is_not_changed_while_a_service_uses_it(catalogue: Path) -> None:
    lock = RunsLock(catalogue.parent)
    lock.acquire()
    try:
        for command in (["upgrade"], ["downgrade", REVISIONS[-2]], ["optimize"]):
            ended = call(catalogue.parent, "catalog", *command)
            assert ended.status != 0
            assert "Another RL Gym Visualizer" in ended.err
        assert call(catalogue.parent, "catalog", "check").status == 0
        assert call(catalogue.parent, "catalog", "upgrade", "--dry-run").status == 0
    finally:
        lock.release()
    assert Database(catalogue).revision() == HEAD


def test_a_missing_and_an_invalid_catalogue_are_reported(tmp_path: Path) -> None:
    assert call(tmp_path, "catalog", "check").status == 3
    (tmp_path / "rlviz.db").write_bytes(b"no database" * 1_000)
    ended = call(tmp_path, "catalog", "check")
    assert ended.status != 0
    assert "rlviz rebuild" in ended.err


def test_optimizing_frees_space(catalogue: Path) -> None:
    order(catalogue, "CREATE TABLE filler AS SELECT randomblob(2000000) AS x")
    order(catalogue, "DROP TABLE filler")
    told = call(catalogue.parent, "catalog", "optimize", "--json").json
    assert told["bytes"] < told["bytes_before"] - 1_000_000
    assert catalogue.stat().st_size <= told["bytes"]
