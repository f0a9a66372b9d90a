"""The catalogue's schema, its migrations and its two kinds of transaction."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

from rlviz.domain.errors import CatalogueDamaged, CatalogueUnusable
from rlviz.launchers.process import ProcessLauncher
from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.server.catalog.database import HEAD, REVISIONS, Database, explain_errors, mark_indexed
from rlviz.server.catalog.migrations import run as migrations
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.runs import get_run

SCRIPTS = Path(migrations.__file__).parent


def run(run_id: str = "run-1") -> RunRow:
    return RunRow(
        id=run_id, name="n", algo="ppo", env_id="CartPole-v1", seed=1, total_timesteps=100, created_at=1.0, tags=[]
    )


def tables(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    return found


def version(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    found = [number for (number,) in connection.execute("SELECT version_num FROM alembic_version")]
    connection.close()
    return found


# Migrations


def test_migrating_an_empty_database_creates_the_tables_of_the_models(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    assert tables(database.path) == {"run", "evaluation", "alembic_version"}
    assert {index["name"] for index in inspect(database.engine).get_indexes("run")} == {
        "ix_run_created_at_id",
        "ix_run_status_queued_at",
        "ix_run_algo_created_at",
        "ix_run_env_id_created_at",
        "ix_run_ep_rew_mean_id",
        "ix_run_best_moving_average_id",
        "ix_run_group_id",
        "ix_run_experiment_id_group_id_id",
    }


def test_the_known_revisions_are_the_migrations_in_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    assert tuple(script.revision for script in ScriptDirectory.from_config(config).walk_revisions())[::-1] == REVISIONS


def test_an_older_catalogue_is_backed_up_before_it_is_migrated_and_reindexed(tmp_path: Path) -> None:
    database = Database(tmp_path / "rlviz.db")
    migrations.upgrade(database.engine, "0001")
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO run (id, name, algo, env_id, seed, total_timesteps, tags, notes, status, warnings, created_at,"
            " step, episodes) VALUES ('run-1', 'Mine', 'ppo', 'CartPole-v1', 1, 100, '[]', '', 'created', 0, 1.0, 0, 0)"
        )
        connection.exec_driver_sql("PRAGMA user_version = 1")
    database.migrate()
    assert not database.is_indexed(), "the new columns are filled from the folders"
    with database.read() as session:
        kept = get_run(session, "run-1")
    assert (kept.name, kept.sparkline, kept.env_options, kept.best_policy) == ("Mine", [], {}, None)
    database.close()
    copy = tmp_path / "rlviz-0001.db"
    assert version(copy) == ["0001"]
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT id FROM run").fetchall() == [("run-1",)]


def test_a_process_that_runs_during_the_upgrade_keeps_its_identity(tmp_path: Path) -> None:
    process = ProcessIdentity.current()
    database = Database(tmp_path / "rlviz.db")
    migrations.upgrade(database.engine, "0005")
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO run (id, name, algo, env_id, seed, total_timesteps, tags, notes, status, warnings, created_at,"
            " step, episodes, worker_pid, worker_started_at, boot_id)"
            " VALUES ('run-1', 'Mine', 'ppo', 'CartPole-v1', 1, 100, '[]', '', 'running', 0, 1.0, 0, 0, ?, ?, ?)",
            (process.pid, process.started_at, process.boot_id),
        )
        connection.exec_driver_sql(
            "INSERT INTO evaluation (run_id, id, status, created_at, record, worker_pid, worker_started_at)"
            " VALUES ('run-1', 'eval-1', 'running', 1.0, '{}', ?, ?)",
            (process.pid, process.started_at),
        )
    database.migrate()
    with database.read() as session:
        names = [get_run(session, "run-1").worker, session.get_one(EvaluationRow, ("run-1", "eval-1")).worker]
    database.close()
    assert names == [str(process), f"process:{process.pid}:{process.started_at}:"]
    for name in names:
        worker = ProcessLauncher(warm=False).adopt(str(name))
        assert worker is not None
        assert worker.poll() is None


# What can be wrong with the file


def test_a_file_that_is_no_catalogue_is_damaged_and_can_be_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "rlviz.db"
    path.write_bytes(b"not a database, but long enough to be taken for one " * 100)
    database = Database(path)
    with pytest.raises(CatalogueDamaged, match="rlviz rebuild"):
        database.migrate()
    assert database.set_aside() == tmp_path / "rlviz-damaged-1.db"
    database.migrate()
    assert version(path) == [HEAD]
    database.close()


def test_overwritten_pages_are_detected_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "rlviz.db"
    database = Database(path)
    database.migrate()
    with database.write() as session:
        session.add_all(run(f"run-{number}") for number in range(500))
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    with path.open("r+b") as file:
        file.seek(5 * 4096)
        file.write(os.urandom(10 * 4096))
    with pytest.raises(CatalogueDamaged):
        Database(path).migrate()


def test_a_catalogue_of_a_newer_version_is_left_unchanged(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(CatalogueDamaged, match=r"another version .* '9999'"):
        database.migrate()
    assert version(database.path) == ["9999"]


def test_a_catalogue_held_by_another_program_is_locked(database: Database) -> None:
    hasty = Database(database.path, busy_seconds=0.01)
    with database.write(), pytest.raises(CatalogueUnusable, match="locked"):
        hasty.migrate()
    hasty.close()


def test_a_read_only_catalogue_is_named_with_what_to_check(database: Database) -> None:
    def write() -> None:
        with explain_errors(database.path), database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only = 1")
            connection.exec_driver_sql("DELETE FROM run")

    with pytest.raises(CatalogueUnusable, match=r"cannot be written .* may write"):
        write()


def test_migrating_twice_has_no_further_effect(tmp_path: Path) -> None:
    for _ in range(2):
        database = Database(tmp_path / "rlviz.db")
        database.migrate()
        database.close()
        assert version(database.path) == [HEAD]


def test_a_catalogue_counts_as_indexed_only_once_its_rows_are_committed(database: Database) -> None:
    assert not database.is_indexed()
    with database.write() as session:
        mark_indexed(session)
        session.rollback()
    assert not database.is_indexed()
    with database.write() as session:
        mark_indexed(session)
    assert database.is_indexed()


def scripts_with(tmp_path: Path, *statements: str) -> Path:
    """Return the migrations plus one that executes ``statements``."""
    scripts = tmp_path / "migrations"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    body = "\n".join(f"    {statement}" for statement in statements)
    (scripts / "versions" / "9999_next.py").write_text(
        f'from alembic import op\nrevision = "9999"\ndown_revision = "{HEAD}"\n\n\ndef upgrade():\n{body}\n'
    )
    return scripts


CREATE = 'op.execute("CREATE TABLE extra (id INTEGER PRIMARY KEY)")'
FILL = 'op.execute("INSERT INTO extra VALUES (1)")'


def test_a_migration_stores_its_version_with_its_changes(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "__file__", str(scripts_with(tmp_path, CREATE, FILL) / "run.py"))
    migrations.upgrade(database.engine)
    assert "extra" in tables(database.path)
    assert version(database.path) == ["9999"]


def test_a_failed_migration_leaves_neither_table_nor_version(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as session:
        session.add(run())
    failing = scripts_with(tmp_path, CREATE, FILL, 'raise RuntimeError("the power went")')
    monkeypatch.setattr(migrations, "__file__", str(failing / "run.py"))
    with pytest.raises(RuntimeError, match="the power went"):
        migrations.upgrade(database.engine)
    assert "extra" not in tables(database.path)
    assert version(database.path) == [HEAD]
    with database.read() as session:
        assert get_run(session, "run-1").name == "n"


def test_a_failed_first_migration_leaves_no_table_and_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(tmp_path / "rlviz.db")

    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.create_index", fail)
        with pytest.raises(RuntimeError, match="the power went"):
            database.migrate()
    assert not tables(database.path) & {"run", "evaluation"}
    database.migrate()
    assert not database.is_indexed(), "it is yet to be filled from the folders"
    assert {"run", "evaluation"} <= tables(database.path)
    database.close()


# Transactions


def pragma(database: Database, name: str) -> object:
    with database.engine.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_the_catalogue_is_in_wal_mode_and_keeps_foreign_keys(database: Database) -> None:
    assert pragma(database, "journal_mode") == "wal"
    assert pragma(database, "foreign_keys") == 1
    assert pragma(database, "synchronous") == 1  # NORMAL: what WAL needs
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(EvaluationRow(run_id="nobody", id="eval_20261121-014312-001", created_at=1.0, record={}))


def try_to_write(path: Path) -> bool:
    """Return whether another process can write now."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


def test_a_writer_blocks_other_writers_from_its_start(database: Database) -> None:
    assert try_to_write(database.path)
    with database.write():
        assert not try_to_write(database.path), "what it reads must not change under it"
    assert try_to_write(database.path)


def test_readers_never_wait_and_see_committed_data(database: Database) -> None:
    with database.write() as writing:
        writing.add(run())
        writing.flush()
        with database.read() as reading:
            assert reading.get(RunRow, "run-1") is None
    with database.read() as reading:
        assert reading.get(RunRow, "run-1") is not None


def test_a_block_that_raises_writes_nothing(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as session:
        session.add_all([run("run-1"), run("run-1")])
    with database.read() as session:
        assert session.get(RunRow, "run-1") is None
    assert try_to_write(database.path)


def test_no_update_is_lost_between_threads(database: Database) -> None:
    with database.write() as session:
        session.add(run())

    def count(times: int) -> None:
        for _ in range(times):
            with database.write() as session:
                get_run(session, "run-1").step += 1

    threads = [threading.Thread(target=count, args=(50,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert get_run(session, "run-1").step == 200


def test_deleting_a_run_deletes_its_evaluations(database: Database) -> None:
    with database.write() as session:
        session.add(run())
        session.flush()
        session.add(EvaluationRow(run_id="run-1", id="eval_20261121-014312-001", created_at=1.0, record={}))
    with database.write() as session:
        session.delete(get_run(session, "run-1"))
    with database.read() as session:
        assert session.get(EvaluationRow, ("run-1", "eval_20261121-014312-001")) is None
