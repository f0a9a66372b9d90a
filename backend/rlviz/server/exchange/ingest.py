"""Copies runs of one or several machines into a central PostgreSQL, one transaction per run.

``ingest`` is the entry point, ``CentralDatabase`` the connection, ``RunToIngest`` the data of one run folder. The
tables and views are in a separate schema; docs/analytics.md describes them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest, RlvizError, RunFolderError
from rlviz.domain.naming import POSTGRES
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import IndexedFolders, index_folder
from rlviz.server.metrics.service import MetricsService
from rlviz.stats.arrays import Floats, kept_points

VERSION = 2
SCHEMA = "rlviz"

TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE IF NOT EXISTS {SCHEMA}.about (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version integer NOT NULL
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.run (
    id text PRIMARY KEY,
    machine text NOT NULL,
    fingerprint text NOT NULL,
    ingested_at timestamptz NOT NULL DEFAULT now(),
    name text NOT NULL,
    algo text NOT NULL,
    env_id text NOT NULL,
    preset text,
    seed bigint NOT NULL,
    group_id text NOT NULL,
    parent_id text,
    experiment_id text,
    experiment_variant text,
    status text NOT NULL,
    cause text,
    tags text[] NOT NULL,
    total_timesteps bigint NOT NULL CHECK (total_timesteps >= 0),
    step bigint NOT NULL CHECK (step >= 0),
    episodes bigint NOT NULL CHECK (episodes >= 0),
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    fps double precision,
    ep_rew_mean double precision,
    best_moving_average double precision,
    best_policy_return double precision,
    reward_threshold double precision,
    solved_step bigint,
    solved_seconds double precision,
    hyperparameters jsonb NOT NULL,
    env_options jsonb NOT NULL,
    points bigint NOT NULL CHECK (points >= 0)
);
CREATE INDEX IF NOT EXISTS run_comparison ON {SCHEMA}.run (env_id, algo, preset);
CREATE TABLE IF NOT EXISTS {SCHEMA}.evaluation (
    run_id text NOT NULL REFERENCES {SCHEMA}.run ON DELETE CASCADE,
    id text NOT NULL,
    status text NOT NULL,
    created_at timestamptz NOT NULL,
    return_mean double precision,
    length_mean double precision,
    record jsonb NOT NULL,
    PRIMARY KEY (run_id, id)
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.metric (
    run_id text NOT NULL REFERENCES {SCHEMA}.run ON DELETE CASCADE,
    name text NOT NULL,
    step double precision NOT NULL,
    time double precision NOT NULL,
    value double precision
);
CREATE INDEX IF NOT EXISTS metric_of_run ON {SCHEMA}.metric (run_id, name, step);
"""

UPGRADES = {
    2: f"""
ALTER TABLE {SCHEMA}.run
    DROP CONSTRAINT IF EXISTS run_total_timesteps_check,
    ADD CHECK (total_timesteps >= 0),
    ADD COLUMN IF NOT EXISTS parent_id text,
    ADD COLUMN IF NOT EXISTS experiment_id text,
    ADD COLUMN IF NOT EXISTS experiment_variant text;
""",
}
"""Statements that upgrade the tables to the version in the key. The next ingest fills new columns, because
``fingerprint`` changes with the version."""

_FIGURES = """count(*) AS runs,
    count(DISTINCT seed) AS seeds,
    count(*) FILTER (WHERE solved_step IS NOT NULL) AS solved,
    avg(best_moving_average) AS mean_return,
    stddev_samp(best_moving_average) AS std_return,
    percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY best_moving_average) AS quartiles,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY solved_step) AS median_solved_step,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY fps) AS median_fps"""

_COMPARISONS = {
    "by_algorithm": "env_id, algo",
    "by_environment": "env_id",
    "by_preset": "env_id, algo, preset",
    "by_group": "env_id, algo, preset, group_id",
    "by_experiment": "experiment_id, experiment_variant, env_id, algo",
    "by_hour": "date_trunc('hour', ended_at, 'UTC') AS hour, env_id, algo",
}

VIEWS = "".join(
    f"CREATE OR REPLACE VIEW {SCHEMA}.{name} AS SELECT {columns}, {_FIGURES} FROM {SCHEMA}.run "
    f"WHERE status = 'completed' {'AND experiment_id IS NOT NULL' if name == 'by_experiment' else ''} "
    f"GROUP BY {', '.join(columns.rsplit(' AS ')[-1].split(', '))};\n"
    for name, columns in _COMPARISONS.items()
)

INTEGRITY = {
    "runs whose number of points differs from the number read": f"SELECT id FROM {SCHEMA}.run WHERE points <> "
    f"(SELECT count(*) FROM {SCHEMA}.metric WHERE run_id = run.id)",
    "runs that end before they begin": f"SELECT id FROM {SCHEMA}.run WHERE ended_at < started_at",
    "runs solved after their last step": f"SELECT id FROM {SCHEMA}.run WHERE solved_step > step",
    "completed evaluations without a return": f"SELECT run_id || '/' || id FROM {SCHEMA}.evaluation "
    "WHERE status = 'completed' AND return_mean IS NULL",
}
"""Problems that the data must not have, each with a query for the ids."""


MOST_POINTS = 1_000
"""Points of each metric of a run; every extreme is kept. The folder has all points."""


class NotIngested(Exception):
    """Says why a run is skipped."""


@dataclass(frozen=True, eq=False)
class RunToIngest:
    """The data of one run. ``points``: for each metric its name, and step, time and value, each of shape (n,)."""

    row: RunRow
    config: RunConfig
    evaluations: list[EvaluationRow]
    points: list[tuple[str, Floats, Floats, Floats]]

    @property
    def count(self) -> int:
        return sum(len(value) for _, _, _, value in self.points)

    def columns(self) -> dict[str, Any]:
        """Return the columns of the table ``run`` that come from the folder, with JSON as text."""
        row, best, trial = self.row, self.row.best_policy or {}, self.config.experiment
        names: tuple[str, ...] = (
            "id",
            "name",
            "algo",
            "env_id",
            "preset",
            "seed",
            "group_id",
            "status",
            "cause",
            "tags",
        )
        names += ("total_timesteps", "step", "episodes", "fps", "ep_rew_mean", "best_moving_average")
        names += ("reward_threshold", "solved_step", "solved_seconds")
        columns = {
            **{name: getattr(row, name) for name in names},
            **{name: _instant(getattr(row, name)) for name in ("created_at", "started_at", "ended_at")},
            "parent_id": (row.parent or {}).get("run_id"),
            "experiment_id": trial and trial.id,
            "experiment_variant": trial and trial.variant,
            "best_policy_return": best.get("mean_return"),
            "hyperparameters": json.dumps(storable(self.config.hyperparameters)),
            "env_options": json.dumps(storable(row.env_options)),
            "points": self.count,
        }
        return {name: storable(value) for name, value in columns.items()}

    def renamed(self) -> dict[str, str]:
        """Return the metrics whose names PostgreSQL does not accept, each with its name there."""
        return POSTGRES.renamed(name for name, *_ in self.points)

    def metrics(self) -> Iterator[tuple[str, str, float, float, float | None]]:
        """Yield the rows of the table ``metric``, with None for null."""
        for metric, step, time, value in self.points:
            name = POSTGRES.encode(metric)
            for one in zip(step.tolist(), time.tolist(), value.tolist(), strict=True):
                yield self.row.id, name, one[0], one[1], None if one[2] != one[2] else one[2]


def storable(value: Any) -> Any:
    """Return a value that PostgreSQL accepts: in texts, also inside lists and dictionaries, NUL becomes \\x00."""
    if isinstance(value, str):
        return value.replace("\0", "\\x00")
    if isinstance(value, list | tuple):
        return [storable(one) for one in value]
    if isinstance(value, dict):
        return {POSTGRES.encode(name): storable(one) for name, one in value.items()}
    return value


def fingerprint(folder: RunFolder) -> str:
    """Return a hash that changes with the ingested files of a run's folder and with the version of the tables."""
    parts = [str(VERSION)]
    parts += [_stat(path) for path in (folder.config_path, folder.labels_path, folder.metrics_path, folder.events_path)]
    parts += [f"{path.name}{_stat(path)}" for path in sorted(folder.evaluations.path.glob("*.json"))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def read_run(folder: RunFolder, metrics: MetricsService) -> RunToIngest:
    """Return the data of a run's folder. Raises NotIngested."""
    found = IndexedFolders()
    index_folder(folder, found)
    if not found.runs:
        raise NotIngested("; ".join(map(str, found.unreadable)) or "It cannot be read.")
    row = found.runs[0]
    if row.damage:
        raise NotIngested(f"It is damaged: {row.damage[0].get('problem', 'a file cannot be read')}")
    if not row.state.has_ended:
        raise NotIngested(f"It is {row.status}; runs are ingested after they end.")
    try:
        config, series = folder.read_config(), metrics.read(folder).series
        points = [(name, *_thinned(one.step, one.time, one.value)) for name, one in series.items()]
    except (RunFolderError, OSError) as error:
        raise NotIngested(str(error)) from error
    finally:
        metrics.forget_run(folder.run_id)
    evaluations = [one for one in found.evaluations if not one.is_by_run]
    return RunToIngest(row, config, evaluations, points)


def _thinned(step: Floats, time: Floats, value: Floats) -> tuple[Floats, Floats, Floats]:
    kept = kept_points(np.arange(len(value), dtype=np.float64), value, MOST_POINTS)
    return step[kept], time[kept], value[kept]


def _stat(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "-"
    return f"{found.st_size}/{found.st_mtime_ns}"


def _instant(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


_LOCK = 0x726C76697A
"""Advisory lock, held while tables are created and runs are ingested, so that machines take turns."""

_CONNECT_SECONDS = 15


class CentralDatabaseGone(RlvizError):
    status = 503
    title = "PostgreSQL does not answer"


class CentralDatabase:
    """A connection to PostgreSQL, opened by ``with``.

    Every method raises CentralDatabaseGone if the connection is lost. PostgreSQL then rolls back the open transaction.
    """

    def __init__(self, url: str) -> None:
        """Raises InvalidRequest if ``url`` is not a PostgreSQL address, or psycopg is not installed."""
        if urlsplit(url).scheme not in ("postgresql", "postgres"):
            raise InvalidRequest("Runs go into PostgreSQL: give its address, postgresql://user@host/database.")
        try:
            import psycopg
        except ImportError as error:
            raise InvalidRequest("PostgreSQL needs an optional package: pip install 'rlviz[postgres]'.") from error
        self._url, self._psycopg = url, psycopg
        self._connection: Any = None

    def __enter__(self) -> CentralDatabase:
        try:
            self._connection = self._psycopg.connect(
                self._url, autocommit=True, connect_timeout=_CONNECT_SECONDS, application_name="rlviz ingest"
            )
            self._prepare()
        except self._psycopg.Error as error:
            self.close()
            raise self._gone(error) from error
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def read_known_runs(self) -> dict[str, tuple[str, str]]:
        """Return machine and fingerprint of each run in the database, by run id."""
        rows = self._select(f"SELECT id, machine, fingerprint FROM {SCHEMA}.run")
        return {run_id: (machine, fingerprint) for run_id, machine, fingerprint in rows}

    def replace_run(self, run: RunToIngest, machine: str, fingerprint: str) -> None:
        """Write a run in one transaction, in place of its earlier rows. Raises NotIngested if PostgreSQL rejects a
        value."""
        columns = {**run.columns(), "machine": machine, "fingerprint": fingerprint}
        names, places = ", ".join(columns), ", ".join(["%s"] * len(columns))
        try:
            with self._connection.transaction(), self._connection.cursor() as cursor:
                cursor.execute(f"DELETE FROM {SCHEMA}.run WHERE id = %s", (run.row.id,))
                cursor.execute(f"INSERT INTO {SCHEMA}.run ({names}) VALUES ({places})", list(columns.values()))
                cursor.executemany(
                    f"INSERT INTO {SCHEMA}.evaluation VALUES (%s, %s, %s, to_timestamp(%s), %s, %s, %s)",
                    [_evaluation(one) for one in run.evaluations],
                )
                with cursor.copy(f"COPY {SCHEMA}.metric (run_id, name, step, time, value) FROM STDIN") as copy:
                    for row in run.metrics():
                        copy.write_row(row)
        except (self._psycopg.DataError, self._psycopg.IntegrityError) as error:
            raise NotIngested(f"PostgreSQL refuses it: {_first_line(error)}") from error
        except self._psycopg.Error as error:
            raise self._gone(error) from error

    def find_problems(self) -> dict[str, list[str]]:
        """Return the ids of inconsistent rows by problem, a key of INTEGRITY."""
        found = {what: [row[0] for row in self._select(sql)] for what, sql in INTEGRITY.items()}
        return {what: ids for what, ids in found.items() if ids}

    def _prepare(self) -> None:
        """Take the lock and create or upgrade the tables.

        Raises InvalidRequest if another machine holds the lock, or a newer version made the tables.
        """
        if not self._select("SELECT pg_try_advisory_lock(%s)", (_LOCK,))[0][0]:
            raise InvalidRequest("Another machine is copying its runs into this database. Try again when it is done.")
        with self._connection.transaction():
            self._connection.execute(TABLES)
            rows = self._connection.execute(f"SELECT version FROM {SCHEMA}.about").fetchall()
            there: int = rows[0][0] if rows else VERSION
            if there > VERSION:
                raise InvalidRequest(f"The tables are of version {there}, newer than {VERSION}. Update rlviz.")
            for version in range(there + 1, VERSION + 1):
                self._connection.execute(UPGRADES[version])
            self._connection.execute(VIEWS)
            self._connection.execute(
                f"INSERT INTO {SCHEMA}.about (version) VALUES (%s) ON CONFLICT (only_row) DO UPDATE "
                "SET version = excluded.version",
                (VERSION,),
            )

    def _select(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            rows: list[tuple[Any, ...]] = self._connection.execute(sql, parameters).fetchall()
        except self._psycopg.Error as error:
            raise self._gone(error) from error
        return rows

    def _gone(self, error: Exception) -> CentralDatabaseGone:
        address = urlsplit(self._url)
        where = f"{address.hostname or 'its socket'}{f':{address.port}' if address.port else ''}{address.path}"
        return CentralDatabaseGone(
            f"PostgreSQL at {where} failed: {_first_line(error)}. The run in progress was not stored. Fix the problem, "
            "then run the same command with --incremental."
        )


def _evaluation(row: Any) -> tuple[Any, ...]:
    record = json.dumps(storable(row.parsed().model_dump(mode="json")))
    return (row.run_id, row.id, row.status, row.created_at, row.return_mean, row.length_mean, record)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".")[:300] if lines else type(error).__name__


@dataclass
class Ingested:
    """The result of ``ingest``.

    ``unchanged``: number of runs that are up to date in the database. ``skipped``: the reason by run id. ``renamed``:
    metrics whose names PostgreSQL does not accept, each with its name there. ``problems``: ids by problem.
    """

    runs: list[str] = field(default_factory=list)
    evaluations: int = 0
    points: int = 0
    unchanged: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)


def ingest(
    folders: Sequence[RunFolder],
    database: CentralDatabase,
    *,
    machine: str,
    incremental: bool,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Ingested:
    """Copy each run of ``folders`` that has ended into ``database``. Repeating it gives the same rows.

    Args:
        folders: The runs.
        database: An open connection.
        machine: The name of this machine. Runs that another machine copied are skipped.
        incremental: Skip runs that have not changed since the last time.
        progress: Called with the number of runs done and the number of all runs.
    """
    report, metrics = Ingested(), MetricsService()
    known = database.read_known_runs()
    for done, folder in enumerate(folders):
        progress(done, len(folders))
        stamp = fingerprint(folder)
        owner, before = known.get(folder.run_id, (machine, ""))
        if owner != machine:
            report.skipped[folder.run_id] = f"It is already in the database, from {owner}."
        elif incremental and stamp == before:
            report.unchanged += 1
        else:
            try:
                run = read_run(folder, metrics)
                database.replace_run(run, machine, stamp)
            except NotIngested as reason:
                report.skipped[folder.run_id] = str(reason)
            else:
                report.runs.append(folder.run_id)
                report.evaluations += len(run.evaluations)
                report.points += run.count
                report.renamed |= run.renamed()
    progress(len(folders), len(folders))
    report.problems = database.find_problems()
    return report
