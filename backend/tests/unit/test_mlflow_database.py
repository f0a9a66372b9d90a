"""Creation of MLflow's database beside the runs, with a fake creator."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url

from rlviz.exchange.sinks.mlflow import make_database


class Interrupted(BaseException):
    """Stands in for Ctrl-C."""


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def whole(address: str, experiment: int = 0) -> None:
    """Create the database as MLflow does: table by table, with an experiment at the end."""
    path = make_url(address).database
    assert path is not None
    execute(Path(path), "CREATE TABLE experiments (id INTEGER)", "CREATE TABLE runs (id INTEGER)")
    execute(Path(path), f"INSERT INTO experiments VALUES ({experiment})")


def interrupted(address: str) -> None:
    path = make_url(address).database
    assert path is not None
    execute(Path(path), "CREATE TABLE experiments (id INTEGER)")
    raise Interrupted


def never(address: str) -> None:
    raise AssertionError(address)


def experiments(path: Path) -> list[tuple[int]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT id FROM experiments").fetchall()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a b?%20#" / "mlflow.db"


@pytest.fixture(autouse=True)
def folder(path: Path) -> Path:
    path.parent.mkdir()
    return path.parent


def test_an_interrupted_creation_leaves_nothing_and_the_next_delivery_succeeds(path: Path, folder: Path) -> None:
    with pytest.raises(Interrupted):
        make_database(path, interrupted)
    assert list(folder.iterdir()) == []
    make_database(path, whole)
    assert experiments(path) == [(0,)]
    assert list(folder.iterdir()) == [path]


def test_remains_of_a_killed_process_are_removed_and_those_of_a_live_one_stay(path: Path, folder: Path) -> None:
    no_process = 2**30  # larger than any system gives
    left = [folder / f".mlflow.db.{no_process}-1.tmp{end}" for end in ("", "-journal")]
    written = folder / f".mlflow.db.{os.getpid()}-1.tmp"
    for one in (*left, written):
        one.touch()
    make_database(path, whole)
    assert set(folder.iterdir()) == {path, written}


def test_an_existing_database_is_left_unchanged(path: Path) -> None:
    make_database(path, whole)
    make_database(path, never)
    path.write_bytes(b"this is no database of SQLite, and none of ours")
    make_database(path, never)


@pytest.mark.parametrize("statements", [(), ("CREATE TABLE experiments (id INTEGER)",)])
def test_an_incomplete_database_is_set_aside(path: Path, folder: Path, statements: tuple[str, ...]) -> None:
    execute(path, *statements)
    path.touch()
    make_database(path, whole)
    assert experiments(path) == [(0,)]
    assert {one.name for one in folder.iterdir()} == {"mlflow.db", "mlflow.db.incomplete"}


def test_the_first_of_two_simultaneous_creations_wins(path: Path, folder: Path) -> None:
    first = path.with_name("first.db")
    execute(first, "CREATE TABLE experiments (id INTEGER)", "INSERT INTO experiments VALUES (1)")

    def late(address: str) -> None:
        whole(address, experiment=2)
        first.rename(path)

    make_database(path, late)
    assert experiments(path) == [(1,)]
    assert list(folder.iterdir()) == [path]
