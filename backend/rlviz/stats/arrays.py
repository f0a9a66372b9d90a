"""Metrics as arrays: ``Columns`` collects the rows of a journal by metric, ``downsample`` reduces points for
drawing."""

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

    Read-only views in journal order; rows appended later are not included.
    """

    step: Floats
    time: Floats
    value: Floats

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, eq=False)
class Column:
    """One metric in a table: its ``value`` (NaN for null), shape (m,), in the rows with index ``row``; None: in all
    rows."""

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
        """Return step, time and value of the rows that have ``column``, shape (3, m)."""
        if column.row is None:
            return np.stack([self.step, self.time, column.value])
        return np.stack([self.step[column.row], self.time[column.row], column.value])


class Columns:
    """The values of each metric, extended as the journal grows: 24 bytes per value.

    Spare capacity is never touched, so the operating system does not allocate memory for it.

    One thread may append while others read, without a lock. Results of readers never change: a row counts only once
    it is complete, rows do not change, and growing copies. Two threads must not append.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Growing] = {}

    def append(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Add ``records``, as described by MetricRecord; return how many were not valid records.

        Those are skipped, for the caller to report. Cost: about 0.4 µs per record in batches of hundreds.
        """
        found, refused = tables(list(records))
        for table in found:
            for name, column in table.values.items():
                self._tables.setdefault(name, _Growing()).extend(table.rows_of(column))
        return refused

    def names(self) -> list[str]:
        """Return the names in order of their first row."""
        return list(self._tables)

    def series(self, name: str) -> Series:
        """Return all rows of ``name`` so far; empty if it was never logged."""
        table = self._tables.get(name)
        return Series(*(table.rows() if table else np.empty((3, 0))))


class _Growing:
    """Rows of shape (3,): step, time, value; stored as columns of an array with spare capacity."""

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
        """Return a read-only view of shape (3, n). The count is read first: every later buffer has at least as many
        rows."""
        count = self._count
        rows = self._buffer[:, :count]
        rows.flags.writeable = False
        return rows


def tables(batch: Sequence[Mapping[str, Any]]) -> tuple[list[Table], int]:
    """Return the records of ``batch`` as one table, or several around invalid records, and the number of invalid
    ones."""
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
    """Return one table; None if a record is malformed."""
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
    """Return the columns if every record has every name."""
    return {name: Column(_numbers([record[name] for record in values]), None) for name in names}


def _uneven(values: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """Return the columns in the general case: not every record has every name."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, record in enumerate(values):
        for name in record:
            rows[name].append(row)
    return {
        name: Column(_numbers([values[row][name] for row in having]), np.array(having, dtype=np.intp))
        for name, having in rows.items()
    }


def _numbers(items: Sequence[float | None]) -> Floats:
    """Return an array of shape (n,), NaN for None. Raises TypeError for text, which NumPy would try to parse."""
    numbers = np.array(items, dtype=np.float64)
    if numbers.ndim != 1 or str in set(map(type, items)):
        raise TypeError("Metrics must be numbers.")
    return numbers


MIN_POINTS = 4
"""Minimum number of points: first, last, minimum and maximum, with room for the 3 gaps between them."""


def downsample(x: Floats, y: Floats, max_points: int) -> tuple[Floats, Floats]:
    """Reduce the points (``x``, ``y``) to at most ``max_points`` that draw the same curve, in order.

    The range of x is divided into buckets of equal width, like the pixel columns of a screen. Kept are the first and
    last point, and the minimum and maximum of each bucket. A value that is not finite is a gap; one gap stays
    between kept points that have gaps between them, so no line is drawn across (below 7 points, as far as space
    allows).

    After M4 (Jugel, Jerzak, Hackenbroich and Markl, 2014, https://doi.org/10.14778/2732951.2732953), without the
    first and last point of inner buckets.

    Args:
        x: Non-decreasing positions, shape (n,).
        y: Values, shape (n,).
        max_points: Maximum number of points to return.

    Raises:
        ValueError: ``max_points`` is below MIN_POINTS, or the shapes differ.
    """
    kept = kept_points(x, y, max_points)
    return x[kept], y[kept]


def kept_points(x: Floats, y: Floats, max_points: int) -> Indices:
    """Return the indices of the points that ``downsample`` keeps, in order."""
    if max_points < MIN_POINTS:
        raise ValueError(f"max_points is {max_points}, but must be at least {MIN_POINTS} to keep every extreme.")
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must have the same shape (n,), not {x.shape} and {y.shape}.")
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
    """Return how many buckets fit: b buckets give 2b + 2 points, plus one gap per run of ``gaps``, at most 2b + 1 gaps.

    At least one, even if not every gap fits.
    """
    runs = int(np.count_nonzero(np.diff(gaps) > 1)) + (1 if len(gaps) else 0)
    return max(1, (max_points - 3) // 4, (max_points - 2 - runs) // 2)


def _extremes(x: Floats, y: Floats, buckets: int) -> Indices:
    """Return the indices of the minimum and maximum of each non-empty bucket, shape (≤ 2 × buckets,)."""
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
    """Return, for each pair of neighbours in ``kept``, the first of ``gaps`` between them, if any."""
    if len(gaps) == 0:
        return gaps
    places = np.searchsorted(gaps, kept[:-1], side="right")
    inside = places < np.searchsorted(gaps, kept[1:])
    return gaps[places[inside]]
