"""Tables of runs, written as CSV, JSON or Parquet row by row, so that they may be of any length."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, islice
from typing import Any, BinaryIO, Literal

from rlviz.domain.config import RunConfig
from rlviz.domain.naming import TABLES
from rlviz.domain.plain_text import csv_text
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import all_rows


class TableFormat(StrEnum):
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


Kind = Literal["integer", "number", "text", "json"]

PLACE = ("seq", "time", "step")
"""What every row of metrics has."""

_ROWS_AT_ONCE = 20_000
_NONE = type(None)


@dataclass(frozen=True)
class Table:
    """``rows``: dictionaries, gone through once; one that lacks a column has nothing there. ``kinds``: of each column,
    which Parquet has to know. ``whole``: what JSON has instead. ``count``: of the rows, if it is known before.
    ``renamed``: metrics whose column has another name, and that name."""

    columns: Sequence[str]
    rows: Iterable[Mapping[str, Any]]
    kinds: Mapping[str, Kind]
    whole: Any = None
    count: int | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)


def of_metrics(folder: RunFolder) -> Table:
    """Return every row of the run's journal as it is now, with a column for each metric, named by ``TABLES``; what is
    not finite is empty. Raises RunFolderError."""
    types: dict[str, set[type]] = {name: set() for name in PLACE}
    named: dict[str, str] = {}
    count = 0
    for row in _metric_rows(folder, named):
        for name, value in row.items():
            types.setdefault(name, set()).add(type(value))
        count += 1
    columns = [*PLACE, *sorted(types.keys() - set(PLACE))]
    rows = islice(_metric_rows(folder, named), count)
    kinds = {name: _kind(types[name], of_none="integer") for name in columns}
    renamed = {name: column for name, column in named.items() if name != column}
    return Table(columns, rows, kinds, count=count, renamed=renamed)


def of_config(config: Mapping[str, Any]) -> Table:
    """A row for each setting: its JSON pointer, and its value. As JSON it is the configuration itself."""
    rows = [{"setting": path, "value": value} for path, value in _leaves("", config)]
    return Table(["setting", "value"], rows, {"setting": "text", "value": "json"}, config)


def of_runs(configs: Sequence[RunConfig]) -> Table:
    """A row for each run, under the names that the table ``runs`` of analytics has for them."""
    rows = [_settings(config) for config in configs]
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    return Table(columns, rows, {name: _kind({type(row.get(name)) for row in rows}) for name in columns})


def write_table(table: Table, form: TableFormat, file: BinaryIO) -> int:
    """How many rows were written. Raises OSError, and what reading the rows does."""
    write = {TableFormat.CSV: _write_csv, TableFormat.JSON: _write_json, TableFormat.PARQUET: _write_parquet}[form]
    count = write(table, file)
    file.flush()
    return count


def _metric_rows(folder: RunFolder, named: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield rows by column. ``named``: the column of each metric; new ones are added to it."""
    for row in all_rows(folder):
        for name in row["values"]:
            if name not in named:
                named[name] = TABLES.encode(name)
        yield {**{named[name]: value for name, value in row["values"].items()}, **{name: row[name] for name in PLACE}}


def _settings(config: RunConfig) -> dict[str, Any]:
    trial, parent = config.experiment, config.parent
    return {
        "id": config.run_id,
        "name": config.name,
        "algo": config.algo,
        "env_id": config.env_id,
        "preset": config.preset,
        "seed": config.seed,
        "group_id": config.group_id or config.run_id,
        "experiment_id": trial and trial.id,
        "experiment_variant": trial and trial.variant,
        "parent_id": parent and parent.run_id,
        "created_at": config.created_at.isoformat(),
        **{f"hp_{TABLES.escapes.encode(name)}": value for name, value in config.hyperparameters.items()},
        **{f"option_{TABLES.escapes.encode(name)}": value for name, value in config.env_options.items()},
    }


def _kind(types: Set[type], of_none: Kind = "text") -> Kind:
    """What a column with values of ``types`` is, which a damaged journal may mix; ``of_none`` without any."""
    found = types - {_NONE}
    if not found:
        return of_none
    if found == {int}:
        return "integer"
    return "number" if found <= {int, float} else "text"


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}", inner)
    else:
        yield path, value


def _write_csv(table: Table, file: BinaryIO) -> int:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, table.columns, restval="", lineterminator="\n")
    writer.writerow({name: csv_text(name) for name in table.columns})
    count = 0
    for row in table.rows:
        writer.writerow({name: _written(table.kinds[name], value) for name, value in row.items()})
        count += 1
    text.flush()
    text.detach()
    return count


def _write_json(table: Table, file: BinaryIO) -> int:
    if table.whole is not None:
        file.write(json.dumps(table.whole, indent=2, ensure_ascii=False).encode() + b"\n")
        return 1
    file.write(b"[")
    count = 0
    for row in table.rows:
        ordered = {name: row[name] for name in table.columns if name in row}
        file.write((b",\n" if count else b"\n") + json.dumps(ordered, ensure_ascii=False).encode())
        count += 1
    file.write(b"\n]\n")
    return count


def _write_parquet(table: Table, file: BinaryIO) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"integer": pa.int64(), "number": pa.float64(), "text": pa.string(), "json": pa.string()}
    schema = pa.schema([(name, types[table.kinds[name]]) for name in table.columns])
    buffer = file if file.seekable() else io.BytesIO()  # Parquet asks where it is, and a pipe does not know
    count, rows = 0, iter(table.rows)
    with pq.ParquetWriter(buffer, schema) as writer:
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            columns = [_cells(table.kinds[name], [row.get(name) for row in some]) for name in table.columns]
            writer.write_table(pa.table(columns, schema=schema))
            count += len(some)
    if isinstance(buffer, io.BytesIO) and buffer is not file:
        file.write(buffer.getvalue())
    return count


def _cells(kind: Kind, values: list[Any]) -> list[Any]:
    match kind:
        case "text":
            return [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
        case "json":
            return [json.dumps(value) for value in values]
        case "number":
            return [None if value is None else float(value) for value in values]
    return values


def _written(kind: Kind, value: Any) -> Any:
    """As a cell of CSV. Where a column has fractions its whole numbers have a point too: who guesses its type from the
    first rows guesses right."""
    if value is None:
        return ""
    if kind == "number" and isinstance(value, int):
        return f"{value}.0"
    return json.dumps(value) if isinstance(value, dict | list | bool) else csv_text(value)
