"""Library: the warehouses of a runs folder, made again when the catalogue has changed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from rlviz.services.analytics.columns import SQL_TYPES, FilledColumn
from rlviz.services.analytics.metric_table import UNSEALED, MetricTables
from rlviz.services.analytics.run_columns import METRICS
from rlviz.services.analytics.statement import Statement
from rlviz.services.analytics.tables import RunTables
from rlviz.services.analytics.warehouse import Answer, Warehouse

METRICS_TABLE = "metrics"

REFRESHING = 0.1
"""Share of the time that is spent on reading the tables again, at most."""


class Library:
    """For one thread. ``refresh`` comes before each question; metrics are read for those that are about them."""

    def __init__(self, catalogue: Path) -> None:
        self._tables, self._metrics = RunTables(catalogue), MetricTables(catalogue.parent)
        self._version: int | None = None
        self._next_refresh = 0.0
        self._read: Mapping[str, Sequence[FilledColumn]] = {}
        self._plain: Warehouse | None = None
        self._full: Warehouse | None = None
        self._notes: list[str] = []

    def refresh(self) -> None:
        """Read what has changed since the last question, unless that would take more than REFRESHING of the time: while
        ten thousand runs train, answers are a few seconds old."""
        version, begin = self._tables.version(), time.monotonic()
        if version == self._version or begin < self._next_refresh:
            return
        self._read = self._tables.read()
        self._close()
        self._plain = Warehouse(self._arrow())
        self._version = version
        now = time.monotonic()
        self._next_refresh = now + (now - begin) / REFRESHING

    def check(self, sql: str) -> Statement:
        """Raises BadStatement."""
        assert self._plain is not None, "refresh() comes first"
        statement = self._plain.check(sql)
        if METRICS_TABLE in statement.tables and self._full is None:
            self._full = self._with_metrics()
        return statement

    def answer(self, statement: Statement, parameters: Sequence[Any], most_rows: int) -> tuple[Answer, list[str]]:
        """The answer, and what has to be said about it. Raises BadStatement."""
        about_metrics = METRICS_TABLE in statement.tables
        warehouse = self._full if about_metrics else self._plain
        assert warehouse is not None, "check() comes first"
        return warehouse.answer(statement, parameters, most_rows), self._notes if about_metrics else []

    def schema(self) -> dict[str, list[dict[str, str]]]:
        """The columns of each table, with their types and what they hold."""
        tables = {name: [column.about for column in columns] for name, columns in self._read.items()}
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
            for name, columns in self._read.items()
        }

    def _with_metrics(self) -> Warehouse:
        ids = self._read["runs"][0].values
        table = self._metrics.read(ids)
        self._notes = []
        if table.whole < table.runs:
            self._notes = [
                f"metrics has all rows of {table.whole:,} of {table.runs:,} runs: of the others what is sealed alone, "
                "since their journals are too long to be read for one question, or cannot be read."
            ]
        tables = {**self._arrow(), UNSEALED: table.unsealed}
        return Warehouse(tables, files=table.files, views={METRICS_TABLE: table.view})

    def _close(self) -> None:
        for warehouse in (self._plain, self._full):
            if warehouse is not None:
                warehouse.close()
        self._plain = self._full = None
