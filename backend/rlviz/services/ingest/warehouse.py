"""CentralDatabase: the PostgreSQL that runs of several machines go into, one transaction a run."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from rlviz.domain.errors import InvalidRequest, RlvizError
from rlviz.services.ingest.schema import INTEGRITY, SCHEMA, TABLES, UPGRADES, VERSION, VIEWS
from rlviz.services.ingest.source import NotIngested, RunToIngest, storable

_LOCK = 0x726C76697A
"""Held while tables are made and runs go in, so that two machines take turns."""

_CONNECT_SECONDS = 15


class CentralDatabaseGone(RlvizError):
    status = 503
    title = "PostgreSQL does not answer"


class CentralDatabase:
    """Opened by ``with``. Raises CentralDatabaseGone wherever the connection is lost: what was begun is not there."""

    def __init__(self, url: str) -> None:
        """Raises InvalidRequest if ``url`` is none of PostgreSQL's, or psycopg is not installed."""
        if urlsplit(url).scheme not in ("postgresql", "postgres"):
            raise InvalidRequest("Runs go into PostgreSQL: give its address, postgresql://user@host/database.")
        try:
            import psycopg
        except ImportError as error:
            raise InvalidRequest("PostgreSQL needs an optional part: pip install 'rlviz[postgres]'.") from error
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

    def known(self) -> dict[str, tuple[str, str]]:
        """Machine and fingerprint of each run that is there."""
        rows = self._select(f"SELECT id, machine, fingerprint FROM {SCHEMA}.run")
        return {run_id: (machine, fingerprint) for run_id, machine, fingerprint in rows}

    def put(self, run: RunToIngest, machine: str, fingerprint: str) -> None:
        """Put a run in the place of what was there of it: all of it, or nothing. Raises NotIngested if PostgreSQL
        refuses a value of it."""
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

    def problems(self) -> dict[str, list[str]]:
        """What is there and must not be: by what is wrong, the ids."""
        found = {what: [row[0] for row in self._select(sql)] for what, sql in INTEGRITY.items()}
        return {what: ids for what, ids in found.items() if ids}

    def _prepare(self) -> None:
        """Raises InvalidRequest if somebody else is at it, or a newer version made the tables."""
        if not self._select("SELECT pg_try_advisory_lock(%s)", (_LOCK,))[0][0]:
            raise InvalidRequest("Another machine's runs are going in just now. Try again when they are.")
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
            f"PostgreSQL at {where} does not do what was asked: {_first_line(error)}. What was begun is not there; see "
            "to it, then run the same with --incremental."
        )


def _evaluation(row: Any) -> tuple[Any, ...]:
    record = json.dumps(storable(row.parsed().model_dump(mode="json")))
    return (row.run_id, row.id, row.status, row.created_at, row.return_mean, row.length_mean, record)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".")[:300] if lines else type(error).__name__
