"""Reads a run's metrics: the last records, or whole curves thinned to what a screen can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
from cachetools import LRUCache

from rlviz.analysis.arrays import Floats, Indices
from rlviz.analysis.columns import Series
from rlviz.analysis.downsample import kept_points
from rlviz.analysis.episodes import episodes_done
from rlviz.analysis.moving import exponential_average
from rlviz.analysis.training_clock import TrainingClock
from rlviz.domain.limits import LIMITS
from rlviz.domain.records import EPISODE_INDEX
from rlviz.domain.superseded import Superseded
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import Line, whole_size
from rlviz.rundir.metric_rows import newest_lines
from rlviz.services.streaming.cursor import encode_cursor
from rlviz.services.supervision.sealing import Sealer
from rlviz.services.use_cases.run_series import NOTHING, OpenedRun, RunSeries, Snapshot

UNSTARTED = TrainingClock()

CACHED_RUNS = LIMITS.compared_runs.maximum
"""Number of runs to cache, so that looking at a comparison again parses no journal. Only the newest part of a long run
is cached; the rest is read from its sealed copy."""

CACHED_POINTS = 100_000
"""Points of thinned curves of long runs to cache, some 10 MB: what a page of one shows, in a few windows."""

Axis = Literal["step", "time", "seconds", "episode"]


@dataclass(frozen=True)
class Window:
    """A part of an axis, including both ends."""

    start: float = -math.inf
    end: float = math.inf


EVERYWHERE = Window()


@dataclass(frozen=True)
class CurveRequest:
    """The part of each curve to return, and its axis.

    The axis is environment steps, Unix time in seconds, seconds of training, or episodes that had ended. ``newest``:
    only this many of the newest points of the window. ``smoothing``: of the moving average, from 0 (none) to below 1.
    """

    max_points: int
    axis: Axis = "step"
    window: Window = EVERYWHERE
    newest: int | None = None
    smoothing: float = 0.0


@dataclass(frozen=True)
class SmoothedCurve:
    """The moving average over all points of the run: ``y`` at the points of the curve, NaN at a gap.

    ``mean`` and ``weight`` are the state after the last point, from which it can be continued (see
    ``ExponentialAverage``).
    """

    y: list[float]
    mean: float
    weight: float


@dataclass(frozen=True)
class Curve:
    """A thinned series: ``x`` and ``y`` of equal length, thinned from ``count`` points; NaN in ``y`` is a gap.

    ``smoothed`` is None without smoothing, and if no point was left out: then the client can compute it from ``y``.
    """

    x: list[float]
    y: list[float]
    count: int
    smoothed: SmoothedCurve | None = None


@dataclass(frozen=True)
class Curves:
    """Curves by metric name; ``cursor`` is where a stream continues without gap or repetition.

    ``broken_lines``: number of lines of the journal that are no records and were left out.
    """

    curves: dict[str, Curve]
    broken_lines: int
    cursor: str


@dataclass(frozen=True)
class Tail:
    lines: list[Line]
    cursor: str


class _CurveOf(NamedTuple):
    """What a thinned curve depends on: the rows of the run up to ``offset`` (bytes), and what was asked for."""

    run_id: str
    offset: int
    superseded: Superseded
    name: str
    request: CurveRequest
    clock: TrainingClock


class MetricsService:
    """Caches recently read runs, so that only new lines are read the next time.

    ``sealer``: makes the sealed copy of a long run without one, while the request for it waits.
    """

    def __init__(self, sealer: Sealer | None = None) -> None:
        self._sealer = sealer
        self._cache: LRUCache[str, OpenedRun] = LRUCache(CACHED_RUNS)
        self._curves: LRUCache[_CurveOf, Curve] = LRUCache(CACHED_POINTS, getsizeof=lambda curve: len(curve.x))
        self._lock = Lock()

    def tail(self, folder: RunFolder, count: int) -> Tail:
        """The last ``count`` lines."""
        end = whole_size(folder.metrics_path)
        return Tail([*islice(newest_lines(folder, end), count)][::-1], encode_cursor({folder.run_id: end}))

    def curves(
        self, folder: RunFolder, names: Sequence[str] | None, request: CurveRequest, clock: TrainingClock = UNSTARTED
    ) -> Curves:
        """Curves of the given metrics (all, if None); those that were never logged are left out. ``clock``: the run's,
        for the seconds of its training."""
        found = self.read(folder)
        wanted = found.series if names is None else [name for name in names if name in found.series]
        curves = {name: self._curve(folder.run_id, found, name, request, clock) for name in wanted}
        return Curves(curves, found.broken_lines, encode_cursor({folder.run_id: found.offset}))

    def _curve(self, run_id: str, found: Snapshot, name: str, request: CurveRequest, clock: TrainingClock) -> Curve:
        """That of a long run is cached for as long as nothing is added to the run."""
        key = _CurveOf(run_id, found.offset, found.superseded, name, request, clock)
        with self._lock:
            known = self._curves.get(key)
        if known is None:
            known = curve_of(*_points(found.series, name, request.axis, clock), request)
            if found.series.is_sealed and len(known.x) <= CACHED_POINTS:
                with self._lock:
                    self._curves[key] = known
        return known

    def series(self, folder: RunFolder, *names: str) -> list[Series]:
        """Metrics without thinning; empty where the run has not logged any."""
        found = self.read(folder).series
        return [found.get(name, NOTHING) for name in names]

    def forget(self, run_id: str) -> None:
        with self._lock:
            self._cache.pop(run_id, None)
            for key in [key for key in self._curves if key.run_id == run_id]:
                del self._curves[key]

    def read(self, folder: RunFolder) -> Snapshot:
        """Every series without thinning, up to the end of the journal now."""
        with self._lock:
            cached = self._cache.setdefault(folder.run_id, OpenedRun(folder, self._sealer))
        return cached.read()


def _points(series: RunSeries, name: str, axis: Axis, clock: TrainingClock) -> tuple[Floats, Floats]:
    """Axis, non-decreasing, and value, each of shape (n,)."""
    if axis == "episode":
        found = series[name]
        return places(found, series.get(EPISODE_INDEX, NOTHING), axis, clock), found.value
    at, value = series.points(name, "step" if axis == "step" else "time")
    return _along(axis, at, clock), value


def places(series: Series, ends: Series, axis: Axis, clock: TrainingClock) -> Floats:
    """The rows of ``series`` on ``axis``, shape (n,), non-decreasing. ``ends``: the metric ``episode/index``."""
    if axis == "episode":
        return episodes_done(series, ends)
    return _along(axis, series.step if axis == "step" else series.time, clock)


def _along(axis: Axis, at: Floats, clock: TrainingClock) -> Floats:
    """Where the clock was set back, time stands still until it has caught up."""
    if axis == "step":
        return at
    if axis == "seconds":
        return clock.seconds(at)
    steady: Floats = np.maximum.accumulate(at)
    return steady


def curve_of(x: Floats, y: Floats, request: CurveRequest) -> Curve:
    """The points in the window of ``request``, thinned; ``x``, non-decreasing, and ``y`` are of shape (n,)."""
    first = int(np.searchsorted(x, request.window.start, "left"))
    last = int(np.searchsorted(x, request.window.end, "right"))
    if request.newest is not None:
        first = max(first, last - request.newest)
    kept = first + kept_points(x[first:last], y[first:last], request.max_points)
    smoothed = None if len(kept) == len(y) else _smoothed(y[:last], kept, request.smoothing)
    return Curve(x[kept].tolist(), y[kept].tolist(), last - first, smoothed)


def _smoothed(y: Floats, kept: Indices, smoothing: float) -> SmoothedCurve | None:
    """``y``: all points of the run up to the last of ``kept``."""
    if smoothing == 0:
        return None
    average = exponential_average(y, smoothing)
    return SmoothedCurve(average.values[kept].tolist(), average.mean, average.weight)
