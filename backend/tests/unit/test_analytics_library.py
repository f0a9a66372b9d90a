"""The tables that analytics queries read, compared with the catalogue, configurations and journals."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import compress_journal
from rlviz.rundir.metric_rows import all_rows
from rlviz.sealer import seal
from rlviz.server.analytics import warehouse
from rlviz.server.analytics import warehouse as library_module
from rlviz.server.analytics import warehouse as metric_table
from rlviz.server.analytics.statement import BadStatement
from rlviz.server.analytics.warehouse import Library
from rlviz.server.supervisor.sealing import sealed_metrics
from tests.support.run_folders import journal, make_run
from tests.support.service import catalogued

REWARD = "episode/reward"


def rows_of(library: Library, sql: str, most_rows: int = 1_000) -> list[list[Any]]:
    library.refresh()
    return library.answer(library.check(sql), [], most_rows)[0].rows


@contextmanager
def of_two_runs(runs_dir: Path) -> Iterator[Library]:
    """A library of two runs: one has 300 rows, 200 of them sealed, and the other has 50 unsealed rows."""
    long = make_run(runs_dir, "long", rows=200, status="completed", hyperparameters={"gamma": 0.99, "n_steps": 64})
    seal(sealed_metrics(long), 0)
    with journal(long.metrics_path) as writer:
        for step in range(100):
            writer.append({"step": 1_000 + step, "values": {"late/metric": float(step)}})
    make_run(
        runs_dir,
        "short",
        rows=50,
        status="completed",
        algo="dqn",
        env_options={"gravity": 5},
        hyperparameters={"gamma": 1, "policy_kwargs": {"net_arch": [64]}},
    )
    with catalogued(runs_dir):
        yield Library(runs_dir / "rlviz.db")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with of_two_runs(tmp_path) as library:
        yield library


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, Path]]:
    """A library and its runs folder that tests share; every file must stay unchanged."""
    runs_dir = tmp_path_factory.mktemp("unchanged")
    with of_two_runs(runs_dir) as library:
        yield library, runs_dir


def test_settings_are_columns_typed_by_their_values(library: Library) -> None:
    answer = rows_of(library, "SELECT id, hp_gamma, hp_n_steps, hp_policy_kwargs, option_gravity FROM runs ORDER BY id")
    assert answer == [["long", 0.99, 64, None, None], ["short", 1.0, None, '{"net_arch":[64]}', 5]]


def test_metrics_are_complete_whether_sealed_or_not(library: Library, tmp_path: Path) -> None:
    assert list((tmp_path / "long" / "sealed").iterdir())
    counts = rows_of(library, "SELECT run_id, name, count(*) FROM metrics GROUP BY ALL ORDER BY ALL")
    by_name = {(run_id, name): count for run_id, name, count in counts}
    assert by_name["long", "late/metric"] == 100
    rewards = {run_id: count for (run_id, name), count in by_name.items() if name == REWARD}
    assert rewards["long"] == 4 * rewards["short"]


def test_metrics_of_any_name_are_distinguished_whether_sealed_or_not(tmp_path: Path) -> None:
    """DuckDB treats column names that differ only in case as equal."""
    names = ["loss", "Loss", "LOSS", "Loss_1", "step", "values.loss", "a.b", "a,b", "a\0b", "é", 'q"', "/", "filename"]
    runs = {"one": names, "two": ["Loss"], "three": ["loss"]}
    for run, logged in runs.items():
        folder = make_run(tmp_path, run, status="completed")
        for part in (0, 1):
            with journal(folder.metrics_path) as writer:
                writer.append({"step": 1, "values": {name: part + names.index(name) for name in logged}})
            if part == 0:
                seal(sealed_metrics(folder), 0)
    with catalogued(tmp_path):
        found = rows_of(
            Library(tmp_path / "rlviz.db"), "SELECT run_id, name, min(value), max(value) FROM metrics GROUP BY ALL"
        )
    expected = [
        [run, name, float(names.index(name)), names.index(name) + 1.0]
        for run, logged in runs.items()
        for name in logged
        if name in names
    ]
    assert sorted(found) == sorted(expected)


def test_discarded_rows_are_in_no_result_whether_sealed_or_not(library: Library, tmp_path: Path) -> None:
    """The sealed copy contains some of them, and so do the parsed rows."""
    folder, names = RunFolder(tmp_path, "long"), (REWARD, "late/metric")
    numbers = "SELECT list(step ORDER BY step) FROM metrics WHERE run_id = 'long' AND name = '{}'"
    with journal(folder.events_path) as events:
        left = {"first": 101, "last": 250, "attempt": 2}
        events.append({"event": "rollback", "step": 1_010, "data": {"snapshot": "100", "superseded": left}})
    counted = [row for row in all_rows(folder) if not 101 <= row["seq"] <= 250]
    assert len(counted) < len(list(all_rows(folder))) - 100
    for name in names:
        [[found]] = rows_of(library, numbers.format(name))
        assert found == [row["step"] for row in counted if name in row["values"]]


def test_metrics_are_complete_when_the_journal_is_compressed(library: Library, tmp_path: Path) -> None:
    counts = "SELECT run_id, name, count(*) FROM metrics GROUP BY ALL ORDER BY ALL"
    before = rows_of(library, counts)
    prepared = compress_journal(tmp_path / "long" / "metrics.jsonl")
    assert prepared is not None
    assert prepared.put_in_place()
    assert rows_of(library, counts) == before


def test_a_journal_that_is_too_long_is_left_out_and_reported(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_table, "MOST_UNSEALED_BYTES", 10)
    library.refresh()
    statement = library.check("SELECT DISTINCT run_id FROM metrics")
    answer, notes = library.answer(statement, [], 10)
    assert answer.rows == [["long"]]
    assert "0 of 2 runs" in notes[0]


def test_a_change_of_the_catalogue_changes_the_result(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "REFRESHING", math.inf)
    assert rows_of(library, "SELECT count(*) FROM runs") == [[2]]
    with sqlite3.connect(tmp_path / "rlviz.db") as catalogue:
        catalogue.execute("DELETE FROM run WHERE id = 'short'")
    catalogue.close()
    assert rows_of(library, "SELECT id FROM runs") == [["long"]]


def test_the_number_of_rows_is_limited_and_the_limit_reported(library: Library) -> None:
    library.refresh()
    answer, _ = library.answer(library.check("SELECT * FROM range(1000000000000)"), [], 3)
    assert (answer.rows, answer.truncated) == ([[0], [1], [2]], True)
    exactly, _ = library.answer(library.check("SELECT * FROM range(3)"), [], 3)
    assert not exactly.truncated


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE all_of AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM all_of) SELECT count(*) FROM all_of",
        "SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c",
    ],
)
def test_an_endless_query_is_stopped(library: Library, monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    monkeypatch.setattr(warehouse, "SECONDS", 0.3)
    with pytest.raises(BadStatement, match="was stopped"):
        rows_of(library, sql)
    assert rows_of(library, "SELECT 1") == [[1]]


@pytest.mark.parametrize(
    ("sql", "position", "says"),
    [
        ("SELECT nam FROM runs", 7, "name"),
        ("SELECT 'é', nam FROM runs", 12, "name"),
        ("SELECT FROM FROM", 12, "Syntax error"),
        ("SELECT * FROM rusn", 14, "runs"),
    ],
)
def test_an_error_is_reported_with_its_character_position(library: Library, sql: str, position: int, says: str) -> None:
    with pytest.raises(BadStatement, match=says) as refused:
        rows_of(library, sql)
    assert refused.value.position == position


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM runs",
        "CREATE TABLE mine AS SELECT 1",
        "COPY runs TO '{folder}/out.csv'",
        "COPY (SELECT 1) TO '{piece}'",
        "ATTACH '{folder}/rlviz.db' AS db (TYPE sqlite)",
        "ATTACH '{folder}/mine.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "PRAGMA database_list",
        "EXPORT DATABASE '{folder}/all'",
        "CALL pragma_version()",
        "SELECT 1; DROP TABLE runs",
        "EXPLAIN ANALYZE SELECT 1",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM '{piece}'",
        "SELECT * FROM read_parquet('{piece}')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM query('COPY runs TO ''{folder}/out.csv''')",
        "SELECT * FROM (SELECT * FROM query_table('runs'))",
        "WITH one AS (SELECT * FROM arrow_scan(1, 2, 3)) SELECT * FROM one",
        "SELECT (SELECT content FROM read_blob('/etc/passwd'))",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM runs, LATERAL (SELECT * FROM sniff_csv('/etc/passwd'))",
        "SELECT * FROM 'http://127.0.0.1:1/file.csv'",
        "",
        "-- nothing",
        "SELECT '\0'",
    ],
)
def test_only_reading_the_tables_is_allowed(unchanged: tuple[Library, Path], sql: str) -> None:
    library, runs_dir = unchanged
    piece = next((runs_dir / "long" / "sealed").iterdir())
    rows_of(library, "SELECT count(*) FROM metrics")  # from here on the sealed files are open to the view of metrics
    before = {path: path.read_bytes() for path in runs_dir.rglob("*") if path.is_file() and path.suffix != ".db-shm"}
    with pytest.raises(BadStatement):
        rows_of(library, sql.format(folder=runs_dir, piece=piece))
    after = {path: path.read_bytes() for path in runs_dir.rglob("*") if path.is_file() and path.suffix != ".db-shm"}
    assert after == before
    assert rows_of(library, "SELECT count(*) FROM runs") == [[2]]
