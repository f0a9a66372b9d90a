"""Reads a run's metrics: the last records, or whole curves thinned to what a screen can show.

RunSeries: the series of one run, partly from its sealed copy, partly parsed from the journal.

RunCurves: the parts of a run's journals that a comparison needs, small enough for a hundred runs in memory.

Reads ``anatomy.jsonl``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
from cachetools import LRUCache
from pydantic import ValidationError

from rlviz.domain.anatomy import UpdateAnatomy
from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import Superseded
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import EPISODE_INDEX, EPISODE_REWARD, EVAL_REWARD
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, Line, journal_size, last_lines, whole_size
from rlviz.rundir.metric_columns import EVERY_ROW, WantedRows, read_tables
from rlviz.rundir.metric_rows import SupersededRows, newest_lines, superseded_rows
from rlviz.rundir.sealed import PIECE_BYTES, SealedPiece
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import evaluations_that_count
from rlviz.server.feeds import encode_cursor
from rlviz.server.metrics.columns import Columns
from rlviz.server.supervisor.sealing import Sealer, sealed_metrics
from rlviz.stats.arrays import Floats, Indices, Series, downsample, kept_points
from rlviz.stats.comparison import Episodes
from rlviz.stats.conditions import episodes_done
from rlviz.stats.returns import TrainingClock, exponential_average
from rlviz.stats.solved import Evaluated, EvaluationsInARow

SeriesAxis = Literal["step", "time"]

LONG_BYTES = 2 * PIECE_BYTES
"""Bytes of unsealed journal from which a run is sealed when it is opened, so that its rows do not stay in memory."""

MOST_PARSED_BYTES = 32 * PIECE_BYTES
"""Bytes of unsealed journal, some two million rows, that are parsed before they are sealed: the first curve is there
within seconds. A longer journal is sealed first, in a process of its own, because its rows would fill the memory."""

NOTHING = Series(*np.empty((3, 0)))


class RunSeries(Mapping[str, Series]):
    """Every series of a run, in the order of their first rows. Sealed parts are decoded when they are requested."""

    def __init__(self, pieces: Sequence[SealedPiece], rest: Mapping[str, Series]) -> None:
        self._pieces, self._rest = pieces, rest
        self._axes: dict[tuple[int, SeriesAxis], Floats] = {}
        """By the place of the piece: decoded once for all series."""
        self._names = list(dict.fromkeys([*(name for piece in pieces for name in piece.counts), *rest]))

    @property
    def is_sealed(self) -> bool:
        """Whether most of it is read from a sealed copy."""
        return bool(self._pieces)

    def __getitem__(self, name: str) -> Series:
        if name in self._rest and not self._pieces:
            return self._rest[name]
        return Series(*self._read(name, ("step", "time")))

    def points(self, name: str, axis: SeriesAxis) -> tuple[Floats, Floats]:
        """Axis and value of one series, each of shape (n,), with only the requested axis."""
        x, y = self._read(name, (axis,))
        return x, y

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _read(self, name: str, axes: Sequence[SeriesAxis]) -> list[Floats]:
        """The ``axes``, then the value, of all rows of ``name``. Raises KeyError if it was never logged."""
        parts = [self._of_piece(place, name, axes) for place, piece in enumerate(self._pieces) if name in piece.counts]
        if name in self._rest:
            parts.append([getattr(self._rest[name], field) for field in (*axes, "value")])
        if not parts:
            raise KeyError(name)
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _of_piece(self, place: int, name: str, axes: Sequence[SeriesAxis]) -> list[Floats]:
        value, present = self._pieces[place].column(name)
        found = [self._axis(place, axis) for axis in axes]
        return [*(axis if present is None else axis[present] for axis in found), value]

    def _axis(self, place: int, axis: SeriesAxis) -> Floats:
        if (known := self._axes.get((place, axis))) is None:
            known = self._axes[place, axis] = self._pieces[place].axis(axis)
        return known


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All series up to ``offset`` (bytes) and not beyond, even if others read further meanwhile."""

    series: RunSeries
    broken_lines: int
    offset: int
    superseded: Superseded
    """Rows that are left out."""


class OpenedRun:
    """One run up to an offset of its journal: the sealed part as compressed files, the rest as columns."""

    def __init__(self, folder: RunFolder, sealer: Sealer | None) -> None:
        self._folder, self._sealed, self._sealer = folder, sealed_metrics(folder), sealer
        self._events, self._left_out = SupersededRows(folder), Superseded()
        self._lock = Lock()
        self._tail: JournalTail | None = None

    def read(self) -> Snapshot:
        """Read new lines; return all series."""
        with self._lock:
            superseded = self._events.now()
            if self._tail is None or self._has_outgrown(self._tail) or superseded != self._left_out:
                self._open(superseded)
            assert self._tail is not None
            for found in read_tables(self._tail, self._wanted):
                self._columns.extend(found.tables)
                self._broken_lines += found.left_out
            series = RunSeries(self._pieces, self._columns.all_series())
            return Snapshot(series, self._broken_lines, self._tail.offset, superseded)

    def _open(self, superseded: Superseded) -> None:
        self._left_out = superseded
        self._wanted = WantedRows(superseded) if superseded else EVERY_ROW
        self._pieces = self._sealed.pieces()
        if self._sealer is not None and (unsealed := self._unsealed()) >= LONG_BYTES:
            if unsealed > MOST_PARSED_BYTES:
                self._sealer.seal_now(self._folder)
                self._pieces = self._sealed.pieces()
            else:
                self._sealer.queue(self._folder)
        self._pieces = [piece.without(superseded) for piece in self._pieces]
        self._seen_end = self._sealed.end()
        self._tail, self._columns = JournalTail(self._folder.metrics_path, self._sealed_end()), Columns()
        self._broken_lines = sum(piece.broken_lines for piece in self._pieces)

    def _sealed_end(self) -> int:
        return self._pieces[-1].end if self._pieces else 0

    def _unsealed(self) -> int:
        """Bytes of the journal that have to be parsed."""
        try:
            return journal_size(self._folder.metrics_path) - self._sealed_end()
        except (OSError, RunFolderError):
            return 0

    def _has_outgrown(self, tail: JournalTail) -> bool:
        """Whether much was parsed here, and nearly all of it was sealed since it was opened."""
        if tail.offset - self._sealed_end() < LONG_BYTES:
            return False
        end = self._sealed.end()
        return end != self._seen_end and tail.offset - end < LONG_BYTES


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

    ``sealer``: makes the sealed copy of a long run without one. The request waits for it only if the run is very long.
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


CACHED_EPISODES = 2_000_000
"""Maximum number of cached episodes of all runs together; 24 bytes each."""

CACHED_CURVES = 200
"""Maximum number of cached metric curves of one run."""

ComparedAxis = Literal["step", "seconds", "episode"]

_CurveKey = tuple[str, ComparedAxis, int, TrainingClock]
_NOTHING = Series(*np.empty((3, 0)))


@dataclass(eq=False)
class RunCurves:
    """The episodes of a run up to an offset of its journal, and the curves of metrics requested so far."""

    folder: RunFolder
    metrics: MetricsService
    size: int
    superseded: Superseded
    episodes: Episodes
    logged: Sequence[str] = ()
    """Names of its metrics."""
    before: int = 0
    """Episodes that its policy had finished before: a fork counts on from its parent's."""
    _thinned: dict[_CurveKey, Curve | None] = field(default_factory=dict)

    def episodes_over(self, axis: ComparedAxis, clock: TrainingClock) -> Episodes:
        """The episodes with positions on ``axis`` instead of steps."""
        number = self.before + np.arange(1, len(self.episodes.step) + 1, dtype=np.float64)
        at = _places(axis, self.episodes.step, self.episodes.time, clock, number)
        return Episodes(at, self.episodes.time, self.episodes.reward)

    def evaluations(self, row: RunRow, asked: Sequence[Evaluated] = ()) -> list[Evaluated]:
        """The evaluations of the run that count, on request those that ``asked`` has."""
        return [*evaluations_that_count(asked, self.folder), *self._in_a_row(row)]

    def chosen_by(self) -> list[Evaluated]:
        """The evaluations while it trained that chose its best policies."""
        return evaluations_that_count([], self.folder)

    def _in_a_row(self, row: RunRow) -> list[Evaluated]:
        series = _series(self.metrics, self.folder).get(EVAL_REWARD, _NOTHING) if row.is_foreign else _NOTHING
        found = EvaluationsInARow()
        for step, time, mean in zip(series.step, series.time, series.value, strict=True):
            found.add(int(step), float(time), float(mean))
        return found.found

    def thinned(
        self, names: Sequence[str], axis: ComparedAxis, max_points: int, clock: TrainingClock
    ) -> Mapping[str, Curve]:
        """Curves of the metrics ``names``; those that were never logged are left out."""
        curves = {name: self._thin((name, axis, max_points, clock)) for name in names}
        return {name: curve for name, curve in curves.items() if curve is not None}

    def placed(self, name: str, axis: ComparedAxis, clock: TrainingClock) -> tuple[Floats, Floats]:
        """Return positions on ``axis`` and values of every point of a metric, each of shape (n,); empty if it was never
        logged."""
        series = _series(self.metrics, self.folder)
        found = series.get(name, _NOTHING)
        return _positions(series, found, axis, clock), found.value

    def _thin(self, key: _CurveKey) -> Curve | None:
        """None for a metric that was never logged."""
        if key not in (known := self._thinned):
            if len(known) >= CACHED_CURVES:
                known = self._thinned = {}  # a new one, since others may be reading the old
            known[key] = _curve(_series(self.metrics, self.folder), *key)
        return known[key]


class RunCurvesCache:
    """Reads a run again only when its journal has grown."""

    def __init__(self, metrics: MetricsService) -> None:
        self._metrics = metrics
        self._cache: LRUCache[str, RunCurves] = LRUCache(CACHED_EPISODES, getsizeof=_weight)
        self._lock = Lock()

    def read_curves(self, folder: RunFolder) -> RunCurves:
        """Empty for a folder whose journal cannot be read."""
        size, superseded = _size(folder), superseded_rows(folder)
        with self._lock:
            known = self._cache.get(folder.run_id)
            if known is not None and (known.size, known.superseded) == (size, superseded):
                return known
        series = _series(self._metrics, folder)
        reward, index = series.get(EPISODE_REWARD, _NOTHING), series.get(EPISODE_INDEX, _NOTHING)
        before = int(index.value[0]) - 1 if len(index) and np.isfinite(index.value[0]) else 0
        episodes = Episodes(reward.step.copy(), reward.time.copy(), reward.value.copy())
        curves = RunCurves(
            folder, self._metrics, size, superseded, episodes, logged=sorted(series), before=max(before, 0)
        )
        with self._lock:
            self._cache[folder.run_id] = curves
        return curves


def _weight(curves: RunCurves) -> int:
    """Cache a run's episodes; a run with more than the maximum is cached alone."""
    return min(max(len(curves.episodes.step), 1), CACHED_EPISODES)


def _size(folder: RunFolder) -> int:
    try:
        return whole_size(folder.metrics_path)
    except RunFolderError:
        return 0


def _series(metrics: MetricsService, folder: RunFolder) -> Mapping[str, Series]:
    try:
        return metrics.read(folder).series
    except RunFolderError:
        return {}


def _curve(
    series: Mapping[str, Series], name: str, axis: ComparedAxis, max_points: int, clock: TrainingClock
) -> Curve | None:
    found = series.get(name)
    if found is None:
        return None
    x, y = downsample(_positions(series, found, axis, clock), found.value, max_points)
    return Curve(x.tolist(), y.tolist(), len(found))


def _positions(series: Mapping[str, Series], found: Series, axis: ComparedAxis, clock: TrainingClock) -> Floats:
    """Return the positions of the points of ``found``, which is one of ``series``, shape (n,)."""
    done = episodes_done(found, series.get(EPISODE_INDEX, _NOTHING)) if axis == "episode" else found.step
    return _places(axis, found.step, found.time, clock, done)


def _places(axis: ComparedAxis, step: Floats, time: Floats, clock: TrainingClock, episode: Floats) -> Floats:
    """Non-decreasing: where the clock was set back, time stands still until it has caught up."""
    match axis:
        case "step":
            return step
        case "episode":
            return episode
        case "seconds":
            return clock.seconds(time)


MAX_LINES = 5_000
"""Number of newest lines to read; a run writes a few hundred."""


def read_anatomy(folder: RunFolder, most: int) -> list[UpdateAnatomy]:
    """At most ``most`` updates, evenly spaced and including the first and the newest, oldest first.

    Broken lines are left out. Raises RunFolderError.
    """
    lines = [line.record for line in last_lines(folder.anatomy_path, MAX_LINES) if line.record is not None]
    if len(lines) > most:
        last = len(lines) - 1
        lines = [lines[round(place * last / (most - 1))] for place in range(most)]
    return [update for line in lines if (update := _parse(line)) is not None]


def _parse(line: object) -> UpdateAnatomy | None:
    try:
        return UpdateAnatomy.model_validate(line)
    except ValidationError:
        return None
