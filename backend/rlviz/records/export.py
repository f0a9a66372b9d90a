"""Exports step records as NDJSON (one step record per line), CSV (one number per cell) or Minari (a dataset)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import orjson

from rlviz.domain.errors import NotExportable
from rlviz.domain.plain_text import csv_text
from rlviz.domain.step_record import PolicyReading, StepRecord
from rlviz.records.about import METADATA, READING, Components
from rlviz.records.minari import minari_archive
from rlviz.records.query import Selection, cells
from rlviz.records.reader import StepFile


class ExportFormat(StrEnum):
    NDJSON = "ndjson"
    CSV = "csv"
    PARQUET = "parquet"
    MINARI = "minari"


def export(
    file: StepFile, kind: ExportFormat, *, episode: int | None = None, where: Sequence[str] = ()
) -> Iterator[bytes]:
    """The records of ``episode``, or of all, for which the conditions ``where`` hold, in chunks. Memory: one row group;
    for Minari, one episode. Raises InvalidRequest, and NotExportable for what the format cannot hold."""
    selection = Selection(file, episode, where)
    match kind:
        case ExportFormat.NDJSON:
            yield from _as_ndjson(file, selection)
        case ExportFormat.CSV:
            yield from _as_csv(file, selection)
        case ExportFormat.PARQUET:
            yield from _as_parquet(file, selection)
        case ExportFormat.MINARI:
            if selection.has_conditions:
                raise NotExportable(
                    "A Minari dataset holds whole episodes. Leave the conditions out, or export NDJSON, CSV or Parquet."
                )
            yield from minari_archive(file, episode)


def _as_parquet(file: StepFile, selection: Selection) -> Iterator[bytes]:
    """As the file itself, its metadata included."""
    arrow = _arrow()
    sink = _Pieces()
    with arrow.parquet.ParquetWriter(sink, file.schema, compression="zstd") as writer:
        writer.add_key_value_metadata({METADATA: file.about.model_dump_json().encode()})
        for group, rows, _ in selection.by_group([]):
            if len(rows):
                writer.write_table(file.table(group).take(arrow.array(rows)))
            yield sink.take()
    yield sink.take()


class _Pieces:
    """A file as PyArrow writes to it, which is taken away piece by piece."""

    closed = False

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._written = 0

    def write(self, content: Any) -> int:
        self._waiting.append(bytes(content))
        self._written += len(content)
        return len(content)

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        taken, self._waiting = b"".join(self._waiting), []
        return taken


def _arrow() -> Any:
    import pyarrow
    import pyarrow.parquet

    return pyarrow


def _as_ndjson(file: StepFile, selection: Selection) -> Iterator[bytes]:
    """Fields as in ``StepRecord``. Values that are not finite are null."""
    blank = StepRecord(episode=0, index=0).model_dump(mode="json")
    unread = PolicyReading().model_dump(mode="json", exclude={"places"}) | {"squashed": file.about.squashed}
    for _, _, columns in selection.by_group(file.names):
        values = {name: cells(file, name, column) for name, column in columns.items()}
        lines = []
        for row in zip(*values.values(), strict=True):
            found = dict(zip(values, row, strict=True))
            reading = {name.removeprefix(READING): found.pop(name) for name in values if name.startswith(READING)}
            lines.append(orjson.dumps(blank | found | {"reading": unread | reading if reading else None}))
        yield b"\n".join([*lines, b""]) if lines else b""


def _as_csv(file: StepFile, selection: Selection) -> Iterator[bytes]:
    """A header line of names, with units in brackets; a cell is empty where the record has null."""
    header: list[str] | None = None
    widths: dict[str, int] = {}
    for _, _, columns in selection.by_group(file.names):
        text = io.StringIO()
        writer = csv.writer(text)
        if header is None:  # readings may be missing from some place on, but not from the beginning
            widths = {name: one.numbers.shape[1] if one.numbers.ndim > 1 else 0 for name, one in columns.items()}
            header = [cell for name in file.names for cell in _headings(file, name, widths[name])]
            writer.writerow(map(csv_text, header))
        cells_by_column = [
            _flat(columns[name].numbers.tolist(), columns[name].present, widths[name]) for name in file.names
        ]
        for row in zip(*cells_by_column, strict=True):
            writer.writerow([csv_text(cell) for part in row for cell in part])
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
