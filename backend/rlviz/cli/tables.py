"""A run's data as a table, written as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rlviz.cli.exits import Exit, Failure

FORMATS = ("csv", "json", "parquet")

_PLACE = ("seq", "time", "step")


@dataclass(frozen=True)
class Table:
    """``rows`` are dictionaries; one that lacks a column has nothing there. ``whole`` is what JSON has instead."""

    columns: list[str]
    rows: list[dict[str, Any]]
    whole: Any = None


def rows_of(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The rows of a metrics journal; a torn or broken line is left out."""
    for line in lines:
        try:
            row = json.loads(line)
            if row.keys() >= set(_PLACE) and isinstance(row["values"], dict):
                yield row
        except (ValueError, KeyError, AttributeError):
            continue


def of_metrics(lines: Iterable[str]) -> Table:
    """A row for each one of a metrics journal."""
    rows = [{**{name: row[name] for name in _PLACE}, **row["values"]} for row in rows_of(lines)]
    names = {name for row in rows for name in row}
    return Table([*_PLACE, *sorted(names.difference(_PLACE))], rows)


def of_config(config: dict[str, Any]) -> Table:
    """A row for each setting: its JSON pointer, and its value. As JSON it is the configuration itself."""
    rows = [{"setting": path, "value": value} for path, value in _leaves("", config)]
    return Table(["setting", "value"], rows, config)


def format_for(wanted: str | None, output: Path | None) -> str:
    """The format asked for, else that of the file's name. Raises Failure for a name that ends in neither."""
    if wanted is not None:
        return str(wanted)
    ending = output.suffix.lstrip(".").lower() if output is not None else "csv"
    if ending not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise Failure(Exit.BAD_INPUT, f"{output} does not say its format: end it in one of {known}, or give --format.")
    return ending


def check_target(wanted: str, output: Path | None, terminal: bool) -> None:
    """Raises Failure where the table could not be written, before anything is fetched."""
    if output is None:
        if wanted == "parquet" and terminal:
            raise Failure(Exit.BAD_INPUT, "Parquet cannot be printed. Give --output FILE, or pipe it on.")
    elif output.is_dir() or not output.absolute().parent.is_dir():
        raise Failure(Exit.BAD_INPUT, f"{output} cannot be written: it has to be a file in a folder that is there.")


def write_file(table: Table, wanted: str, path: Path) -> None:
    """Raises Failure where it cannot be written."""
    replace_file(path, lambda file: write(table, wanted, file))


def replace_file(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Write beside ``path``, then rename: it is there whole, or as it was. Raises Failure."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            with beside.open("wb") as file:
                fill(file)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise Failure(Exit.FAILED, f"{path} cannot be written ({error.strerror}).") from error


def write(table: Table, wanted: str, file: BinaryIO) -> None:
    {"csv": _write_csv, "json": _write_json, "parquet": _write_parquet}[wanted](table, file)
    file.flush()


def _write_csv(table: Table, file: BinaryIO) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, table.columns, restval="", lineterminator="\n")
    writer.writeheader()
    for row in table.rows:
        writer.writerow({name: _plain(value) for name, value in row.items()})
    text.flush()
    text.detach()


def _write_json(table: Table, file: BinaryIO) -> None:
    content = table.whole if table.whole is not None else table.rows
    file.write(json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")


def _write_parquet(table: Table, file: BinaryIO) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def column(name: str) -> pa.Array:
        values = [row.get(name) for row in table.rows]
        if table.whole is None:
            return pa.array(values, pa.int64() if name in ("seq", "step") else pa.float64())
        return pa.array([json.dumps(value) for value in values] if name == "value" else values, pa.string())

    buffer = io.BytesIO()  # Parquet seeks, and a pipe cannot
    pq.write_table(pa.table({name: column(name) for name in table.columns}), buffer)
    file.write(buffer.getvalue())


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict | list | bool) else value


def _leaves(path: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}", inner)
    else:
        yield path, value
