"""Sync, ingest, prune, migrations and catalogue maintenance, interrupted by Ctrl-C or killed at many moments."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.sinks import SinkKind
from rlviz.domain.versions import CONFIG
from rlviz.rundir.folder import run_folders
from rlviz.rundir.sinks import add_sink, delivery_lock, is_delivered, own_folder, read_sink
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import HEAD, REVISIONS
from tests.support.cli import call
from tests.support.faults import times
from tests.support.interrupting import ROWS, RUNS, Anew, interrupted
from tests.support.postgres import postgres
from tests.support.run_folders import make_run
from tests.support.waiting import eventually

FIXTURES = Path(__file__).parents[2] / "fixtures"
OLD = FIXTURES / "runs_v0_1_0" / "rlviz.db"
OLD_CONFIG = FIXTURES / "versions" / "config-1.json"
MOMENTS = times(5, 100)


def test_a_killed_upgrade_leaves_the_catalogue_at_one_migration_with_complete_backups(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("command", [("downgrade", "0012"), ("optimize",)])
def test_a_killed_restore_or_optimize_leaves_a_complete_catalogue(tmp_path: Path, command: tuple[str, ...]) -> None:
    for run_id in RUNS:
        make_run(tmp_path / "indexed", run_id, status="completed")
    assert call(tmp_path / "indexed", "rebuild").status == 0

    class Catalogue(Anew):
        def fill(self) -> None:
            shutil.copytree(tmp_path / "indexed", self.path, dirs_exist_ok=True)

    fresh = Catalogue(tmp_path)
    for _ in interrupted(fresh, "catalog", *command, moments=times(3, 50)):
        revision, runs = looked_into(fresh.path / "rlviz.db")
        assert (revision in REVISIONS, [run_id for (run_id,) in runs]) == (True, sorted(RUNS))
        if revision != command[-1]:
            assert call(fresh.path, "catalog", *command).status == 0
        assert not list(fresh.path.glob(".*.tmp"))
        assert {run["id"] for run in call(fresh.path, "runs", "--json").json["runs"]} == set(RUNS), "brought up to date"


def test_a_killed_migration_leaves_the_old_or_the_new_configuration_and_keeps_the_old_one(tmp_path: Path) -> None:
    class Old(Anew):
        def fill(self) -> None:
            shutil.copy(OLD_CONFIG, self.path / "config.json")

    fresh = Old(tmp_path)
    migrate = ("config", "migrate", "config.json", "--write")
    for _ in interrupted(fresh, *migrate, moments=MOMENTS):
        found = json.loads((fresh.path / "config.json").read_bytes())
        assert found["schema_version"] in (1, CONFIG.current)
        assert call(fresh.path, "config", "migrate", str(fresh.path / "config.json"), "--write").status == 0
        assert {path.name for path in fresh.path.iterdir()} == {"config.json", "config.json.bak"}
        assert (fresh.path / "config.json.bak").read_bytes() == OLD_CONFIG.read_bytes()
        assert json.loads((fresh.path / "config.json").read_bytes())["schema_version"] == CONFIG.current


def looked_into(path: Path) -> tuple[str, list[Any]]:
    """Return the migration and run ids of a catalogue after an integrity check."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        [(revision,)] = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        return revision, connection.execute("SELECT id FROM run ORDER BY id").fetchall()


def test_a_killed_ingest_leaves_only_complete_runs_and_the_next_one_adds_the_rest(tmp_path: Path) -> None:
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


def test_a_killed_sync_ends_its_worker_and_the_next_one_delivers_each_value_once(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    class Undelivered(Anew):
        def fill(self) -> None:
            for run_id in RUNS[:2]:
                add_sink(make_run(self.path, run_id, rows=ROWS, status="completed"), SinkKind.TENSORBOARD)

    fresh = Undelivered(tmp_path)
    for _ in interrupted(fresh, "sync", moments=times(3, 60)):
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


def test_a_killed_prune_removes_a_run_completely_or_not_at_all(tmp_path: Path) -> None:
    class Thrown(Anew):
        def fill(self) -> None:
            super().fill()
            for run_id in ("gone-1", "gone-2"):
                folder = make_run(self.path, run_id, rows=ROWS, status="completed")
                Trash(self.path).put(folder, 1e9)
                eventually(lambda folder=folder: not folder.path.exists(), "the move")

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
