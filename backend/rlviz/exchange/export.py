"""Exports runs: tables as CSV, JSON or Parquet, TensorBoard event files, and several runs as one folder or zip archive.

Tables are written row by row, so they can be of any length. Event files are written without TensorBoard. The formats
are registered in ``rlviz.domain.export_formats``.
"""

from __future__ import annotations

import csv
import io
import json
import os
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

from rlviz.domain.config import RunConfig
from rlviz.domain.export_formats import RunsFormat, TableFormat
from rlviz.domain.naming import TABLES, TENSORBOARD
from rlviz.domain.plain_text import csv_text
from rlviz.exchange.bundle import write_bundle
from rlviz.exchange.protobuf import FIXED32, FIXED64, VARINT
from rlviz.exchange.protobuf import encode_field as protobuf_field
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import all_rows

Kind = Literal["integer", "number", "text", "json"]

PLACE = ("seq", "time", "step")
"""Columns that every row of metrics has."""

_ROWS_AT_ONCE = 20_000
_NONE = type(None)


@dataclass(frozen=True)
class Table:
    """A table to write.

    Attributes:
        columns: Names of the columns.
        rows: Rows as dictionaries, read once; missing columns are empty.
        kinds: Type of each column, which Parquet needs.
        whole: What JSON contains instead of the rows.
        count: Number of rows, if known in advance.
        renamed: Metrics whose column has another name, with that name.
    """

    columns: Sequence[str]
    rows: Iterable[Mapping[str, Any]]
    kinds: Mapping[str, Kind]
    whole: Any = None
    count: int | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)


def metrics_table(folder: RunFolder) -> Table:
    """Return all rows of the run's journal, with a column per metric, named by ``TABLES``; values that are not finite
    are empty. Raises RunFolderError."""
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


def config_table(config: Mapping[str, Any]) -> Table:
    """Return a row per setting: its JSON pointer and value. As JSON, the table is the configuration itself."""
    rows = [{"setting": path, "value": value} for path, value in _iterate_leaves("", config)]
    return Table(["setting", "value"], rows, {"setting": "text", "value": "json"}, config)


def runs_table(configs: Sequence[RunConfig]) -> Table:
    """Return a row per run, with the column names of the analytics table ``runs``."""
    rows = [_settings(config) for config in configs]
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    return Table(columns, rows, {name: _kind({type(row.get(name)) for row in rows}) for name in columns})


def write_table(table: Table, form: TableFormat, file: BinaryIO) -> int:
    """Write the table and return the number of rows. Raises OSError, and errors of reading the rows."""
    write = {TableFormat.CSV: _write_csv, TableFormat.JSON: _write_json, TableFormat.PARQUET: _write_parquet}[form]
    count = write(table, file)
    file.flush()
    return count


def _metric_rows(folder: RunFolder, named: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield rows by column. ``named`` is the column of each metric; new ones are added to it."""
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
    """Return the kind of a column with values of ``types``, which a damaged journal may mix; ``of_none`` without
    values."""
    found = types - {_NONE}
    if not found:
        return of_none
    if found == {int}:
        return "integer"
    return "number" if found <= {int, float} else "text"


def _iterate_leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _iterate_leaves(f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}", inner)
    else:
        yield path, value


def _write_csv(table: Table, file: BinaryIO) -> int:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, table.columns, restval="", lineterminator="\n")
    writer.writerow({name: csv_text(name) for name in table.columns})
    count = 0
    for row in table.rows:
        writer.writerow({name: _csv_cell(table.kinds[name], value) for name, value in row.items()})
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
    buffer = file if file.seekable() else io.BytesIO()  # Parquet needs the position, which a pipe does not have
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


def _csv_cell(kind: Kind, value: Any) -> Any:
    """Return a value as a CSV cell. In columns with fractions, whole numbers get a decimal point too, so that readers
    guess the right type from the first rows."""
    if value is None:
        return ""
    if kind == "number" and isinstance(value, int):
        return f"{value}.0"
    return json.dumps(value) if isinstance(value, dict | list | bool) else csv_text(value)


NAME = "events.out.tfevents.rlviz"
"""Fixed name of an export's event file, so that the next export replaces it."""

CONFIGURATION = "configuration"
"""Name of the text that holds a run's configuration in our event files."""

FRAME = struct.Struct("<QI")

_VERSION = protobuf_field(3, "brain.Event:2")
_STRING = protobuf_field(1, 7, VARINT)
"""TensorFlow's type number of strings."""
_TEXT_PLUGIN = protobuf_field(9, protobuf_field(1, protobuf_field(1, "text")) + protobuf_field(4, 2, VARINT))
"""Metadata that makes TensorBoard show a tensor on its text page."""


class EventFile:
    """Writes one event file of scalars. Tags are metric names as encoded by ``TENSORBOARD``."""

    def __init__(self, path: Path, configuration: str) -> None:
        """``configuration`` is JSON that TensorBoard shows on its text page. Raises OSError if the file already
        exists."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("xb")
        self._write(0.0, 0, _VERSION)
        fenced = configuration.replace("`", "\\u0060")  # equivalent JSON that cannot end the code block
        tensor = protobuf_field(8, _STRING + protobuf_field(8, f"```json\n{fenced}\n```"))
        self._write(
            0.0, 0, protobuf_field(5, protobuf_field(1, protobuf_field(1, CONFIGURATION) + tensor + _TEXT_PLUGIN))
        )

    def add(self, time: float, step: int, values: Mapping[str, float | None]) -> int:
        """Write scalars, except null and non-numbers; return how many. ``time`` is in Unix seconds."""
        scalars = [
            protobuf_field(1, protobuf_field(1, tag) + protobuf_field(2, value, FIXED32))
            for tag, value in values.items()
            if isinstance(value, int | float)
        ]
        if scalars:
            self._write(time, step, protobuf_field(5, b"".join(scalars)))
        return len(scalars)

    def flush(self) -> None:
        """Flush everything added so far to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def _write(self, time: float, step: int, what: bytes) -> None:
        self._file.write(frame_record(protobuf_field(1, time, FIXED64) + protobuf_field(2, step, VARINT) + what))


class WrittenEvents(NamedTuple):
    """Result of an export. ``values``: number of scalars; ``renamed``: metrics with another tag, with that tag."""

    values: int
    renamed: dict[str, str]


def write_event_files(rows: Iterable[Mapping[str, Any]], configuration: str, directory: Path) -> WrittenEvents:
    """Write scalars into one event file in ``directory``, completely or not at all; an earlier export is replaced.

    Args:
        rows: ``step``, ``time`` (Unix seconds) and ``values`` by metric, as in ``metrics.jsonl``.
        configuration: Configuration of the run, as JSON.
        directory: Folder to write to.

    Raises:
        FileExistsError: The folder has event files of other programs, which TensorBoard would merge into one run.
        OSError: A file cannot be read or written.
    """
    if others := [path.name for path in sorted(directory.glob("*tfevents*")) if path.name != NAME]:
        raise FileExistsError(
            f"{directory} already has event files ({others[0]}), and TensorBoard would draw both as one run. Choose "
            "another folder."
        )
    target = directory / NAME
    if os.path.lexists(target) and (target.is_symlink() or not target.is_file()):
        raise FileExistsError(f"{target} is not a regular file, and is not replaced. Choose another folder.")
    directory.mkdir(parents=True, exist_ok=True)
    tags: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix=".rlviz-", dir=directory) as beside:
        written = Path(beside) / NAME
        file = EventFile(written, configuration)
        try:
            count = sum(file.add(row["time"], row["step"], _rename_tags(row["values"], tags)) for row in rows)
        finally:
            file.close()
        written.replace(target)
    return WrittenEvents(count, TENSORBOARD.renamed(tags))


def _rename_tags(values: Mapping[str, float | None], tags: dict[str, str]) -> dict[str, float | None]:
    """Return values by tag. ``tags`` is the tag of each metric; new ones are added to it."""
    for name in values:
        if name not in tags:
            tags[name] = TENSORBOARD.encode(name)
    return {tags[name]: value for name, value in values.items()}


def frame_record(record: bytes) -> bytes:
    """Return a record with its length and checksums."""
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", masked_crc(length)) + record + struct.pack("<I", masked_crc(record))


def _crc_table() -> list[int]:
    """Return the table of the reflected Castagnoli polynomial."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ 0x82F63B78 if byte & 1 else byte >> 1
        table.append(byte)
    return table


_CRC = _crc_table()


def masked_crc(content: bytes) -> int:
    """Return the CRC-32C, masked as in TFRecord."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


_STORED = (".zip", ".parquet")
"""Extensions of files that are already compressed."""


def write_runs(
    folders: Sequence[RunFolder],
    form: RunsFormat,
    into: Path,
    *,
    policies: bool = True,
    snapshots: bool = False,
    on_progress: Callable[[int], None] = lambda done: None,
) -> dict[str, str]:
    """Write runs into the existing, empty folder ``into``.

    Bundles become ``<run id>.zip``; other formats get a folder per run, with its configuration. Tables also include
    one of the runs, ``runs``.

    Args:
        folders: Folders of the runs.
        form: Format.
        into: Folder to write to.
        policies: Whether bundles include policies.
        snapshots: Whether bundles include snapshots.
        on_progress: Called with the number of finished runs.

    Returns:
        Metrics that have another name in the export, with that name.

    Raises:
        RunFolderError: A run cannot be read.
        ArtifactNotFound: A run was deleted meanwhile.
        OSError: A file cannot be read or written.
    """
    configs: list[RunConfig] = []
    renamed: dict[str, str] = {}
    for done, folder in enumerate(folders):
        on_progress(done)
        folder.check()
        if form is RunsFormat.BUNDLE:
            with (into / f"{folder.run_id}.zip").open("xb") as file:
                write_bundle(folder, file, policies=policies, snapshots=snapshots)
            continue
        configs.append(config := folder.read_config())
        place = into / folder.run_id
        place.mkdir()
        (place / "config.json").write_bytes(read_small(folder.config_path, folder.path))
        if form is RunsFormat.TENSORBOARD:
            renamed |= write_event_files(all_rows(folder), config.model_dump_json(indent=1), place).renamed
        else:
            with (place / f"metrics.{form.extension}").open("xb") as file:
                table = metrics_table(folder)
                write_table(table, TableFormat(form), file)
                renamed |= table.renamed
    if form not in (RunsFormat.BUNDLE, RunsFormat.TENSORBOARD):
        with (into / f"runs.{form.extension}").open("xb") as file:
            write_table(runs_table(configs), TableFormat(form), file)
    on_progress(len(folders))
    return renamed


def zip_folder(folder: Path, name: str, target: BinaryIO) -> None:
    """Write everything below ``folder`` as a zip archive with one folder, ``name``. Raises OSError."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                how = zipfile.ZIP_STORED if path.suffix in _STORED else zipfile.ZIP_DEFLATED
                archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}", how)
