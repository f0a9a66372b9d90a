"""A statement that may be run: one SELECT, over the tables there are, and with no function that reads elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from rlviz.domain.limits import LIMITS

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree"})
"""Those that can stand in FROM. All others are refused, whatever else may keep them from reading files: some take
addresses in memory, or a statement as text."""

ONLY_SELECT = (
    "Only one SELECT can be run: tables cannot be changed, and files, settings and extensions are out of reach. "
    "For a PIVOT, write FROM … PIVOT (… FOR column IN (…))."
)


class BadStatement(Exception):
    """``position``: of the character, from 0, at which it is wrong; None where that is not known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Statement:
    """``tables``: names in lower case of what it reads, names of its own included."""

    sql: str
    tables: frozenset[str]


def checked(connection: Any, sql: str) -> Statement:
    """Raises BadStatement. ``connection``: DuckDB's, whose own parser is asked."""
    if len(sql) > LIMITS.query.maximum:
        raise BadStatement(f"A statement has at most {LIMITS.query.maximum:,} characters, and this has {len(sql):,}.")
    if "\0" in sql:
        raise BadStatement("A statement has no NUL characters.", sql.index("\0"))
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise BadStatement("A statement has to be text that can be encoded as UTF-8.", error.start) from error
    parsed = orjson.loads(connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()[0])
    if parsed["error"]:
        raise BadStatement(*_explained(parsed, sql))
    if len(parsed["statements"]) != 1:
        raise BadStatement(ONLY_SELECT)
    tables: set[str] = set()
    for node in _nodes(parsed["statements"][0]):
        match node:
            case {"type": "TABLE_FUNCTION", "function": {"function_name": str(name)}}:
                if name.lower() not in TABLE_FUNCTIONS:
                    known = ", ".join(sorted(TABLE_FUNCTIONS))
                    place = character(sql, node.get("query_location"))
                    raise BadStatement(f"{name} cannot be used in FROM. Of functions {known} can.", place)
            case {"type": "BASE_TABLE", "table_name": str(name)}:
                tables.add(name.lower())
    return Statement(sql, frozenset(tables))


def character(sql: str, byte: Any) -> int | None:
    """The place, in characters, of what DuckDB counts in bytes."""
    try:
        place = int(byte)
    except (TypeError, ValueError):
        return None
    content = sql.encode()
    return len(content[:place].decode(errors="ignore")) if 0 <= place <= len(content) else None


def _explained(parsed: dict[str, Any], sql: str) -> tuple[str, int | None]:
    if parsed["error_type"] == "not implemented":
        return ONLY_SELECT, None
    said = str(parsed["error_message"]).strip()
    return f"{said[:1].upper()}{said[1:]}.", character(sql, parsed.get("position"))


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object within ``value``, without recursion: a statement may be nested deeply."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
