"""Columns of the tables that can be asked about: what they hold, and their values as Arrow arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import orjson

Kind = Literal["text", "integer", "number", "truth", "time", "list"]

SQL_TYPES: dict[Kind, str] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "truth": "BOOLEAN",
    "time": "TIMESTAMP",
    "list": "VARCHAR[]",
}

_LARGEST = (1 << 63) - 1


@dataclass(frozen=True)
class ColumnAbout:
    """``source``: the SQLite expression that it is read by; empty for one that is read from elsewhere. ``is_return``:
    its unit is that of the environment's rewards."""

    name: str
    kind: Kind
    description: str
    source: str = ""
    is_return: bool = False


@dataclass(frozen=True, eq=False)
class FilledColumn:
    about: ColumnAbout
    values: Sequence[Any]

    @cached_property
    def arrow(self) -> Any:
        import pyarrow as pa

        match self.about.kind:
            case "text":
                return pa.array(self.values, pa.string())
            case "integer":
                return pa.array(self.values, pa.int64())
            case "number":
                return pa.array(self.values, pa.float64())
            case "truth":
                return pa.array([None if value is None else bool(value) for value in self.values], pa.bool_())
            case "time":
                micros = [None if value is None else int(value * 1e6) for value in self.values]
                return pa.array(micros, pa.int64()).cast(pa.timestamp("us"))
            case "list":
                lists = [orjson.loads(value) if value else [] for value in self.values]
                return pa.array(lists, pa.list_(pa.string()))


def setting_column(name: str, description: str, values: Sequence[Any]) -> FilledColumn:
    """A column of settings, whose kind is what all of its values are. Where they differ, it is JSON text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return FilledColumn(ColumnAbout(name, "truth", description), values)
    if kinds == {int} and all(value is None or abs(value) <= _LARGEST for value in values):
        return FilledColumn(ColumnAbout(name, "integer", description), values)
    if kinds and kinds <= {int, float}:
        return FilledColumn(ColumnAbout(name, "number", description), [_as_float(value) for value in values])
    texts = [value if value is None or isinstance(value, str) else orjson.dumps(value).decode() for value in values]
    return FilledColumn(ColumnAbout(name, "text", description), texts)


def _as_float(value: Any) -> float | None:
    return None if value is None else float(value)
