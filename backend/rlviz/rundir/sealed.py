"""The sealed copy of a run's metrics: ``metrics.jsonl`` as columns that are read without parsing.

It consists of pieces: Parquet files that each cover a range of the journal, named by the range (bytes) and the hash
of the file. A piece is written once, atomically, and never changes. The journal remains the truth: a damaged piece,
or one that no longer matches the journal, is ignored, and all pieces can be deleted at any time.

A piece has the columns ``seq``, ``step``, ``time`` and ``values.<name>`` for each metric: null in rows without it,
NaN where the journal has null. It contains every row; ``SealedPiece.without`` leaves out superseded ones.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import Superseded
from rlviz.rundir.files import list_names, read_small, remove_leftovers, write_atomically
from rlviz.rundir.journal import open_journal

PIECE_BYTES = 1 << 23
"""Bytes of journal per piece, about 65,000 rows; the last piece of a finished run may be smaller."""

_MOST_STRETCH_BYTES, _MOST_FILE_BYTES = 4 * PIECE_BYTES, 8 * PIECE_BYTES
_LEAST_ROW_BYTES = 20
_MOST_VALUE_BYTES, _MOST_COLUMN_HEAD_BYTES = 9, 4_096
"""A piece outside these bounds was made by another program and is ignored."""

_VERSION = 2
"""Pieces of another version are ignored."""

_FILE = re.compile(r"(\d{15})-(\d{15})-([0-9a-f]{16})\.parquet")
_MARK_BYTES = 4_096
_METADATA = b"rlviz"
_PREFIX = "values."


class SealedColumn(NamedTuple):
    """A column of a piece. ``value`` (NaN for null), shape (m,), in the rows where ``present``, shape (n,), is true.

    ``present`` is None if every row has a value.
    """

    value: NDArray[np.float64]
    present: NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False)
class SealedRows:
    """Input for a piece: ``seq``, ``step`` and ``time`` (Unix seconds) of shape (n,), and the columns by name.

    ``broken_lines`` counts lines that are not records and were left out.
    """

    seq: NDArray[np.float64]
    step: NDArray[np.float64]
    time: NDArray[np.float64]
    columns: Mapping[str, SealedColumn]
    broken_lines: int


def column_name(metric: str) -> str:
    """Return the column name of a metric in a piece."""
    return f"{_PREFIX}{metric}"


class SealedPiece:
    """A piece that was read and checked. ``counts``: rows per metric, in order of first appearance."""

    def __init__(self, content: bytes) -> None:
        """Raises ValueError or LookupError if ``content`` is not a piece."""
        arrow = _arrow()
        from pyarrow.parquet import ParquetFile

        self._reader = ParquetFile(arrow.BufferReader(content))
        self._reading = Lock()  # the reader crashes if two threads use it at once
        metadata = self._reader.metadata
        _check_bounds(metadata)
        self.places = {metadata.schema.column(place).path: place for place in range(metadata.num_columns)}
        about = json.loads(metadata.metadata[_METADATA])
        if about["version"] != _VERSION:
            raise ValueError(f"Version {about['version']} is unknown; expected {_VERSION}.")
        self.start, self.end, self.mark = int(about["start"]), int(about["end"]), str(about["mark"])
        if metadata.num_rows * _LEAST_ROW_BYTES > self.end - self.start:
            raise ValueError("It has more rows than fit into its stretch of the journal.")
        self.broken_lines = int(about["broken_lines"])
        self.first, self.last = int(about["first"]), int(about["last"])
        self.counts: dict[str, int] = about["counts"]
        self._counted: NDArray[np.bool_] | None = None

    def has_any_of(self, rows: Superseded) -> bool:
        """Whether the piece may contain one of ``rows``."""
        return any(first <= self.last and self.first <= last for first, last in rows.merged)

    def without(self, superseded: Superseded) -> Self:
        """Return the piece without ``superseded`` rows, also in ``counts``."""
        if not self.has_any_of(superseded):
            return self
        seq = self._read("seq").value
        counted = np.ones(len(seq), dtype=np.bool_)
        for first, last in superseded.merged:
            counted &= (seq < first) | (seq > last)
        rest = copy(self)
        rest._counted = counted
        lengths = {name: len(rest.column(name).value) for name in self.counts}
        rest.counts = {name: length for name, length in lengths.items() if length}
        return rest

    def axis(self, name: Literal["step", "time"]) -> NDArray[np.float64]:
        """Return ``step`` or ``time`` of every row, shape (n,)."""
        every = self._read(name).value
        return every if self._counted is None else every[self._counted]

    def column(self, name: str) -> SealedColumn:
        """Return the column of a metric in ``counts``."""
        value, present = self._read(column_name(name))
        if self._counted is None:
            return SealedColumn(value, present)
        if present is None:
            return SealedColumn(value[self._counted], None)
        return SealedColumn(value[self._counted[present]], present[self._counted])

    def _read(self, name: str) -> SealedColumn:
        with self._reading:
            found = self._reader.read(columns=[name], use_threads=False)
        column: Any = found.column(name).combine_chunks()
        if not column.null_count:
            return SealedColumn(column.to_numpy(zero_copy_only=False), None)
        return SealedColumn(
            column.drop_null().to_numpy(zero_copy_only=False), column.is_valid().to_numpy(zero_copy_only=False)
        )


class SealedMetrics:
    """The pieces in ``folder`` that belong to ``journal``."""

    def __init__(self, folder: Path, journal: Path) -> None:
        self.folder, self.journal = folder, journal

    def pieces(self) -> list[SealedPiece]:
        """Return the pieces that cover the journal from its beginning without a gap."""
        return [piece for _, piece in self._chain()]

    def files(self) -> list[tuple[Path, SealedPiece]]:
        """Return the same pieces, each with its file."""
        return list(self._chain())

    def names(self) -> list[str]:
        """Return the file names, which change whenever something is sealed."""
        return [path.name for path, _, _ in self._files()]

    def end(self) -> int:
        """Return the sealed bytes of the journal according to file names only, without checking content."""
        end = 0
        for _, start, stop in self._files():
            end = stop if start == end else end
        return end

    def write(self, start: int, end: int, rows: SealedRows) -> None:
        """Add a piece with ``rows``, which are bytes ``start`` to ``end`` of the journal.

        Raises OSError (also if the run folder is gone; it is not created again) and RunFolderError.
        """
        with open_journal(self.journal) as journal:
            mark = _mark(journal, start, end)
        content = _encode(rows, {"version": _VERSION, "start": start, "end": end, "mark": mark})
        self.folder.mkdir(exist_ok=True)
        name = f"{start:015d}-{end:015d}-{_hash(content)}.parquet"
        write_atomically(self.folder / name, content, self.journal.parent)

    def sweep(self) -> int:
        """Delete pieces that are damaged or do not belong to the journal; return where the sealed part ends (bytes)."""
        remove_leftovers(self.folder, self.journal.parent)
        chain = list(self._chain())
        kept = {path for path, _ in chain}
        for path, _, _ in self._files():
            if path not in kept:
                _remove(path)
        return chain[-1][1].end if chain else 0

    def _chain(self) -> Iterator[tuple[Path, SealedPiece]]:
        files = self._files()
        if not files:
            return
        try:
            journal = open_journal(self.journal)
        except (OSError, RunFolderError):
            return
        end = 0
        with journal:
            for path, start, stop in files:
                if start == end and (piece := _open(path, start, stop)) is not None:
                    try:
                        belongs = _mark(journal, start, stop) == piece.mark
                    except OSError:
                        return
                    if belongs:
                        yield path, piece
                        end = stop

    def _files(self) -> list[tuple[Path, int, int]]:
        """Return the files with names of pieces, and the range of the journal in each name, in order."""
        names = list_names(self.folder, self.journal.parent)
        matches = [match for name in names if (match := _FILE.fullmatch(name))]
        return [(self.folder / match[0], int(match[1]), int(match[2])) for match in matches]


def _arrow() -> Any:
    """Import PyArrow on first use: the service starts without it.

    Configures it to return freed memory to the operating system.
    """
    import pyarrow

    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    return pyarrow


def _check_bounds(metadata: Any) -> None:
    """Raise ValueError for a file that expands to more than its rows and columns need."""
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    most = metadata.num_columns * (_MOST_VALUE_BYTES * metadata.num_rows + _MOST_COLUMN_HEAD_BYTES)
    if sum(group.total_byte_size for group in groups) > most:
        raise ValueError("Its columns are longer than its rows.")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _open(path: Path, start: int, end: int) -> SealedPiece | None:
    """Return the piece; None if it is damaged or does not match its name."""
    try:
        if end - start > _MOST_STRETCH_BYTES:
            return None
        content = read_small(path, limit=_MOST_FILE_BYTES)
        if _hash(content) != path.stem.rsplit("-", 1)[1]:
            return None
        piece = SealedPiece(content)
    except (OSError, ValueError, LookupError, RunFolderError):
        return None
    return piece if (piece.start, piece.end) == (start, end) else None


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


def _mark(journal: Any, start: int, end: int) -> str:
    """Return a fingerprint of the end of a range. It includes the times of the last rows, which differ between runs and
    ranges."""
    first = max(start, end - _MARK_BYTES)
    journal.seek(first)
    content = journal.read(end - first)
    return _hash(content) if len(content) == end - first else "too short"


def _encode(rows: SealedRows, about: dict[str, Any]) -> bytes:
    """Return a Parquet file. BYTE_STREAM_SPLIT encoding makes slowly changing columns tiny."""
    from pyarrow.parquet import write_table

    arrow = _arrow()
    axes = {"seq": rows.seq, "step": rows.step, "time": rows.time}
    columns: dict[str, Any] = {name: arrow.array(axis) for name, axis in axes.items()}
    for name, column in rows.columns.items():
        columns[column_name(name)] = _scatter(column)
    counts = {name: len(column.value) for name, column in rows.columns.items()}
    first, last = (int(rows.seq.min()), int(rows.seq.max())) if len(rows.seq) else (0, -1)
    about = {**about, "broken_lines": rows.broken_lines, "first": first, "last": last, "counts": counts}
    table = arrow.table(columns).replace_schema_metadata({_METADATA: json.dumps(about)})
    sink = arrow.BufferOutputStream()
    write_table(
        table,
        sink,
        row_group_size=max(1, len(rows.step)),
        compression="zstd",
        compression_level=3,
        use_dictionary=False,
        column_encoding="BYTE_STREAM_SPLIT",
        write_statistics=False,
    )
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _scatter(column: SealedColumn) -> Any:
    """Return the column with null in each row without a value."""
    if column.present is None:
        return _arrow().array(column.value)
    value = np.full(len(column.present), np.nan)
    value[column.present] = column.value
    return _arrow().array(value, mask=~column.present)
