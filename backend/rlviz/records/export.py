"""Exports step records as NDJSON (one step record per line), CSV (one number per cell) or Minari (a dataset)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import orjson

from rlviz.domain.step_record import PolicyReading, StepRecord
from rlviz.records.about import READING, Components
from rlviz.records.minari import minari_archive
from rlviz.records.query import cells
from rlviz.records.reader import StepFile


class ExportFormat(StrEnum):
    NDJSON = "ndjson"
    CSV = "csv"
    PARQUET = "parquet"
    MINARI = "minari"


def export(file: StepFile, kind: ExportFormat) -> Iterator[bytes]:
    """The export in chunks. Memory: one row group; for Minari, one episode."""
    match kind:
        case ExportFormat.NDJSON:
            yield from _as_ndjson(file)
        case ExportFormat.CSV:
            yield from _as_csv(file)
        case ExportFormat.MINARI:
            yield from minari_archive(file)
        case ExportFormat.PARQUET:
            raise ValueError("The file is Parquet as it is.")


def _as_ndjson(file: StepFile) -> Iterator[bytes]:
    """Fields as in ``StepRecord``. Values that are not finite are null."""
    blank = StepRecord(episode=0, index=0).model_dump(mode="json")
    unread = PolicyReading().model_dump(mode="json") | {"squashed": file.about.squashed}
    for columns in file.by_group(file.names):
        values = {name: cells(file, name, column) for name, column in columns.items()}
        lines = []
        for row in zip(*values.values(), strict=True):
            found = dict(zip(values, row, strict=True))
            reading = {name.removeprefix(READING): found.pop(name) for name in values if name.startswith(READING)}
            lines.append(orjson.dumps(blank | found | {"reading": unread | reading if reading else None}))
        yield b"\n".join([*lines, b""])


def _as_csv(file: StepFile) -> Iterator[bytes]:
    """A header line of names, with units in brackets; a cell is empty where the record has null."""
    header: list[str] | None = None
    for columns in file.by_group(file.names):
        text = io.StringIO()
        writer = csv.writer(text)
        widths = {name: column.numbers.shape[1] if column.numbers.ndim > 1 else 0 for name, column in columns.items()}
        if header is None:
            header = [cell for name in file.names for cell in _headings(file, name, widths[name])]
            writer.writerow(header)
        cells_by_column = [
            _flat(columns[name].numbers.tolist(), columns[name].present, widths[name]) for name in file.names
        ]
        for row in zip(*cells_by_column, strict=True):
            writer.writerow([cell for part in row for cell in part])
        yield text.getvalue().encode()


def _headings(file: StepFile, name: str, width: int) -> list[str]:
    if not width:
        return [name]
    components = {"observation": file.about.observation, "action": file.about.action}.get(name)
    names = [_name_of(components, place) for place in range(width)]
    return [name] if width == 1 and names == ["0"] else [f"{name}.{part}" for part in names]


def _name_of(components: Components | None, place: int) -> str:
    """For instance ``pole angle [rad]``; the index where there is no name."""
    if components is None or components.layout.kind == "Discrete" or place >= len(components.labels):
        return str(place)
    unit = components.units[place] if place < len(components.units) else ""
    return f"{components.labels[place]} [{unit}]" if unit else components.labels[place]


def _flat(values: list[Any], present: Any, width: int) -> Iterator[list[Any]]:
    for value, there in zip(values, present.tolist(), strict=True):
        if not there:
            yield [None] * max(1, width)
        else:
            yield value if width else [value]
