"""Reads what ``rlviz export`` wrote: metrics as CSV, JSON or Parquet, with the run's configuration beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import ImportRefused, RlvizError
from rlviz.domain.naming import TABLES
from rlviz.domain.plain_text import parse_csv_text
from rlviz.exchange.export import PLACE
from rlviz.exchange.imports.csv_logs import Comment, read_column_names, read_table
from rlviz.exchange.imports.found_run import (
    MOST_METRICS,
    MOST_VALUES,
    NO_STEP,
    BeyondBounds,
    FoundRun,
    Rows,
    StepOrder,
    to_step,
)
from rlviz.exchange.imports.json_rows import read_json_rows, select_numbers
from rlviz.rundir.files import read_document

SOURCE = "an export of rlviz"

CONFIGURATION = "config.json"

MOST_PARQUET_BYTES = 2_000_000_000
"""Maximum bytes of a Parquet file's unpacked pages, according to the file."""

CELLS_AT_ONCE = 100_000

_JSON = re.compile(rb'\[\s*\{\s*"seq"\s*:')
_WITH_A_CONFIGURATION = "metrics"
"""Name, without extension, of a file beside the configuration of its run."""

ENDINGS = (".parquet", ".csv", ".json")
"""Of files with one name and these extensions, only the first is read: they contain the same run."""


def is_exported(path: Path) -> bool:
    """Whether a file starts like an export. Raises OSError."""
    match path.suffix.lower():
        case ".csv":
            return has_own_columns(read_column_names(path))
        case ".json":
            with path.open("rb") as file:
                return _JSON.match(file.read(200)) is not None
        case ".parquet":
            return _parquet_columns(path)[: len(PLACE)] == list(PLACE)
    return False


def has_own_columns(names: list[str]) -> bool:
    """Return whether the columns are those of our own tables."""
    return names[: len(PLACE)] == list(PLACE)


def read_exported(path: Path, found: FoundRun) -> None:
    """Add its unchanged rows, and its configuration. Raises ImportRefused and OSError."""
    unit = "line" if path.suffix.lower() == ".csv" else "row"
    order = StepOrder(found.rows)
    for place, numbers in _rows(path, found.rows):
        place_of = {name: numbers.pop(name, None) for name in PLACE}
        if (step := to_step(place_of["step"])) is None:
            found.rows.leave_out(path.name, place, NO_STEP, unit)
            continue
        order.check(path.name, place, step, unit=unit)
        values = {TABLES.decode(name): value for name, value in numbers.items()}
        found.rows.add(step, place_of["time"], values)
    if path.stem == _WITH_A_CONFIGURATION:
        found.name = path.parent.name
        with suppress(OSError, RlvizError):
            _apply_configuration(read_document(path.with_name(CONFIGURATION), RunConfig), found)


def _apply_configuration(config: RunConfig, found: FoundRun) -> None:
    found.name, found.algo, found.env_id, found.seed = config.name, config.algo, config.env_id, config.seed
    found.total_timesteps = config.total_timesteps or None
    found.settings = dict(config.hyperparameters)


def _rows(path: Path, rows: Rows) -> Iterator[tuple[int, dict[str, float]]]:
    match path.suffix.lower():
        case ".csv":
            table = read_table(path, rows, has_own_columns, f"one of the columns {', '.join(PLACE)}")
            for row in table:
                if not isinstance(row, Comment):
                    yield row.line, {parse_csv_text(name): value for name, value in row.values.items()}
        case ".json":
            yield from ((place, select_numbers(row)) for place, row in read_json_rows(path, rows))
        case _:
            yield from _parquet_rows(path)


def _parquet_columns(path: Path) -> list[str]:
    """Return the columns of a Parquet file; empty for other files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):  # ValueError for a damaged schema
        return []


def _parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, float]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            columns = file.metadata.num_columns
            if columns > MOST_METRICS + len(PLACE) or file.metadata.num_rows > MOST_VALUES:
                raise BeyondBounds(f"{path.name} has more than {MOST_METRICS:,} metrics or {MOST_VALUES:,} rows.")
            groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
            if (size := sum(group.total_byte_size for group in groups)) > MOST_PARQUET_BYTES:
                raise BeyondBounds(
                    f"{path.name} would use {size:,} bytes, more than the limit of {MOST_PARQUET_BYTES:,}."
                )
            number = 0
            for batch in file.iter_batches(max(1, CELLS_AT_ONCE // max(1, columns))):
                for row in batch.to_pylist():
                    number += 1
                    yield number, select_numbers(row)
    except (pa.ArrowException, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise ImportRefused(f"{path.name} cannot be read as Parquet: {said}") from None
