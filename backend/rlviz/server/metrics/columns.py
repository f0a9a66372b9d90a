"""Collect the rows of a metrics journal as one series for each metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import READ_BYTES, JournalTail, offset_after
from rlviz.rundir.metric_columns import BLOCK_BYTES, Column, Table, WantedRows, read_tables, tables_of
from rlviz.stats.arrays import Floats, Series

_FIRST_CAPACITY = 256


class Columns:
    """The values of each metric, which grow with the journal: 8 bytes a value, and 16 bytes for step and time.

    Metrics that occur in the same rows share step and time. One thread may append while others read, without a lock.
    Returned series never change: rows are counted when they are complete, never modified, and copied when an array
    grows. Two threads must not append. Spare capacity takes no memory, since it is never written.
    """

    def __init__(self) -> None:
        self._blocks: dict[str, _Block] = {}

    def append(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Add records in the form of MetricRecord; return how many were invalid, which are left out.

        Takes about 0.4 µs a record in batches of hundreds.
        """
        found, refused = tables_of(list(records))
        self.extend(found)
        return refused

    def extend(self, tables: Iterable[Table]) -> None:
        """Add the rows of ``tables``."""
        for table in tables:
            added: dict[str, _Block] = {}
            for columns in _by_rows(table):
                for block, names in self._blocks_of(columns):
                    step, time, _ = table.rows_of(columns[names[0]])
                    block.extend(step, time, {name: columns[name].value for name in names})
                    added |= {name: block for name in names if name not in self._blocks}
            if added:  # a new dict, since another thread may iterate over the old one
                self._blocks = self._blocks | {name: added[name] for name in table.values if name in added}

    def names(self) -> list[str]:
        """Return the names of the metrics in the order of their first rows."""
        return list(self._blocks)

    def all_series(self) -> dict[str, Series]:
        return {name: self.series(name) for name in self._blocks}

    def series(self, name: str) -> Series:
        """Return all rows of ``name`` so far; empty if it was never logged."""
        block = self._blocks.get(name)
        return Series(*np.empty((3, 0))) if block is None else block.series(name)

    def _blocks_of(self, names: Iterable[str]) -> list[tuple[_Block, list[str]]]:
        """Return blocks that hold exactly the given metrics, each with its names. Splits blocks where needed."""
        wanted: dict[_Block | None, list[str]] = {}
        for name in names:
            wanted.setdefault(self._blocks.get(name), []).append(name)
        found = []
        for block, members in wanted.items():
            if block is None:
                own = _Block(members)
            elif len(members) == len(block.names):
                own = block
            else:
                own, rest = block.copy(members), block.copy([name for name in block.names if name not in members])
                self._blocks |= dict.fromkeys(rest.names, rest) | dict.fromkeys(members, own)
            found.append((own, members))
        return found


class _Block:
    """Metrics that have occurred in the same rows: step, time and values as lines of an array with spare capacity."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._places = {name: place for place, name in enumerate(names, 2)}
        self._buffer = np.empty((2 + len(names), _FIRST_CAPACITY))
        self._count = 0

    def extend(self, step: Floats, time: Floats, values: Mapping[str, Floats]) -> None:
        """Append rows, with a value for each of ``names``; all arrays have the shape (n,)."""
        count = self._count + len(step)
        if count > self._buffer.shape[1]:
            buffer = np.empty((len(self._buffer), max(count, 2 * self._buffer.shape[1])))
            buffer[:, : self._count] = self._buffer[:, : self._count]
            self._buffer = buffer
        new = self._buffer[:, self._count : count]
        new[0], new[1] = step, time
        for name, value in values.items():
            new[self._places[name]] = value
        self._count = count

    def copy(self, names: Sequence[str]) -> _Block:
        """Return a block that has only ``names``. This one stays as it is for those who read it."""
        block = _Block(names)
        step, time, *_ = self._buffer[:, : self._count]
        block.extend(step, time, {name: self.series(name).value for name in names})
        return block

    def series(self, name: str) -> Series:
        """Return read-only views of shape (n,). Reads the count first, since every later buffer has at least as many
        rows."""
        count = self._count
        rows = self._buffer[:, :count]
        rows.flags.writeable = False
        return Series(rows[0], rows[1], rows[self._places[name]])


def _by_rows(table: Table) -> list[dict[str, Column]]:
    """Return the columns of ``table``, those in the same rows together."""
    groups: list[tuple[NDArray[np.intp] | None, dict[str, Column]]] = []
    for name, column in table.values.items():
        for row, columns in groups:
            if row is column.row or (row is not None and column.row is not None and np.array_equal(row, column.row)):
                columns[name] = column
                break
        else:
            groups.append((column.row, {name: column}))
    return [columns for _, columns in groups]


def read_series(
    folder: RunFolder,
    wanted: WantedRows,
    *,
    offset: int | None = None,
    most_bytes: int | None = None,
    skip_damaged: bool = False,
) -> dict[str, Series]:
    """Read series by name directly from the journal of a run.

    Args:
        folder: The run.
        wanted: The rows to read.
        offset: Byte to start at; None: where rows after ``wanted.after`` start.
        most_bytes: Stop after about this many bytes; None: at the end.
        skip_damaged: If the journal cannot be read to its end, return the rows before.

    Raises RunFolderError.
    """
    columns = Columns()
    block_bytes = BLOCK_BYTES if most_bytes is None else READ_BYTES  # the smaller the block, the closer to most_bytes
    try:
        if offset is None:
            offset = offset_after(folder.metrics_path, wanted.after, "seq") if wanted.after else 0
        tail = JournalTail(folder.metrics_path, offset)
        for found in read_tables(tail, wanted, block_bytes=block_bytes):
            columns.extend(found.tables)
            if most_bytes is not None and tail.offset - offset >= most_bytes:
                break
    except RunFolderError:
        if not skip_damaged:
            raise
    return columns.all_series()
