"""Writes steps into a Parquet file that is complete or absent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.evaluation import StepsFacts
from rlviz.domain.recording import Actor
from rlviz.learning.records.about import COMPONENT, METADATA, READING, RecordedEpisode, RecordsAbout
from rlviz.rundir.files import atomic_write

ROWS_A_GROUP = 4_096
"""Number of rows that are collected and then read in one batch."""


@dataclass(eq=False, slots=True)
class Row:
    """A step record as numbers. Arrays are not changed afterwards.

    ``reading``: arrays or numbers by field. ``components``: the parts of the reward by name.
    ``cell``: id of the cell of the environment's world, if it has one.
    """

    episode: int
    index: int
    observation: NDArray[Any]
    observation_hash: bytes | None
    action: NDArray[Any] | None
    actor: Actor | None
    reward: float | None
    episode_return: float
    terminated: bool
    truncated: bool
    elapsed_ms: float
    frame_hash: bytes | None
    reading: dict[str, NDArray[Any]] = field(default_factory=dict)
    components: dict[str, float] = field(default_factory=dict)
    cell: int | None = None


class _Sink:
    """A file object that PyArrow writes to.

    An exception that passes through PyArrow's native code breaks CPython's count of nested calls, so ``check`` raises
    it later.
    """

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._error: OSError | None = None

    def write(self, content: Any) -> int:
        try:
            if self._error is None:
                self._file.write(content)
        except OSError as error:
            self._error = error
        return len(content)

    def tell(self) -> int:
        return self._file.tell()

    def flush(self) -> None:
        """Do nothing: ``atomic_write`` flushes the file."""

    def check(self) -> None:
        """Raise the first OSError of a write, if there was one."""
        if self._error is not None:
            raise self._error


class StepWriter:
    """Writes rows to ``path`` in groups, so that long episodes need no more memory.

    The end of the block puts the complete, synced file at ``path``; an exception leaves no file. Rows after
    ``max_bytes`` are dropped, and the metadata says that the file was cut. All rows have the same fields in their
    reading. Only components of the reward that are in the first group have a column, and cells if one is there.
    """

    def __init__(self, path: Path, folder: Path, about: RecordsAbout, *, max_bytes: int) -> None:
        """``folder`` is the run folder that contains ``path``."""
        self._path, self._folder, self._about, self._max_bytes = path, folder, about, max_bytes
        self._episodes: list[RecordedEpisode] = []
        self._waiting: list[Row] = []
        self._file: Any = None
        self._sink: Any = None
        self._parquet: Any = None
        self.squashed = False
        self._rows = 0
        self._cut = False
        self._block: AbstractContextManager[Any]
        self._facts: StepsFacts | None = None

    def __enter__(self) -> Self:
        self._block = atomic_write(self._path, self._folder)
        self._file = self._block.__enter__()
        self._sink = _Sink(self._file)
        return self

    def begin(self, episode: RecordedEpisode) -> None:
        self._episodes.append(episode)

    def add(self, row: Row) -> None:
        """Append a row. Raises OSError, for instance if the disk is full."""
        if self._cut:
            return
        self._waiting.append(row)
        if len(self._waiting) >= ROWS_A_GROUP:
            self._flush()
            self._cut = self._file.tell() >= self._max_bytes

    def facts(self) -> StepsFacts:
        """Return what was written, after the end of the block."""
        assert self._facts is not None
        return self._facts

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            try:
                self._finish()
            except BaseException as failure:
                self._abandon()
                self._block.__exit__(type(failure), failure, failure.__traceback__)
                raise
        else:
            self._abandon()
        self._block.__exit__(kind, error, trace)

    def _finish(self) -> None:
        self._flush()
        about = self._about.model_copy(update={"episodes": self._episodes, "cut": self._cut, "squashed": self.squashed})
        self._parquet.add_key_value_metadata({METADATA: about.model_dump_json().encode()})
        self._parquet.close()
        self._sink.check()
        size = self._file.tell()
        self._file.seek(0)
        self._facts = StepsFacts(
            file=self._path.relative_to(self._folder).as_posix(),
            rows=self._rows,
            size_bytes=size,
            blake2b=file_digest(self._file, "blake2b").hexdigest(),
            cut=self._cut,
        )

    def _abandon(self) -> None:
        if self._parquet is not None:
            with suppress(Exception):
                self._parquet.close()

    def _flush(self) -> None:
        arrow = _arrow()
        rows, self._waiting = self._waiting, []
        if self._parquet is None:
            self._learn_from(rows[0] if rows else None)
            self._schema = self._schema_of(rows)
            self._parquet = arrow.parquet.ParquetWriter(
                self._sink, self._schema, compression="zstd", compression_level=1, use_dictionary=["actor"]
            )
        if rows:
            columns = [_column(arrow, kind, rows) for kind in self._schema]
            table = arrow.Table.from_arrays(columns, schema=self._schema)
            self._parquet.write_table(table, row_group_size=ROWS_A_GROUP)
            self._sink.check()
            self._rows += len(rows)

    def _learn_from(self, first: Row | None) -> None:
        quantiles = first.reading.get("quantiles") if first is not None else None
        if quantiles is not None:
            self._about = self._about.model_copy(update={"quantiles": len(quantiles)})

    def _schema_of(self, rows: Sequence[Row]) -> Any:
        arrow, first = _arrow(), rows[0] if rows else None
        hashed = arrow.binary(16)
        fields = [("episode", arrow.int32()), ("index", arrow.int32())]
        if self._about.observation.layout.numbers:
            fields.append(("observation", _list_of(self._about.observation.layout.dtype)))
        if self._about.observation.layout.is_hashed:
            fields.append(("observation_hash", hashed))
        fields += [
            ("action", _list_of(self._about.action.layout.dtype)),
            ("actor", arrow.string()),
            ("reward", arrow.float64()),
            *(
                (COMPONENT + name, arrow.float64())
                for name in dict.fromkeys(key for row in rows for key in row.components)
            ),
            ("episode_return", arrow.float64()),
            ("terminated", arrow.bool_()),
            ("truncated", arrow.bool_()),
            ("elapsed_ms", arrow.float64()),
            ("frame_hash", hashed),
            *([("cell", arrow.int32())] if any(row.cell is not None for row in rows) else []),
        ]
        for name, value in (first.reading if first is not None else {}).items():
            kind = arrow.from_numpy_dtype(value.dtype)
            fields.append((READING + name, arrow.list_(kind) if value.ndim else kind))
        return arrow.schema(fields)


def _list_of(dtype: str) -> Any:
    arrow = _arrow()
    return arrow.list_(arrow.from_numpy_dtype(np.dtype(dtype)))


def _column(arrow: Any, kind: Any, rows: Sequence[Row]) -> Any:
    name: str = kind.name
    if name.startswith(READING):
        values: list[Any] = [row.reading.get(name.removeprefix(READING)) for row in rows]
    elif name.startswith(COMPONENT):
        values = [row.components.get(name.removeprefix(COMPONENT)) for row in rows]
    else:
        values = [getattr(row, name) for row in rows]
    if not arrow.types.is_list(kind.type):
        plain = [value.item() if isinstance(value, np.ndarray) else value for value in values]
        return arrow.array(plain, kind.type, from_pandas=False)
    present = [value if value.ndim == 1 else value.reshape(-1) for value in values if value is not None]
    lengths = [0 if value is None else value.size for value in values]
    numbers = arrow.array(np.concatenate(present) if present else np.empty(0), kind.type.value_type)
    # A null offset makes the list null. (For a mask, PyArrow would import all of its functions, which takes 0.2 s.)
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])
    missing = np.array([*(value is None for value in values), False])
    return arrow.ListArray.from_arrays(arrow.array(offsets, mask=missing), numbers, type=kind.type)


def _arrow() -> Any:
    import pyarrow
    import pyarrow.parquet

    return pyarrow
