"""The DuckDB tables that queries read.

``Warehouse`` is an in-memory DuckDB that can only be read. ``MetricTables`` builds the table ``metrics`` from sealed
copies and from the rest of the journals. ``Library`` rebuilds the warehouses when the catalogue has changed.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

import duckdb
import numpy as np
import orjson
import pyarrow as pa

from rlviz.domain.errors import RlvizError
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_size
from rlviz.rundir.metric_columns import WantedRows
from rlviz.rundir.metric_rows import superseded_rows
from rlviz.rundir.sealed import SealedMetrics, SealedPiece, column_name
from rlviz.server.analytics.statement import BadStatement, Statement, character_index, check_statement
from rlviz.server.analytics.tables import METRICS, SQL_TYPES, FilledColumn, RunTables
from rlviz.server.metrics.columns import read_series
from rlviz.stats.arrays import Series

SECONDS = 10.0
"""Seconds that a statement may run."""

MEMORY = "512MB"
MOST_BYTES = 8 << 20
"""Maximum size of the rows of one answer, in bytes of JSON."""

_ROWS_A_FETCH = 500
_LONGEST_TEXT = 10_000

_LOCKED = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET python_enable_replacements = false",
    "SET errors_as_json = true",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


@dataclass(frozen=True)
class Answer:
    """``truncated``: whether there are more rows. ``types``: DuckDB's type of each column."""

    columns: list[str]
    types: list[str]
    rows: list[list[Any]]
    truncated: bool
    seconds: float


class Warehouse:
    """A read-only DuckDB in memory. ``close`` it after use.

    Args:
        tables: Arrow tables by name.
        files: Parquet files that ``views`` read. Statements cannot name them.
        views: SELECT statements by name.
    """

    def __init__(
        self,
        tables: Mapping[str, Any],
        *,
        files: Sequence[Path] = (),
        views: Mapping[str, str] | None = None,
    ) -> None:
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY,
            "threads": "2",
            "max_temp_directory_size": "0B",
            "temp_directory": "",
        }
        self._connection = duckdb.connect(":memory:", config=config)
        for name, arrow in tables.items():
            self._connection.register("arriving", arrow)
            self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM arriving")
            self._connection.unregister("arriving")
        for name, view in (views or {}).items():
            self._connection.execute(f"CREATE VIEW {name} AS {view}")
        if files:
            allowed = ", ".join(sql_literal(name) for path in files for name in {str(path), pattern_of(path)})
            self._connection.execute(f"SET allowed_paths = [{allowed}]")
        for setting in _LOCKED:
            self._connection.execute(setting)

    def close(self) -> None:
        self._connection.close()

    def check(self, sql: str) -> Statement:
        """Return the checked statement. Raises BadStatement for anything but one SELECT over the tables."""
        return check_statement(self._connection, sql)

    def answer(self, statement: Statement, parameters: Sequence[Any], most_rows: int) -> Answer:
        """Run a statement. Raises BadStatement, also if it takes too long or too much memory."""
        begin = time.perf_counter()
        with self._limited(statement.sql):
            found = self._connection.execute(statement.sql, list(parameters))
            description = found.description or []
            rows, truncated = _fetch(found, most_rows)
        seconds = time.perf_counter() - begin
        return Answer([one[0] for one in description], [str(one[1]) for one in description], rows, truncated, seconds)

    @contextmanager
    def _limited(self, sql: str) -> Iterator[None]:
        timer = Timer(SECONDS, self._connection.interrupt)
        timer.start()
        try:
            yield
        except MemoryError as error:
            raise BadStatement(TOO_MUCH_MEMORY) from error
        except duckdb.Error as error:
            raise BadStatement(*_explain_error(error, sql)) from error
        finally:
            timer.cancel()


TOO_LONG = f"The query was stopped after {SECONDS:g} seconds. Ask for less: fewer runs, a WHERE, or fewer joins."
TOO_MUCH_MEMORY = f"The query needs more than {MEMORY} of memory. Ask for less: aggregate, or select fewer columns."


def pattern_of(path: Path) -> str:
    """Return a pattern that matches only ``path``, because DuckDB interprets paths as patterns."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))


def sql_literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _explain_error(error: Exception, sql: str) -> tuple[str, int | None]:
    """Return DuckDB's message and the index of the wrong character."""
    _, _, said = str(error).partition(": ")
    try:
        about = orjson.loads(said)
    except ValueError:
        about = {"exception_type": "", "exception_message": str(error)}
    match about["exception_type"]:
        case "INTERRUPT":
            return TOO_LONG, None
        case "Out of Memory":
            return TOO_MUCH_MEMORY, None
    message = " ".join(str(about["exception_message"]).split())[:600]
    return message if message.endswith((".", "!", "?")) else f"{message}.", character_index(sql, about.get("position"))


def _fetch(found: Any, most_rows: int) -> tuple[list[list[Any]], bool]:
    """Return rows of JSON values, at most ``most_rows`` and MOST_BYTES of them, and whether there are more."""
    rows: list[list[Any]] = []
    size = 0
    while batch := found.fetchmany(min(_ROWS_A_FETCH, most_rows + 1 - len(rows))):
        for row in batch:
            values = [_shortened(value) for value in row]
            size += len(orjson.dumps(values))
            if len(rows) == most_rows or (size > MOST_BYTES and rows):
                return rows, True
            rows.append(values)
    return rows, False


def _shortened(value: Any) -> Any:
    match value:
        case None | bool() | int():
            return value if not isinstance(value, int) or abs(value) < 1 << 63 else str(value)
        case float():
            return value if math.isfinite(value) else None
        case decimal.Decimal():
            return float(value)
        case datetime.datetime():
            return value.isoformat() + ("" if value.tzinfo else "Z")
        case str():
            return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}…"
        case list() | tuple():
            return [_shortened(one) for one in value[:_LONGEST_TEXT]]
        case dict():
            return {str(name): _shortened(one) for name, one in value.items()}
    return str(value)[:_LONGEST_TEXT]


MOST_UNSEALED_BYTES = 32 << 20
"""Maximum bytes of journals parsed for one table. Sealed copies have no limit."""

UNSEALED = "unsealed_metrics"


class _Column(NamedTuple):
    """Where to read a metric. ``left_out``: ranges of superseded rows; ``alone``: the only file with this column name,
    None if all files have it."""

    metric: str
    left_out: tuple[tuple[int, int], ...]
    column: str
    alone: Path | None = None


Files = dict[_Column, list[Path]]


@dataclass(frozen=True, eq=False)
class _RunParts:
    """The metrics of one run. ``files``: the sealed pieces by column. ``rest``: the series in the ``unsealed`` bytes of
    the journal; None if these are too many."""

    stamp: tuple[object, ...]
    files: Files
    unsealed: int
    rest: dict[str, Series] | None


@dataclass(frozen=True, eq=False)
class MetricTable:
    """``view`` is SQL over the Parquet ``files`` and over ``unsealed``, an Arrow table named UNSEALED."""

    view: str
    files: list[Path]
    unsealed: Any
    whole: int
    """Number of runs with all of their rows."""
    runs: int


class MetricTables:
    """Reads metrics of runs, and caches them until the journal or the sealed copy changes. Use it in one thread."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._known: dict[str, _RunParts] = {}

    def read(self, run_ids: Sequence[str]) -> MetricTable:
        """Return the metrics of runs. ``run_ids``: the most important first; if the journals are too long, those of the
        last runs are skipped."""
        budget, parts = MOST_UNSEALED_BYTES, {}
        for run_id in run_ids:
            found = self._parts(run_id, budget)
            parts[run_id] = found
            budget -= found.unsealed if found.rest is not None else 0
        self._known = parts
        files: Files = {}
        for one in parts.values():
            for what, paths in one.files.items():
                files.setdefault(what, []).extend(paths)
        every = list(dict.fromkeys(path for paths in files.values() for path in paths))
        whole = sum(one.rest is not None for one in parts.values())
        return MetricTable(_build_view_sql(files), every, _build_unsealed_table(parts), whole, len(run_ids))

    def _parts(self, run_id: str, budget: int) -> _RunParts:
        try:
            folder = RunFolder(self._runs_dir, run_id)
            superseded = superseded_rows(folder)
            sealed = SealedMetrics(folder.sealed, folder.metrics_path)
            size = journal_size(folder.metrics_path)
            stamp = (size, superseded, *sealed.names())
            known = self._known.get(run_id)
            if known is not None and known.stamp == stamp and (known.rest is not None or known.unsealed > budget):
                return known
            chain = sealed.files()
            files: Files = {}
            for path, piece in chain:
                left_out = superseded.merged if piece.has_any_of(superseded) else ()
                renamed = _find_renamed_columns(path, piece)
                for name in piece.counts:
                    column = column_name(name)
                    key = _Column(name, left_out, renamed.get(column, column), path if renamed else None)
                    files.setdefault(key, []).append(path)
            end = chain[-1][1].end if chain else 0
            wanted = WantedRows(superseded, only_valid=True)
            rest = read_series(folder, wanted, offset=end) if size - end <= budget else None
            return _RunParts(stamp, files, size - end, rest)
        except (OSError, RlvizError):  # it was deleted meanwhile, or is damaged
            return _RunParts((), {}, 0, None)


def _find_renamed_columns(path: Path, piece: SealedPiece) -> dict[str, str]:
    """Return DuckDB's name of each column of a file that has names differing only in case, which DuckDB renames. Empty
    for other files."""
    columns = list(piece.places)
    if len({column.casefold() for column in columns}) == len(columns):
        return {}
    with closing(duckdb.connect(":memory:")) as connection:
        described = connection.execute(f"DESCRIBE SELECT * FROM {_read_parquet_sql([path])}").fetchall()
    return {column: name for column, (name, *_) in zip(columns, described, strict=False)}


def _read_parquet_sql(paths: Sequence[Path]) -> str:
    listed = ", ".join(sql_literal(pattern_of(path)) for path in paths)
    return f"read_parquet([{listed}], filename = true, hive_partitioning = false)"


def _build_view_sql(files: Files) -> str:
    """Return SQL with one branch per metric, so that a condition on the name reads only one column."""
    names = ", ".join(f"{column.name}::{SQL_TYPES[column.kind]} AS {column.name}" for column in METRICS)
    branches = [f"SELECT {names} FROM {UNSEALED}"]
    for one, paths in files.items():
        column = '"{}"'.format(one.column.replace('"', '""'))
        superseded = (f"seq NOT BETWEEN {first} AND {last}" for first, last in one.left_out)
        branches.append(
            f"SELECT parse_path(filename)[-3], {sql_literal(one.metric)}, step, time, {column} "
            f"FROM {_read_parquet_sql(paths)} WHERE {' AND '.join([f'{column} IS NOT NULL', *superseded])}"
        )
    return " UNION ALL ".join(branches)


def _build_unsealed_table(parts: dict[str, _RunParts]) -> Any:
    """Return an Arrow table with one row per value of each series."""
    import pyarrow as pa

    found = [(run_id, name, one) for run_id, part in parts.items() for name, one in (part.rest or {}).items()]
    lengths = [len(series) for _, _, series in found]

    def repeated(values: Sequence[str]) -> Any:
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        indices = np.repeat(np.array([places[value] for value in values], dtype=np.int32), lengths)
        return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(list(places), pa.string()))

    def joined(field: str) -> Any:
        return np.concatenate([np.empty(0), *(getattr(series, field) for _, _, series in found)])

    return pa.table(
        {
            "run_id": repeated([run_id for run_id, _, _ in found]),
            "name": repeated([name for _, name, _ in found]),
            **{field: joined(field) for field in ("step", "time", "value")},
        }
    )


METRICS_TABLE = "metrics"

REFRESHING = 0.1
"""Maximum share of time spent on reading the tables again."""


class Library:
    """The warehouses of a runs folder. Use it in one thread, and call ``refresh`` before each query.

    Metrics are only read for queries that name the table ``metrics``.
    """

    def __init__(self, catalogue: Path) -> None:
        self._tables, self._metrics = RunTables(catalogue), MetricTables(catalogue.parent)
        self._version: int | None = None
        self._next_refresh = 0.0
        self._columns: Mapping[str, Sequence[FilledColumn]] = {}
        self._plain: Warehouse | None = None
        self._full: Warehouse | None = None
        self._notes: list[str] = []

    def refresh(self) -> None:
        """Read the tables again if they have changed, but spend at most the share REFRESHING of the time on it. While
        10,000 runs train, answers are a few seconds old."""
        version, begin = self._tables.version(), time.monotonic()
        if version == self._version or begin < self._next_refresh:
            return
        self._columns = self._tables.read()
        self._close()
        self._plain = Warehouse(self._arrow())
        self._version = version
        now = time.monotonic()
        self._next_refresh = now + (now - begin) / REFRESHING

    def check(self, sql: str) -> Statement:
        """Return the checked statement, and read metrics if it needs them. Raises BadStatement."""
        assert self._plain is not None, "refresh() comes first"
        statement = self._plain.check(sql)
        if METRICS_TABLE in statement.tables and self._full is None:
            self._full = self._with_metrics()
        return statement

    def answer(self, statement: Statement, parameters: Sequence[Any], most_rows: int) -> tuple[Answer, list[str]]:
        """Return the answer, and notes on missing data. Raises BadStatement."""
        about_metrics = METRICS_TABLE in statement.tables
        warehouse = self._full if about_metrics else self._plain
        assert warehouse is not None, "check() comes first"
        return warehouse.answer(statement, parameters, most_rows), self._notes if about_metrics else []

    def schema(self) -> dict[str, list[dict[str, str]]]:
        """Return the columns of each table, with their types and descriptions."""
        tables = {name: [column.about for column in columns] for name, columns in self._columns.items()}
        tables[METRICS_TABLE] = list(METRICS)
        return {
            name: [
                {"name": one.name, "type": SQL_TYPES[one.kind], "kind": one.kind, "description": one.description}
                for one in columns
            ]
            for name, columns in tables.items()
        }

    def _arrow(self) -> dict[str, pa.Table]:
        return {
            name: pa.table({column.about.name: column.arrow for column in columns})
            for name, columns in self._columns.items()
        }

    def _with_metrics(self) -> Warehouse:
        ids = self._columns["runs"][0].values
        table = self._metrics.read(ids)
        self._notes = []
        if table.whole < table.runs:
            self._notes = [
                f"metrics has all rows of {table.whole:,} of {table.runs:,} runs, and only sealed rows of the others: "
                "their journals are too long to read for one query, or cannot be read."
            ]
        tables = {**self._arrow(), UNSEALED: table.unsealed}
        return Warehouse(tables, files=table.files, views={METRICS_TABLE: table.view})

    def _close(self) -> None:
        for warehouse in (self._plain, self._full):
            if warehouse is not None:
                warehouse.close()
        self._plain = self._full = None
