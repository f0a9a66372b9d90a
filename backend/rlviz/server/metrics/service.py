"""Read the metrics of runs: the last records, whole series, or curves thinned for the screen.

``OpenedRun`` reads a run's journal, partly from its sealed copy, and keeps the series up to date. ``MetricsService``
caches opened runs and thinned curves. ``RunCurvesCache`` keeps the episodes and curves that comparisons need, for a
hundred runs. ``read_anatomy`` reads ``anatomy.jsonl``, ``read_map`` ``map.json``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock, Thread
from typing import Literal, NamedTuple

import numpy as np
from cachetools import LRUCache
from pydantic import ValidationError

from rlviz.domain.anatomy import UpdateAnatomy
from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import Superseded
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import EPISODE_INDEX, EPISODE_REWARD, EVAL_REWARD
from rlviz.domain.visits import VisitFrame, VisitMap, archive_weights
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.cells import World
from rlviz.rundir.files import damage_error, read_document
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, Line, journal_size, last_lines, whole_size
from rlviz.rundir.metric_columns import EVERY_ROW, WantedRows, read_tables
from rlviz.rundir.metric_rows import SupersededRows, newest_lines, superseded_rows
from rlviz.rundir.sealed import PIECE_BYTES, SealedPiece
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import collect_counted_evaluations
from rlviz.server.feeds import encode_cursor
from rlviz.server.metrics.columns import Columns
from rlviz.server.metrics.models import FrontierCell, MapCell, MetricCurve, RunMap, SmoothedCurve
from rlviz.server.runs.choices import view_world
from rlviz.server.supervisor.sealing import Sealer, sealed_metrics
from rlviz.stats.arrays import Floats, Indices, Series, downsample, kept_points
from rlviz.stats.comparison import Episodes
from rlviz.stats.conditions import episodes_done
from rlviz.stats.returns import TrainingClock, exponential_average
from rlviz.stats.solved import Evaluated, EvaluationsInARow

SeriesAxis = Literal["step", "time"]

LONG_BYTES = 2 * PIECE_BYTES
"""Minimum bytes of unsealed journal for which opening a run queues sealing, so that its rows leave memory."""

MOST_PARSED_BYTES = 32 * PIECE_BYTES
"""Maximum bytes of unsealed journal, about two million rows, to parse in this process. A longer journal is sealed first
in its own process, because its rows would fill the memory."""

NOTHING = Series(*np.empty((3, 0)))


class RunSeries(Mapping[str, Series]):
    """All series of a run, in the order of their first rows. Sealed parts are decoded on request."""

    def __init__(self, pieces: Sequence[SealedPiece], rest: Mapping[str, Series]) -> None:
        self._pieces, self._rest = pieces, rest
        self._axes: dict[tuple[int, SeriesAxis], Floats] = {}
        """Decoded axes by index of the piece, for all series."""
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
        """Return axis and values of one series, each of shape (n,). Decodes only this axis."""
        x, y = self._read(name, (axis,))
        return x, y

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _read(self, name: str, axes: Sequence[SeriesAxis]) -> list[Floats]:
        """Return the ``axes`` and then the values of all rows of ``name``. Raises KeyError if it was never logged."""
        parts = [
            self._read_piece(place, name, axes) for place, piece in enumerate(self._pieces) if name in piece.counts
        ]
        if name in self._rest:
            parts.append([getattr(self._rest[name], field) for field in (*axes, "value")])
        if not parts:
            raise KeyError(name)
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _read_piece(self, place: int, name: str, axes: Sequence[SeriesAxis]) -> list[Floats]:
        value, present = self._pieces[place].column(name)
        found = [self._axis(place, axis) for axis in axes]
        return [*(axis if present is None else axis[present] for axis in found), value]

    def _axis(self, place: int, axis: SeriesAxis) -> Floats:
        if (known := self._axes.get((place, axis))) is None:
            known = self._axes[place, axis] = self._pieces[place].axis(axis)
        return known


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All series up to ``offset`` (bytes of the journal). It does not change when the run is read further."""

    series: RunSeries
    broken_lines: int
    offset: int
    superseded: Superseded
    """The rows that are left out."""


class OpenedRun:
    """The series of one run: its sealed part from compressed files, the rest as columns in memory."""

    def __init__(self, folder: RunFolder, sealer: Sealer | None) -> None:
        self._folder, self._sealed, self._sealer = folder, sealed_metrics(folder), sealer
        self._events, self._left_out = SupersededRows(folder), Superseded()
        self._lock = Lock()
        self._tail: JournalTail | None = None
        self._is_sealing_due = False

    def read(self) -> Snapshot:
        """Read new lines and return all series."""
        with self._lock:
            superseded = self._events.now()
            if self._tail is None or self._has_outgrown(self._tail) or superseded != self._left_out:
                self._open(superseded)
            assert self._tail is not None
            for found in read_tables(self._tail, self._wanted):
                self._columns.extend(found.tables)
                self._broken_lines += found.left_out
            self._queue_sealing()
            series = RunSeries(self._pieces, self._columns.all_series())
            return Snapshot(series, self._broken_lines, self._tail.offset, superseded)

    def unread_bytes(self) -> int:
        """Return the bytes of the journal that the next ``read`` parses. Does not wait for a ``read`` that runs."""
        tail = self._tail
        return self._unread_from(self._sealed.end() if tail is None else tail.offset)

    def _open(self, superseded: Superseded) -> None:
        self._left_out = superseded
        self._wanted = WantedRows(superseded) if superseded else EVERY_ROW
        self._pieces = self._sealed.pieces()
        if self._sealer is not None and (unsealed := self._unsealed()) >= LONG_BYTES:
            if unsealed > MOST_PARSED_BYTES:
                self._sealer.seal_now(self._folder)
                self._pieces = self._sealed.pieces()
            else:
                self._is_sealing_due = True
        self._pieces = [piece.without(superseded) for piece in self._pieces]
        self._seen_end = self._sealed.end()
        self._tail, self._columns = JournalTail(self._folder.metrics_path, self._sealed_end()), Columns()
        self._broken_lines = sum(piece.broken_lines for piece in self._pieces)

    def _queue_sealing(self) -> None:
        """Queue sealing after the journal was parsed: the process that seals would take time from the request."""
        if self._sealer is not None and self._is_sealing_due:
            self._sealer.queue(self._folder)
        self._is_sealing_due = False

    def _sealed_end(self) -> int:
        return self._pieces[-1].end if self._pieces else 0

    def _unsealed(self) -> int:
        """Return the bytes of the journal that are not sealed."""
        return self._unread_from(self._sealed_end())

    def _unread_from(self, offset: int) -> int:
        try:
            return journal_size(self._folder.metrics_path) - offset
        except (OSError, RunFolderError):
            return 0

    def _has_outgrown(self, tail: JournalTail) -> bool:
        """Return whether many rows are in memory and most of them have been sealed since they were parsed."""
        if tail.offset - self._sealed_end() < LONG_BYTES:
            return False
        end = self._sealed.end()
        return end != self._seen_end and tail.offset - end < LONG_BYTES


UNSTARTED = TrainingClock()

CACHED_RUNS = LIMITS.compared_runs.maximum
"""Number of runs to cache, so that repeating a comparison parses no journal. Only the unsealed part of a run is in
memory."""

MOST_AHEAD = 2
"""Maximum number of runs that are read ahead of a request for their curves."""

LONG_CURVE = 200_000
"""Minimum points before thinning for which a curve is cached although its run is not sealed."""

CACHED_POINTS = 100_000
"""Maximum points of cached curves of long or sealed runs: about 10 MB, enough for a page of a run in several
windows."""

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
class Curves:
    """Curves by metric name.

    ``cursor``: where a stream continues without gap or repetition. ``broken_lines``: number of invalid lines of the
    journal, which are left out.
    """

    curves: dict[str, MetricCurve]
    broken_lines: int
    cursor: str


@dataclass(frozen=True)
class Tail:
    """The last lines of a journal, and the cursor after them."""

    lines: list[Line]
    cursor: str


class _CurveOf(NamedTuple):
    """Cache key of a thinned curve: the rows of the run up to ``offset`` (bytes), and the request."""

    run_id: str
    offset: int
    superseded: Superseded
    name: str
    request: CurveRequest
    clock: TrainingClock


class MetricsService:
    """Reads metrics and caches opened runs, so that the next request reads only new lines.

    ``sealer``: makes the sealed copy of a long run. A request waits for it only if the run is very long.
    """

    def __init__(self, sealer: Sealer | None = None) -> None:
        self._sealer = sealer
        self._cache: LRUCache[str, OpenedRun] = LRUCache(CACHED_RUNS)
        self._curves: LRUCache[_CurveOf, MetricCurve] = LRUCache(CACHED_POINTS, getsizeof=lambda curve: len(curve.x))
        self._ahead = set[str]()
        """Ids of runs that a thread reads because a page of theirs was opened."""
        self._lock = Lock()
        self.run_curves = RunCurvesCache(self)
        """Episodes and curves of runs, shared by comparisons, experiments and analytics."""

    def tail(self, folder: RunFolder, count: int) -> Tail:
        """Return the last ``count`` lines."""
        end = whole_size(folder.metrics_path)
        return Tail([*islice(newest_lines(folder, end), count)][::-1], encode_cursor({folder.run_id: end}))

    def curves(
        self, folder: RunFolder, names: Sequence[str] | None, request: CurveRequest, clock: TrainingClock = UNSTARTED
    ) -> Curves:
        """Return curves of some metrics, without those that were never logged.

        Args:
            folder: The run.
            names: The metrics; None: all.
            request: Axis, window and number of points.
            clock: The run's training clock, for the axis ``seconds``.
        """
        found = self.read(folder)
        wanted = found.series if names is None else [name for name in names if name in found.series]
        curves = {name: self._curve(folder.run_id, found, name, request, clock) for name in wanted}
        return Curves(curves, found.broken_lines, encode_cursor({folder.run_id: found.offset}))

    def _curve(
        self, run_id: str, found: Snapshot, name: str, request: CurveRequest, clock: TrainingClock
    ) -> MetricCurve:
        """Return a curve. Curves of long or sealed runs are cached until the run has new rows."""
        key = _CurveOf(run_id, found.offset, found.superseded, name, request, clock)
        with self._lock:
            known = self._curves.get(key)
        if known is None:
            known = make_curve(*_points(found.series, name, request.axis, clock), request)
            if (found.series.is_sealed or known.count >= LONG_CURVE) and len(known.x) <= CACHED_POINTS:
                with self._lock:
                    self._curves[key] = known
        return known

    def series(self, folder: RunFolder, *names: str) -> list[Series]:
        """Return the series of the given metrics; empty for a metric that was never logged."""
        found = self.read(folder).series
        return [found.get(name, NOTHING) for name in names]

    def forget_run(self, run_id: str) -> None:
        """Drop everything that is cached of a run, for instance because it is deleted."""
        with self._lock:
            self._cache.pop(run_id, None)
            for key in [key for key in self._curves if key.run_id == run_id]:
                del self._curves[key]

    def read(self, folder: RunFolder) -> Snapshot:
        """Return all series, up to the current end of the journal."""
        return self._opened(folder).read()

    def reads_quickly(self, folder: RunFolder) -> bool:
        """Return whether little of the journal has to be parsed for the curves: less than LONG_BYTES."""
        return self._opened(folder).unread_bytes() < LONG_BYTES

    def read_ahead(self, folder: RunFolder) -> None:
        """Start to read the run in a thread, so that the request for its curves that follows waits less.

        Does nothing while the run, or MOST_AHEAD others, are read in this way.
        """
        with self._lock:
            if folder.run_id in self._ahead or len(self._ahead) >= MOST_AHEAD:
                return
            self._ahead.add(folder.run_id)
        Thread(target=self._read_ahead, args=(folder,), name="read-ahead", daemon=True).start()

    def _read_ahead(self, folder: RunFolder) -> None:
        try:
            with suppress(RunFolderError, OSError):  # the request for the curves says what is wrong
                self.read(folder)
        finally:
            with self._lock:
                self._ahead.discard(folder.run_id)

    def _opened(self, folder: RunFolder) -> OpenedRun:
        with self._lock:
            return self._cache.setdefault(folder.run_id, OpenedRun(folder, self._sealer))


def _points(series: RunSeries, name: str, axis: Axis, clock: TrainingClock) -> tuple[Floats, Floats]:
    """Return axis, non-decreasing, and values of a series, each of shape (n,)."""
    if axis == "episode":
        found = series[name]
        return axis_positions(found, series.get(EPISODE_INDEX, NOTHING), axis, clock), found.value
    at, value = series.points(name, "step" if axis == "step" else "time")
    return _along(axis, at, clock), value


def axis_positions(series: Series, ends: Series, axis: Axis, clock: TrainingClock) -> Floats:
    """Return the position of each row of ``series`` on ``axis``, shape (n,), non-decreasing.

    ``ends``: the series ``episode/index``; ``clock``: the run's training clock.
    """
    if axis == "episode":
        return episodes_done(series, ends)
    return _along(axis, series.step if axis == "step" else series.time, clock)


def _along(axis: Axis, at: Floats, clock: TrainingClock) -> Floats:
    """Return positions on a time axis. If the clock was set back, time stands still until it catches up."""
    if axis == "step":
        return at
    if axis == "seconds":
        return clock.seconds(at)
    steady: Floats = np.maximum.accumulate(at)
    return steady


def make_curve(x: Floats, y: Floats, request: CurveRequest) -> MetricCurve:
    """Return the points in the window of ``request``, thinned. ``x`` (non-decreasing) and ``y`` have shape (n,)."""
    first = int(np.searchsorted(x, request.window.start, "left"))
    last = int(np.searchsorted(x, request.window.end, "right"))
    if request.newest is not None:
        first = max(first, last - request.newest)
    kept = first + kept_points(x[first:last], y[first:last], request.max_points)
    smoothed = None if len(kept) == len(y) else _smoothed(y[:last], kept, request.smoothing)
    return _metric_curve(x[kept], y[kept], last - first, smoothed)


def _smoothed(y: Floats, kept: Indices, smoothing: float) -> SmoothedCurve | None:
    """Return the moving average at the points ``kept``. ``y``: all points of the run up to the last of them."""
    if smoothing == 0:
        return None
    average = exponential_average(y, smoothing)
    mean = None if math.isnan(average.mean) else average.mean
    return SmoothedCurve.model_construct(y=null_gaps(average.values[kept]), mean=mean, weight=average.weight)


def _metric_curve(x: Floats, y: Floats, count: int, smoothed: SmoothedCurve | None = None) -> MetricCurve:
    """Return the curve without validation, which would take longer than reading the points."""
    return MetricCurve.model_construct(x=x.tolist(), y=null_gaps(y), count=count, smoothed=smoothed)


def null_gaps(values: Floats) -> list[float | None]:
    """Return the values with None for NaN, which JSON does not have."""
    return [None if math.isnan(value) else value for value in values.tolist()]


CACHED_EPISODES = 2_000_000
"""Maximum number of cached episodes of all runs together; 24 bytes each."""

CACHED_CURVES = 200
"""Maximum number of cached metric curves of one run."""

ComparedAxis = Literal["step", "seconds", "episode"]

_CurveKey = tuple[str, ComparedAxis, int, TrainingClock]
_NOTHING = Series(*np.empty((3, 0)))


@dataclass(eq=False)
class RunCurves:
    """The episodes of a run up to a size of its journal, and its requested curves.

    Attributes:
        size: Bytes of the journal that were read.
        logged: Names of its metrics.
        before: Number of episodes before its first: a fork continues its parent's count.
    """

    folder: RunFolder
    metrics: MetricsService
    size: int
    superseded: Superseded
    episodes: Episodes
    logged: Sequence[str] = ()
    before: int = 0
    _thinned: dict[_CurveKey, MetricCurve | None] = field(default_factory=dict)

    def episodes_over(self, axis: ComparedAxis, clock: TrainingClock) -> Episodes:
        """Return the episodes, with positions on ``axis`` instead of steps."""
        number = self.before + np.arange(1, len(self.episodes.step) + 1, dtype=np.float64)
        at = _places(axis, self.episodes.step, self.episodes.time, clock, number)
        return Episodes(at, self.episodes.time, self.episodes.reward)

    def evaluations(self, row: RunRow, asked: Sequence[Evaluated] = ()) -> list[Evaluated]:
        """Return the evaluations that can prove the run solved. ``asked``: results of evaluations on request."""
        return [*collect_counted_evaluations(asked, self.folder), *self._in_a_row(row)]

    def chosen_by(self) -> list[Evaluated]:
        """Return the evaluations during training, which chose the best policies."""
        return collect_counted_evaluations([], self.folder)

    def _in_a_row(self, row: RunRow) -> list[Evaluated]:
        series = _series(self.metrics, self.folder).get(EVAL_REWARD, _NOTHING) if row.is_foreign else _NOTHING
        found = EvaluationsInARow()
        for step, time, mean in zip(series.step, series.time, series.value, strict=True):
            found.add(int(step), float(time), float(mean))
        return found.found

    def thinned(
        self, names: Sequence[str], axis: ComparedAxis, max_points: int, clock: TrainingClock
    ) -> Mapping[str, MetricCurve]:
        """Return the curves of the metrics ``names``, without those that were never logged."""
        curves = {name: self._thin((name, axis, max_points, clock)) for name in names}
        return {name: curve for name, curve in curves.items() if curve is not None}

    def placed(self, name: str, axis: ComparedAxis, clock: TrainingClock) -> tuple[Floats, Floats]:
        """Return the positions on ``axis`` and the values of all points of a metric, each of shape (n,).

        Both are empty if it was never logged.
        """
        series = _series(self.metrics, self.folder)
        found = series.get(name, _NOTHING)
        return _positions(series, found, axis, clock), found.value

    def _thin(self, key: _CurveKey) -> MetricCurve | None:
        """Return a curve; None if the metric was never logged."""
        if key not in (known := self._thinned):
            if len(known) >= CACHED_CURVES:
                known = self._thinned = {}  # a new one, since other threads may read the old one
            known[key] = _curve(_series(self.metrics, self.folder), *key)
        return known[key]


class RunCurvesCache:
    """Caches RunCurves, and reads a run again when its journal has changed."""

    def __init__(self, metrics: MetricsService) -> None:
        self._metrics = metrics
        self._cache: LRUCache[str, RunCurves] = LRUCache(CACHED_EPISODES, getsizeof=_weight)
        self._lock = Lock()

    def read_curves(self, folder: RunFolder) -> RunCurves:
        """Return the curves of a run; empty if its journal cannot be read."""
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
    """Return the number of cached episodes; a run with more than the maximum is cached alone."""
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
) -> MetricCurve | None:
    found = series.get(name)
    if found is None:
        return None
    x, y = downsample(_positions(series, found, axis, clock), found.value, max_points)
    return _metric_curve(x, y, len(found))


def _positions(series: Mapping[str, Series], found: Series, axis: ComparedAxis, clock: TrainingClock) -> Floats:
    """Return the positions of the points of ``found``, which is one of ``series``, shape (n,)."""
    done = episodes_done(found, series.get(EPISODE_INDEX, _NOTHING)) if axis == "episode" else found.step
    return _places(axis, found.step, found.time, clock, done)


def _places(axis: ComparedAxis, step: Floats, time: Floats, clock: TrainingClock, episode: Floats) -> Floats:
    """Return non-decreasing positions on ``axis``. If the clock was set back, time stands still until it catches up."""
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
    """Return at most ``most`` updates, oldest first: evenly spaced, including the first and the newest.

    Invalid lines are left out. Raises RunFolderError.
    """
    lines = [line.record for line in last_lines(folder.anatomy_path, MAX_LINES) if line.record is not None]
    if len(lines) > most:
        last = len(lines) - 1
        lines = [lines[round(place * last / (most - 1))] for place in range(most)]
    return [update for line in lines if (update := _parse(line)) is not None]


def read_map(folder: RunFolder, environment: Environment | None, step: int | None) -> RunMap:
    """Return the newest map of a run, or with ``step`` the newest one up to it.

    ``environment`` is that of the run with its options, None if it is not known any more. Raises RunFolderError.
    """
    world = environment.world if environment is not None else None
    plan = folder.read_config().exploration
    is_recorded = plan is not None and plan.counts_visits
    found = read_visits(folder, world) if world is not None and is_recorded else None
    frames = visit_frames(found) if found is not None else []
    at = max((frame for frame in frames if step is None or frame.step <= step), key=lambda one: one.step, default=None)
    return RunMap(
        run_id=folder.run_id,
        world=view_world(world),
        rooms=list(world.rooms) if world is not None else [],
        is_recorded=is_recorded,
        step=at.step if at is not None else None,
        steps=[frame.step for frame in frames],
        cells=_visited(at, world) if at is not None and world is not None else [],
        path=found.path if found is not None else None,
        frontier=_frontier(found, world)
        if found is not None and world is not None and at is not None and at.step == found.step
        else [],
    )


def read_visits(folder: RunFolder, world: World) -> VisitMap | None:
    """Return the visits of a run in ``world``; None if none were written. Raises RunFolderError."""
    try:
        found = read_document(folder.map_path, VisitMap, folder.path)
    except FileNotFoundError:
        return None
    counts = [found.episodes, *(frame.visits for frame in visit_frames(found))]
    if any(len(one) != world.cells for one in counts):
        raise damage_error(
            folder.map_path, folder.path, f"It does not have the {world.cells} cells of the environment."
        )
    return found


def visit_frames(found: VisitMap) -> list[VisitFrame]:
    """Return the maps of all steps, the newest last. A rollback may leave later ones behind."""
    earlier = [frame for frame in found.frames if frame.step < found.step]
    return [*earlier, VisitFrame(step=found.step, visits=found.visits)]


def _visited(frame: VisitFrame, world: World) -> list[MapCell]:
    return [MapCell(**_place(world, cell), visits=count) for cell, count in enumerate(frame.visits) if count]


FRONTIER = 40
"""Most cells of the frontier in an answer."""

FRONTIER_SHARE = 0.5
"""Cells of the frontier have at least this share of the largest weight."""


def _frontier(found: VisitMap, world: World) -> list[FrontierCell]:
    visits = dict(enumerate(found.visits))
    # Earlier versions wrote no weights.
    weights = found.archive_weights or archive_weights(visits.get(cell, 0) for cell in found.archive)
    archived = {cell: weight for cell, weight in zip(found.archive, weights, strict=False) if cell in visits}
    total, least = sum(archived.values()), FRONTIER_SHARE * max(archived.values(), default=0.0)
    cells = [
        FrontierCell(**_place(world, cell), visits=found.visits[cell], weight=weight / total)
        for cell, weight in archived.items()
        if weight >= least
    ]
    return sorted(cells, key=lambda cell: -cell.weight)[:FRONTIER]


def _place(world: World, cell: int) -> dict[str, int]:
    return {"id": cell, "x": cell % world.columns, "y": cell // world.columns, "room": world.room_of(cell)}


def _parse(line: object) -> UpdateAnatomy | None:
    try:
        return UpdateAnatomy.model_validate(line)
    except ValidationError:
        return None
