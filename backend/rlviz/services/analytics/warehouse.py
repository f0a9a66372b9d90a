"""Warehouse: tables in a DuckDB in memory that can be read, and nothing else."""

from __future__ import annotations

import datetime
import decimal
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

import duckdb
import orjson

from rlviz.services.analytics.statement import BadStatement, Statement, character, checked

SECONDS = 10.0
"""How long a statement may run."""

MEMORY = "512MB"
MOST_BYTES = 8 << 20
"""Size of the rows of one answer."""

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
    """``truncated``: there were more rows than these. ``types``: DuckDB's, of each column."""

    columns: list[str]
    types: list[str]
    rows: list[list[Any]]
    truncated: bool
    seconds: float


class Warehouse:
    """``tables``: Arrow tables by name. ``files``: the Parquet files that ``views`` read; statements cannot name them.
    ``close`` it after use."""

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
            allowed = ", ".join(quoted(name) for path in files for name in {str(path), pattern_of(path)})
            self._connection.execute(f"SET allowed_paths = [{allowed}]")
        for setting in _LOCKED:
            self._connection.execute(setting)

    def close(self) -> None:
        self._connection.close()

    def check(self, sql: str) -> Statement:
        """Raises BadStatement for all but one SELECT over the tables."""
        return checked(self._connection, sql)

    def answer(self, statement: Statement, parameters: Sequence[Any], most_rows: int) -> Answer:
        """Run it. Raises BadStatement, also if it takes too long or too much memory."""
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
            raise BadStatement(*_explained(error, sql)) from error
        finally:
            timer.cancel()


TOO_LONG = f"The query was stopped after {SECONDS:g} seconds. Ask for less: fewer runs, a WHERE, or fewer joins."
TOO_MUCH_MEMORY = f"The query needs more than {MEMORY} of memory. Ask for less: aggregate, or select fewer columns."


def pattern_of(path: Path) -> str:
    """Return the pattern that matches one file alone: DuckDB takes paths for patterns."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))


def quoted(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _explained(error: Exception, sql: str) -> tuple[str, int | None]:
    """What DuckDB said, and at which character."""
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
    return message if message.endswith((".", "!", "?")) else f"{message}.", character(sql, about.get("position"))


def _fetch(found: Any, most_rows: int) -> tuple[list[list[Any]], bool]:
    """Rows of what JSON can say, at most ``most_rows`` and MOST_BYTES of them, and whether there are more."""
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
