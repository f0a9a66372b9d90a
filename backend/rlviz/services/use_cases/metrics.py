"""Reading a run's metrics: the last records, or whole curves thinned to what a screen can show."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.columns import Columns, Series
from rlviz.analysis.downsample import downsample
from rlviz.analysis.episodes import episodes_done
from rlviz.domain.records import EPISODE_INDEX
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import READ_BYTES, JournalTail, Line, last_lines, whole_size
from rlviz.services.streaming.cursor import encode_cursor

CACHED_RUNS = 12

Axis = Literal["step", "time", "episode"]

_NOTHING = Series(*np.empty((3, 0)))


@dataclass(frozen=True)
class Window:
    """A part of an axis, both ends included."""

    start: float = -math.inf
    end: float = math.inf


EVERYWHERE = Window()


@dataclass(frozen=True)
class Curve:
    """A thinned series: ``x`` and ``y`` of equal length, of ``count`` points before; NaN in ``y`` is a gap."""

    x: list[float]
    y: list[float]
    count: int


@dataclass(frozen=True)
class Curves:
    """Curves by metric name; ``cursor`` is where a stream goes on without gap or repetition.

    ``broken_lines``: lines of the journal that are no records and were left out.
    """

    curves: dict[str, Curve]
    broken_lines: int
    cursor: str


@dataclass(frozen=True)
class Tail:
    lines: list[Line]
    cursor: str


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All series up to ``offset`` (bytes), and no row beyond it, whatever others read meanwhile."""

    series: dict[str, Series]
    broken_lines: int
    offset: int


class _Cached:
    """The columns of one run, read as far as its journal went."""

    def __init__(self, folder: RunFolder) -> None:
        self.tail, self.columns, self.lock = JournalTail(folder.metrics_path), Columns(), Lock()
        self.broken_lines = 0

    def read(self) -> Snapshot:
        """Take in new lines; return all there is."""
        with self.lock:
            before = -1
            while self.tail.offset != before:
                before = self.tail.offset
                records, broken = self.tail.read_records(READ_BYTES)
                self.broken_lines += len(broken) + self.columns.append(records)
            series = {name: self.columns.series(name) for name in self.columns.names()}
            return Snapshot(series, self.broken_lines, self.tail.offset)


class MetricsService:
    """Keeps the columns of the runs looked at last, so that a second look reads only what is new."""

    def __init__(self) -> None:
        self._cache: OrderedDict[str, _Cached] = OrderedDict()
        self._lock = Lock()

    def tail(self, folder: RunFolder, count: int) -> Tail:
        """The last ``count`` lines."""
        end = whole_size(folder.metrics_path)
        lines = [line for line in last_lines(folder.metrics_path, count) if line.end <= end]
        return Tail(lines, encode_cursor({folder.run_id: end}))

    def curves(
        self,
        folder: RunFolder,
        names: Sequence[str] | None,
        max_points: int,
        axis: Axis,
        window: Window = EVERYWHERE,
    ) -> Curves:
        """Each named metric (all, if None) over ``axis``, only the points within ``window`` of it.

        The axis is environment steps, Unix time in seconds, or episodes: those that had ended by then.
        """
        found = self.read(folder)
        wanted = found.series if names is None else [name for name in names if name in found.series]
        ends = found.series.get(EPISODE_INDEX, _NOTHING)
        curves = {
            name: _curve(found.series[name], _axis(found.series[name], axis, ends), window, max_points)
            for name in wanted
        }
        return Curves(curves, found.broken_lines, encode_cursor({folder.run_id: found.offset}))

    def series(self, folder: RunFolder, *names: str) -> list[Series]:
        """Metrics in full, empty where the run has not logged any."""
        found = self.read(folder).series
        return [found.get(name, _NOTHING) for name in names]

    def forget(self, run_id: str) -> None:
        with self._lock:
            self._cache.pop(run_id, None)

    def read(self, folder: RunFolder) -> Snapshot:
        """Every series in full, as far as the journal goes now."""
        with self._lock:
            cached = self._cache.setdefault(folder.run_id, _Cached(folder))
            self._cache.move_to_end(folder.run_id)
            while len(self._cache) > CACHED_RUNS:
                self._cache.popitem(last=False)
        return cached.read()


def _axis(series: Series, axis: Axis, ends: Series) -> Floats:
    """Non-decreasing, shape (n,): where the clock was set back, time stands still until it has caught up."""
    match axis:
        case "step":
            return series.step
        case "time":
            time: Floats = np.maximum.accumulate(series.time)
            return time
        case "episode":
            return episodes_done(series, ends)


def _curve(series: Series, x: Floats, window: Window, max_points: int) -> Curve:
    first, last = np.searchsorted(x, window.start, "left"), np.searchsorted(x, window.end, "right")
    x, y = x[first:last], series.value[first:last]
    thin_x, thin_y = downsample(x, y, max_points)
    return Curve(thin_x.tolist(), thin_y.tolist(), len(y))
