"""Columns: the rows of a metrics journal as arrays, one set for each metric name.

The array types that analysis works with.

Formatting of numbers in sentences, the same as in the front end.

Fewer points that draw the same curve.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


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


@dataclass(frozen=True, eq=False)
class Column:
    """One metric in a table: its ``value`` (NaN for null), shape (m,), in the rows of index ``row``; None: in all."""

    value: Floats
    row: Indices | None


@dataclass(frozen=True, eq=False)
class Table:
    """Some rows: ``seq``, ``step`` and ``time`` of shape (n,), and for each metric the rows that have it."""

    seq: Floats
    step: Floats
    time: Floats
    values: dict[str, Column]

    def rows_of(self, column: Column) -> Floats:
        """Step, time and value of the rows that have ``column``, shape (3, m)."""
        if column.row is None:
            return np.stack([self.step, self.time, column.value])
        return np.stack([self.step[column.row], self.time[column.row], column.value])


class Columns:
    """The values of each metric name, grown as the journal grows: 24 bytes a value.

    Room kept for growing is not touched, so that the operating system gives no memory for it.

    One thread may append while others read, without a lock. What readers get never changes: a row is
    counted only once it is whole, rows are never changed, and growing copies. Two threads must not append.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Growing] = {}

    def append(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Add ``records``, each as MetricRecord describes it; return how many were no such records.

        Those are left out, for the caller to report. Cost: about 0.4 µs a record in batches of hundreds.
        """
        found, refused = tables(list(records))
        for table in found:
            for name, column in table.values.items():
                self._tables.setdefault(name, _Growing()).extend(table.rows_of(column))
        return refused

    def names(self) -> list[str]:
        """Names in the order of their first row."""
        return list(self._tables)

    def series(self, name: str) -> Series:
        """All rows of ``name`` so far; none if it was never logged."""
        table = self._tables.get(name)
        return Series(*(table.rows() if table else np.empty((3, 0))))


class _Growing:
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


def tables(batch: Sequence[Mapping[str, Any]]) -> tuple[list[Table], int]:
    """The records of ``batch`` as one table, or as several around those that are no records, and how many are none."""
    if not batch:
        return [], 0
    table = _table(batch)
    if table is not None:
        return [table], 0
    if len(batch) == 1:
        return [], 1
    middle = len(batch) // 2
    (before, refused_before), (after, refused_after) = tables(batch[:middle]), tables(batch[middle:])
    return before + after, refused_before + refused_after


def _table(batch: Sequence[Mapping[str, Any]]) -> Table | None:
    """None if a record is malformed."""
    try:
        seq = _numbers([record["seq"] for record in batch])
        step = _numbers([record["step"] for record in batch])
        time = _numbers([record["time"] for record in batch])
        values: list[Mapping[str, Any]] = [record["values"] for record in batch]
        if np.isnan((seq, step, time)).any() or set(map(type, values)) != {dict}:
            return None
        names = list(map(tuple, values))
        columns = _even(values, names[0]) if len(set(names)) == 1 else _uneven(values)
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return Table(seq, step, time, columns)


def _even(values: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Column]:
    """Each record has each of the names."""
    return {name: Column(_numbers([record[name] for record in values]), None) for name in names}


def _uneven(values: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """The general case: not every record has every name."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, record in enumerate(values):
        for name in record:
            rows[name].append(row)
    return {
        name: Column(_numbers([values[row][name] for row in having]), np.array(having, dtype=np.intp))
        for name, having in rows.items()
    }


def _numbers(items: Sequence[float | None]) -> Floats:
    """An array of shape (n,), NaN for None. Raises TypeError for text, which NumPy would try to read."""
    numbers = np.array(items, dtype=np.float64)
    if numbers.ndim != 1 or str in set(map(type, items)):
        raise TypeError("Metrics are numbers.")
    return numbers


MIN_POINTS = 4
"""First, last, minimum and maximum; with 3 more there is room for every gap between them."""


def downsample(x: Floats, y: Floats, max_points: int) -> tuple[Floats, Floats]:
    """At most ``max_points`` of the points (``x``, ``y``), in their order; all of them if they are few enough.

    ``x`` (non-decreasing) and ``y`` have shape (n,). The range of x is cut into buckets of equal width, as
    a screen is into columns of pixels, and kept are: the first and the last point, and the minimum and the
    maximum of every bucket; hence those of the whole curve. A value that is not finite is a gap: where there
    was one or more between two points that are kept, one stays, so that no line is drawn across (below
    7 points as far as there is room).

    Raises ValueError if ``max_points`` is below MIN_POINTS or the shapes differ.

    After M4 (Jugel, Jerzak, Hackenbroich and Markl, 2014, https://doi.org/10.14778/2732951.2732953), without
    the first and last point of inner buckets.
    """
    kept = kept_points(x, y, max_points)
    return x[kept], y[kept]


def kept_points(x: Floats, y: Floats, max_points: int) -> Indices:
    """The indices of the points that ``downsample`` keeps, in their order."""
    if max_points < MIN_POINTS:
        raise ValueError(f"max_points is {max_points}; at least {MIN_POINTS} are needed to keep every extreme.")
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must be of one shape (n,), not {x.shape} and {y.shape}.")
    if len(x) <= max_points:
        return np.arange(len(x))
    finite = np.isfinite(y)
    gaps = np.flatnonzero(~finite)
    buckets = _bucket_count(gaps, max_points)
    if len(gaps):
        numbers = np.flatnonzero(finite)
        extremes = numbers[_extremes(x[numbers], y[numbers], buckets)]
    else:
        extremes = _extremes(x, y, buckets)
    kept = np.union1d(extremes, [0, len(x) - 1])
    return np.union1d(kept, _gaps_between(kept, gaps)[: max_points - len(kept)])


def _bucket_count(gaps: Indices, max_points: int) -> int:
    """How many buckets fit: b of them give 2b + 2 points, and one gap a run of ``gaps``, at most 2b + 1 in all.

    One at least, even if not every gap finds room.
    """
    runs = int(np.count_nonzero(np.diff(gaps) > 1)) + (1 if len(gaps) else 0)
    return max(1, (max_points - 3) // 4, (max_points - 2 - runs) // 2)


def _extremes(x: Floats, y: Floats, buckets: int) -> Indices:
    """Indices of the minimum and the maximum of each bucket that is not empty. Shape (≤ 2 × buckets,)."""
    if len(x) == 0:
        return np.empty(0, dtype=np.intp)
    edges = np.linspace(x[0], x[-1], buckets, endpoint=False)
    starts = np.unique(np.searchsorted(x, edges))
    ends = np.append(starts[1:], len(x))
    found = [
        begin + extreme(y[begin:end])
        for extreme in (np.argmin, np.argmax)
        for begin, end in zip(starts, ends, strict=True)
    ]
    return np.array(found, dtype=np.intp)


def _gaps_between(kept: Indices, gaps: Indices) -> Indices:
    """For each two neighbours of ``kept`` the first of ``gaps`` that lies between them, if one does."""
    if len(gaps) == 0:
        return gaps
    places = np.searchsorted(gaps, kept[:-1], side="right")
    inside = places < np.searchsorted(gaps, kept[1:])
    return gaps[places[inside]]
