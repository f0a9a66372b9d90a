"""Checks SQL statements: only one SELECT is allowed, without functions that read files or memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from rlviz.domain.limits import LIMITS

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree"})
"""Functions that are allowed in FROM. All others are refused, because some read memory addresses or run a statement
given as text."""

ONLY_SELECT = (
    "Only one SELECT can be run: tables cannot be changed, and files, settings and extensions are out of reach. "
    "For a PIVOT, write FROM … PIVOT (… FOR column IN (…))."
)


class BadStatement(Exception):
    """A statement that cannot be run. ``position``: index of the wrong character; None if unknown."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Statement:
    """A checked statement. ``tables``: lower-case names of the tables that it reads, including its own CTEs."""

    sql: str
    tables: frozenset[str]


def check_statement(connection: Any, sql: str) -> Statement:
    """Return the statement if it may be run. Uses the parser of ``connection``, a DuckDB connection.

    Raises BadStatement.
    """
    if len(sql) > LIMITS.query.maximum:
        raise BadStatement(
            f"A statement may have at most {LIMITS.query.maximum:,} characters; this one has {len(sql):,}."
        )
    if "\0" in sql:
        raise BadStatement("A statement must not contain NUL characters.", sql.index("\0"))
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise BadStatement("A statement must be valid UTF-8.", error.start) from error
    parsed = orjson.loads(connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()[0])
    if parsed["error"]:
        raise BadStatement(*_explain_error(parsed, sql))
    if len(parsed["statements"]) != 1:
        raise BadStatement(ONLY_SELECT)
    tables: set[str] = set()
    for node in _nodes(parsed["statements"][0]):
        match node:
            case {"type": "TABLE_FUNCTION", "function": {"function_name": str(name)}}:
                if name.lower() not in TABLE_FUNCTIONS:
                    known = ", ".join(sorted(TABLE_FUNCTIONS))
                    place = character_index(sql, node.get("query_location"))
                    raise BadStatement(f"{name} cannot be used in FROM. These functions can: {known}.", place)
            case {"type": "BASE_TABLE", "table_name": str(name)}:
                tables.add(name.lower())
    return Statement(sql, frozenset(tables))


def character_index(sql: str, byte: Any) -> int | None:
    """Return the index of the character at DuckDB's index ``byte`` in UTF-8; None if there is none."""
    try:
        place = int(byte)
    except (TypeError, ValueError):
        return None
    content = sql.encode()
    return len(content[:place].decode(errors="ignore")) if 0 <= place <= len(content) else None


def _explain_error(parsed: dict[str, Any], sql: str) -> tuple[str, int | None]:
    if parsed["error_type"] == "not implemented":
        return ONLY_SELECT, None
    said = str(parsed["error_message"]).strip()
    return f"{said[:1].upper()}{said[1:]}.", character_index(sql, parsed.get("position"))


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in ``value``, without recursion, because a statement may be nested deeply."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
