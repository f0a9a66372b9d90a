"""Columns: the rows of a metrics journal as arrays, one set for each metric name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rlviz.analysis.arrays import Floats

_FIRST_CAPACITY = 256


@dataclass(frozen=True, eq=False)
class Series:
    """One metric over a run: ``step``, ``time`` (Unix seconds) and ``value`` (NaN for null), each of shape (n,).

    Read-only views in journal order; rows appended later do not show in them.
    """

    step: Floats
    time: Floats
    value: Floats

    def __len__(self) -> int:
        return len(self.value)


class Columns:
    """The values of each metric name, grown as the journal grows: 24 bytes a value.

    Room kept for growing is not touched, so that the operating system gives no memory for it.

    One thread may append while others read, without a lock. What readers get never changes: a row is
    counted only once it is whole, rows are never changed, and growing copies. Two threads must not append.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}

    def append(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Add ``records``, each as MetricRecord describes it; return how many were no such records.

        Those are left out, for the caller to report. Cost: about 0.4 µs a record in batches of hundreds.
        """
        batch = list(records)
        if not batch:
            return 0
        blocks = _transpose(batch)
        if blocks is None:
            if len(batch) == 1:
                return 1
            middle = len(batch) // 2
            return self.append(batch[:middle]) + self.append(batch[middle:])
        for name, block in blocks.items():
            self._tables.setdefault(name, _Table()).extend(block)
        return 0

    def names(self) -> list[str]:
        """Names in the order of their first row."""
        return list(self._tables)

    def series(self, name: str) -> Series:
        """All rows of ``name`` so far; none if it was never logged."""
        table = self._tables.get(name)
        return Series(*(table.rows() if table else np.empty((3, 0))))


class _Table:
    """Rows of shape (3,): step, time, value; kept as the columns of an array with room to spare."""

    def __init__(self) -> None:
        self._buffer = np.empty((3, _FIRST_CAPACITY))
        self._count = 0

    def extend(self, block: Floats) -> None:
        """Append ``block`` of shape (3, n)."""
        count = self._count + block.shape[1]
        if count > self._buffer.shape[1]:
            buffer = np.empty((3, max(count, 2 * self._buffer.shape[1])))
            buffer[:, : self._count] = self._buffer[:, : self._count]
            self._buffer = buffer
        self._buffer[:, self._count : count] = block
        self._count = count

    def rows(self) -> Floats:
        """A read-only view of shape (3, n). The count is read first: every later buffer holds as many rows."""
        count = self._count
        rows = self._buffer[:, :count]
        rows.flags.writeable = False
        return rows


def _transpose(batch: Sequence[Mapping[str, Any]]) -> dict[str, Floats] | None:
    """By metric name an array of shape (3, n): step, time and value of its rows. None if a record is malformed."""
    try:
        step = _numbers([record["step"] for record in batch])
        time = _numbers([record["time"] for record in batch])
        values: list[Mapping[str, Any]] = [record["values"] for record in batch]
        if np.isnan(step).any() or np.isnan(time).any() or set(map(type, values)) != {dict}:
            return None
        names = list(map(tuple, values))
        if len(set(names)) == 1:
            return {name: np.stack([step, time, _column(values, name)]) for name in names[0]}
        return _transpose_mixed(step, time, values)
    except (LookupError, TypeError, ValueError, OverflowError):
        return None


def _transpose_mixed(step: Floats, time: Floats, values: Sequence[Mapping[str, Any]]) -> dict[str, Floats]:
    """The general case: not every record has every name."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, record in enumerate(values):
        for name in record:
            rows[name].append(row)
    return {
        name: np.stack([step[having], time[having], _column([values[row] for row in having], name)])
        for name, having in rows.items()
    }


def _column(values: Sequence[Mapping[str, Any]], name: str) -> Floats:
    return _numbers([record[name] for record in values])


def _numbers(items: Sequence[float | None]) -> Floats:
    """An array of shape (n,), NaN for None. Raises TypeError for text, which NumPy would try to read."""
    numbers = np.array(items, dtype=np.float64)
    if numbers.ndim != 1 or str in set(map(type, items)):
        raise TypeError("Metrics are numbers.")
    return numbers
