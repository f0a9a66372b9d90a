"""Ctrl-C at many moments of sync, ingest, prune and catalog upgrade: nothing half, and the next one does all of it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from rlviz.catalog.database import HEAD, REVISIONS
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import run_folders
from rlviz.rundir.sinks import add_sink, delivery_lock, is_delivered, own_folder, read_sink
from rlviz.rundir.trash import Trash
from tests.faults.support import times
from tests.support.cli import call
from tests.support.http import make_run, wait_for
from tests.support.interrupting import interrupted
from tests.support.postgres import postgres

OLD = Path(__file__).parents[1] / "fixtures" / "runs_v0_1_0" / "rlviz.db"
RUNS = ("one", "two", "three")
ROWS = 30
MOMENTS = times(10, 100)


class Anew:
    """Makes a runs folder at each call, and keeps the newest in ``path``."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, count()

    def __call__(self) -> Path:
        self.path = self._folder / f"runs-{next(self._numbers)}"
        self.path.mkdir()
        self.fill()
        return self.path

    def fill(self) -> None:
        for run_id in RUNS:
            make_run(self.path, run_id, rows=ROWS, status="completed")


def test_a_catalogue_is_at_one_migration_or_the_next_and_its_copies_are_whole(tmp_path: Path) -> None:
    class Catalogue(Anew):
        def fill(self) -> None:
            shutil.copy(OLD, self.path / "rlviz.db")

    fresh = Catalogue(tmp_path)
    for _ in interrupted(fresh, "catalog", "upgrade", moments=MOMENTS):
        for path in fresh.path.glob("*.db"):
            revision, runs = looked_into(path)
            assert revision in REVISIONS
            assert path.name in ("rlviz.db", f"rlviz-{revision}.db")
            assert runs == looked_into(OLD)[1]
        assert call(fresh.path, "catalog", "upgrade").status == 0
        assert call(fresh.path, "catalog", "check").status == 0
        assert looked_into(fresh.path / "rlviz.db") == (HEAD, looked_into(OLD)[1])
        assert not list(fresh.path.glob(".*.tmp"))


def looked_into(path: Path) -> tuple[str, list[Any]]:
    """Its migration and the ids of its runs; every page of it is sound."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        [(revision,)] = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        return revision, connection.execute("SELECT id FROM run ORDER BY id").fetchall()


def test_ingest_leaves_whole_runs_alone_and_the_next_one_adds_the_rest(tmp_path: Path) -> None:
    with postgres() as cluster:
        import psycopg

        def ask(sql: str) -> list[tuple[Any, ...]]:
            with psycopg.connect(cluster.url, autocommit=True) as connection:
                found = connection.execute(sql)
                return found.fetchall() if found.description else []

        class Database(Anew):
            def fill(self) -> None:
                ask("DROP SCHEMA IF EXISTS rlviz CASCADE")
                super().fill()

        fresh = Database(tmp_path)
        for _ in interrupted(fresh, "ingest", "--to", cluster.url, moments=MOMENTS):
            if ask("SELECT 1 FROM information_schema.tables WHERE table_schema = 'rlviz' AND table_name = 'run'"):
                points = "SELECT count(*) FROM rlviz.metric WHERE run_id = run.id"
                assert ask(f"SELECT id FROM rlviz.run WHERE points <> ({points})") == []
            rest = call(fresh.path, "ingest", "--incremental", "--to", cluster.url, "--json")
            assert (rest.status, len(rest.json["runs"]) + rest.json["unchanged"]) == (0, len(RUNS)), rest
            assert ask("SELECT id FROM rlviz.run ORDER BY id") == [(run_id,) for run_id in sorted(RUNS)]
            [(total,)] = ask("SELECT count(*) FROM rlviz.metric WHERE name = 'episode/reward'")
            assert total == len(RUNS) * ROWS


def test_sync_ends_its_courier_and_the_next_one_delivers_each_value_once(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    class Undelivered(Anew):
        def fill(self) -> None:
            for run_id in RUNS[:2]:
                add_sink(make_run(self.path, run_id, rows=ROWS, status="completed"), SinkKind.TENSORBOARD)

    fresh = Undelivered(tmp_path)
    for _ in interrupted(fresh, "sync", moments=times(6, 60)):
        for folder in run_folders(fresh.path):
            with delivery_lock(folder, SinkKind.TENSORBOARD) as alone:
                assert alone, "nobody delivers any more"
            record = read_sink(folder, SinkKind.TENSORBOARD)
            assert record is not None
            assert record.rows in (0, ROWS)
        assert call(fresh.path, "sync").status == 0
        for folder in run_folders(fresh.path):
            record = read_sink(folder, SinkKind.TENSORBOARD)
            assert record is not None
            assert is_delivered(folder, record)
            files = EventAccumulator(str(own_folder(folder, SinkKind.TENSORBOARD)))
            files.Reload()
            assert [event.step for event in files.Scalars("episode/reward")] == [10 * n for n in range(1, ROWS + 1)]


def test_prune_removes_a_run_or_leaves_it_and_never_touches_another(tmp_path: Path) -> None:
    class Thrown(Anew):
        def fill(self) -> None:
            super().fill()
            for run_id in ("gone-1", "gone-2"):
                folder = make_run(self.path, run_id, rows=ROWS, status="completed")
                Trash(self.path).put(folder, 1e9)
                wait_for(lambda folder=folder: not folder.path.exists(), "the move")

    fresh = Thrown(tmp_path)
    for _ in interrupted(fresh, "prune", "--yes", moments=MOMENTS):
        trash = Trash(fresh.path)
        for run_id in trash.run_ids():
            lines = (trash.path / run_id / "metrics.jsonl").read_text().splitlines()
            assert [json.loads(line)["seq"] for line in lines] == list(range(1, ROWS + 1)), "whole: it can be restored"
        assert {folder.run_id for folder in run_folders(fresh.path)} == set(RUNS)
        for folder in run_folders(fresh.path):
            assert len(folder.metrics_path.read_text().splitlines()) == ROWS
        assert call(fresh.path, "prune", "--yes").status == 0
        assert not trash.path.exists() or not any(trash.path.iterdir())
