"""Ingest of runs into a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import ExperimentPlace
from rlviz.domain.errors import InvalidRequest
from rlviz.exchange.import_runs import ImportOptions, import_path
from rlviz.library.tracking import track
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.server.exchange import ingest as source
from rlviz.server.exchange.ingest import CentralDatabase, CentralDatabaseGone, Ingested, ingest
from tests.support.cli import call
from tests.support.postgres import Cluster, postgres
from tests.support.run_folders import append_rows, journal, make_run


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with postgres() as cluster:
        yield cluster


@pytest.fixture
def central(cluster: Cluster) -> CentralDatabase:
    """An empty database."""
    ask(cluster, "DROP SCHEMA IF EXISTS rlviz CASCADE")
    return CentralDatabase(cluster.url)


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    """Four ended runs, one that has not started, and one with a damaged configuration."""
    for algo in ("ppo", "dqn"):
        for seed in (1, 2):
            make_run(tmp_path, f"{algo}-{seed}", rows=40, status="completed", algo=algo, seed=seed, preset="fast")
    make_run(tmp_path, "not-begun")
    make_run(tmp_path, "damaged", rows=5, status="completed").config_path.write_text("{")
    return tmp_path


def put(database: CentralDatabase, runs_dir: Path, *, machine: str = "here", incremental: bool = False) -> Ingested:
    with database:
        return ingest(list(run_folders(runs_dir)), database, machine=machine, incremental=incremental)


def ask(cluster: Cluster, sql: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(cluster.url, autocommit=True) as connection:
        found = connection.execute(sql)
        return found.fetchall() if found.description else []


def contents(cluster: Cluster) -> list[list[tuple[Any, ...]]]:
    """Return all tables without the import times."""
    return [
        ask(cluster, "SELECT to_jsonb(run) - 'ingested_at' FROM rlviz.run ORDER BY id"),
        ask(cluster, "SELECT * FROM rlviz.metric ORDER BY run_id, name, step, time"),
        ask(cluster, "SELECT to_jsonb(evaluation) FROM rlviz.evaluation ORDER BY run_id, id"),
    ]


def test_a_repeated_ingest_changes_nothing_and_reports_omissions(
    cluster: Cluster, central: CentralDatabase, runs_dir: Path
) -> None:
    first = put(central, runs_dir)
    assert sorted(first.runs) == ["dqn-1", "dqn-2", "ppo-1", "ppo-2"]
    assert first.skipped.keys() == {"not-begun", "damaged"}
    assert "created" in first.skipped["not-begun"]
    assert first.problems == {}
    before = contents(cluster)
    assert len(before[1]) == first.points > 0
    again = put(central, runs_dir)
    assert sorted(again.runs) == sorted(first.runs)
    assert contents(cluster) == before


def test_incremental_ingest_skips_unchanged_runs(cluster: Cluster, central: CentralDatabase, runs_dir: Path) -> None:
    put(central, runs_dir)
    with journal(RunFolder(runs_dir, "ppo-1").metrics_path) as metrics:
        append_rows(metrics, 3)
    again = put(central, runs_dir, incremental=True)
    assert (again.runs, again.unchanged) == (["ppo-1"], 3)
    assert put(central, runs_dir, incremental=True).runs == []


def test_ingested_runs_are_compared_by_algorithm_environment_and_preset(
    cluster: Cluster, central: CentralDatabase, runs_dir: Path
) -> None:
    put(central, runs_dir)
    assert ask(cluster, "SELECT algo, runs, seeds FROM rlviz.by_algorithm ORDER BY algo") == [
        ("dqn", 2, 2),
        ("ppo", 2, 2),
    ]
    assert ask(cluster, "SELECT env_id, runs FROM rlviz.by_environment") == [("CartPole-v1", 4)]
    assert ask(cluster, "SELECT preset, runs FROM rlviz.by_preset ORDER BY algo") == [("fast", 2), ("fast", 2)]


def test_runs_are_compared_by_group_by_variant_of_an_experiment_and_by_hour(
    cluster: Cluster, central: CentralDatabase, runs_dir: Path
) -> None:
    trial = ExperimentPlace(id="exp-lr", variant="slow", trial=1)
    make_run(runs_dir, "trial", rows=5, status="completed", experiment=trial, group_id="ppo-1", preset="fast")
    put(central, runs_dir)
    assert ask(cluster, "SELECT group_id, runs FROM rlviz.by_group WHERE runs > 1") == [("ppo-1", 2)]
    assert ask(cluster, "SELECT experiment_id, experiment_variant, runs FROM rlviz.by_experiment") == [
        ("exp-lr", "slow", 1)
    ]
    hours = ask(cluster, "SELECT sum(runs), bool_and(extract(minute FROM hour) = 0) FROM rlviz.by_hour")
    assert hours == [(5, True)]


def test_a_run_of_unknown_length_is_ingested(cluster: Cluster, central: CentralDatabase, tmp_path: Path) -> None:
    (tmp_path / "0.monitor.csv").write_text('#{"env_id": "CartPole-v1"}\nr,l,t\n1.0,10,0.1\n2.0,20,0.2\n')
    [folder] = import_path(tmp_path / "0.monitor.csv", tmp_path, ImportOptions()).runs
    assert folder.read_config().total_timesteps == 0
    assert put(central, tmp_path).runs == [folder.run_id]


def test_tables_of_the_first_version_are_upgraded_and_filled(
    cluster: Cluster, central: CentralDatabase, runs_dir: Path
) -> None:
    put(central, runs_dir)
    ask(
        cluster,
        "DROP VIEW rlviz.by_experiment; ALTER TABLE rlviz.run DROP COLUMN parent_id, DROP COLUMN experiment_id, "
        "DROP COLUMN experiment_variant, DROP CONSTRAINT run_total_timesteps_check, "
        "ADD CONSTRAINT run_total_timesteps_check CHECK (total_timesteps > 0); "
        "UPDATE rlviz.about SET version = 1; UPDATE rlviz.run SET fingerprint = 'of version 1'",
    )
    assert len(put(central, runs_dir, incremental=True).runs) == 4
    ask(cluster, "UPDATE rlviz.run SET total_timesteps = 0, experiment_id = 'exp'")
    assert ask(cluster, "SELECT version FROM rlviz.about") == [(2,)]


def test_the_command_ingests_a_single_run(cluster: Cluster, central: CentralDatabase, runs_dir: Path) -> None:
    told = call(runs_dir, "ingest", "ppo-1", "--to", cluster.url, "--json")
    assert (told.status, told.json["runs"]) == (0, ["ppo-1"])
    assert call(runs_dir, "ingest", "nonsense", "--to", cluster.url).status == 3


def test_a_run_of_another_machine_is_left_unchanged(central: CentralDatabase, runs_dir: Path) -> None:
    put(central, runs_dir, machine="there")
    report = put(central, runs_dir)
    assert report.runs == []
    assert "from there" in report.skipped["ppo-1"]


def test_a_long_run_is_thinned_and_keeps_its_extremes(
    cluster: Cluster, central: CentralDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MOST_POINTS", 20)
    folder = make_run(tmp_path, "long", rows=400, status="completed")
    with journal(folder.metrics_path) as metrics:
        metrics.append({"step": 10_000, "values": {"episode/reward": 1e6}})
    put(central, tmp_path)
    [(count, best)] = ask(cluster, "SELECT count(*), max(value) FROM rlviz.metric WHERE name = 'episode/reward'")
    assert (count <= 20, best) == (True, 1e6)


def test_a_value_refused_by_postgresql_excludes_only_its_run(
    cluster: Cluster, central: CentralDatabase, runs_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "storable", lambda value: value)
    make_run(runs_dir, "odd", rows=3, status="completed", hyperparameters={"note": "a\0b"})
    report = put(central, runs_dir)
    assert "refuses" in report.skipped["odd"]
    assert len(report.runs) == 4
    assert ask(cluster, "SELECT count(*) FROM rlviz.metric WHERE run_id = 'odd'") == [(0,)]


def test_a_lost_postgresql_connection_leaves_no_partial_data(
    cluster: Cluster, central: CentralDatabase, runs_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost while the points of the third run are sent."""
    original, begun = source.RunToIngest.metrics, []

    def metrics(run: source.RunToIngest) -> Iterator[Any]:
        begun.append(run.row.id)
        for place, row in enumerate(original(run)):
            if len(begun) == 3 and place == 5:
                cluster.stop()
            yield row

    monkeypatch.setattr(source.RunToIngest, "metrics", metrics)
    try:
        with pytest.raises(CentralDatabaseGone, match="--incremental"):
            put(central, runs_dir)
    finally:
        cluster.start()
    monkeypatch.undo()
    assert ask(cluster, "SELECT id FROM rlviz.run ORDER BY id") == [(run_id,) for run_id in sorted(begun[:2])]
    assert ask(
        cluster,
        "SELECT count(*) FROM rlviz.run WHERE points <> (SELECT count(*) FROM rlviz.metric m WHERE m.run_id = run.id)",
    ) == [(0,)]
    rest = put(central, runs_dir, incremental=True)
    assert (len(rest.runs), rest.unchanged) == (2, 2)


def test_tables_of_a_newer_version_and_inconsistent_data_are_reported(
    cluster: Cluster, central: CentralDatabase, runs_dir: Path
) -> None:
    put(central, runs_dir)
    ask(cluster, "DELETE FROM rlviz.metric WHERE run_id = 'dqn-1'")
    assert put(central, runs_dir, incremental=True).problems == {
        "runs whose number of points differs from the number read": ["dqn-1"]
    }
    ask(cluster, "UPDATE rlviz.about SET version = 99")
    with pytest.raises(InvalidRequest, match="newer"):
        put(central, runs_dir)


@pytest.mark.parametrize("url", ["mysql://host/db", "runs.db", ""])
def test_an_address_that_is_not_postgresql_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest, match="postgresql://"):
        CentralDatabase(url)


def test_an_unreachable_postgresql_is_reported_without_the_password() -> None:
    pytest.importorskip("psycopg")
    with (
        pytest.raises(CentralDatabaseGone, match=r"127\.0\.0\.1:1/db") as gone,
        CentralDatabase("postgresql://me:secret@127.0.0.1:1/db"),
    ):
        pass
    assert "secret" not in str(gone.value)


def test_a_nul_character_in_a_setting_metric_or_error_does_not_exclude_its_run(
    cluster: Cluster, central: CentralDatabase, tmp_path: Path
) -> None:
    settings = {"device": "cuda\0", "path": "C:\\x00", "na\0me": [{"inner": "\0"}]}
    with track("mine", "CartPole-v1", config=settings, runs_dir=tmp_path) as run:
        run.log(1, {"a\0b": 1.0, "a\\x00b": 2.0, "größe": 3.0})
    failed = track("mine", "CartPole-v1", name="its error", runs_dir=tmp_path)
    failed.log(1, x=1.0)
    failed.finish(ValueError("bad packet \0\x01"))
    report = put(central, tmp_path)
    assert (set(report.runs), report.skipped) == ({run.id, failed.id}, {})
    assert report.renamed == {"a\0b": "a\\x00b", "a\\x00b": "a\\x5cx00b"}
    values = ask(cluster, f"SELECT name, value FROM rlviz.metric WHERE run_id = '{run.id}' ORDER BY value")
    assert values == [("a\\x00b", 1.0), ("a\\x5cx00b", 2.0), ("größe", 3.0)]
    [(stored,)] = ask(cluster, f"SELECT hyperparameters FROM rlviz.run WHERE id = '{run.id}'")
    assert stored == {"device": "cuda\\x00", "path": "C:\\x00", "na\\x00me": [{"inner": "\\x00"}]}
    [(cause,)] = ask(cluster, f"SELECT cause FROM rlviz.run WHERE id = '{failed.id}'")
    assert "bad packet \\x00\x01" in cause
