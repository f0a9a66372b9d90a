"""Read the past of a run: training that no longer counts, and its ancestors. Charts draw it behind the run's curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np
from cachetools import LRUCache

from rlviz.domain.config import Parent
from rlviz.domain.errors import RlvizError, RunFolderError, RunNotFound
from rlviz.domain.events import DivergedData, RollbackData, Stretch, Superseded, parse_event
from rlviz.domain.metrics import CLOCK, EPISODE_INDEX
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.metric_columns import WantedRows
from rlviz.rundir.metric_rows import superseded_rows
from rlviz.rundir.snapshots import find_fork_start
from rlviz.server.catalog.models import RunRow
from rlviz.server.metrics.columns import read_series
from rlviz.server.metrics.models import AncestorCurves, GhostCurves, MetricCurve, PastCurves
from rlviz.server.metrics.service import NOTHING, CurveRequest, MetricsService, axis_positions, make_curve
from rlviz.server.runs.service import RunService
from rlviz.stats.arrays import Series
from rlviz.stats.returns import MEAN_EPISODES, TrainingClock

MOST_GHOSTS = 5
"""Maximum number of ghosts; more cannot be told apart in a chart."""

GHOST_BYTES = 1 << 24
"""Bytes of journal parsed for one ghost, about a quarter of a second; a longer one is truncated."""

MOST_ANCESTORS = 10

CACHED_RUNS = 20

Cause = Literal["rollback", "diverged"]


@dataclass(frozen=True, eq=False)
class _Left:
    """Rows of a run that no longer count. They never change."""

    stretch: Stretch
    cause: Cause
    series: Mapping[str, Series]


class PastService:
    def __init__(self, runs: RunService, metrics: MetricsService) -> None:
        self._runs, self._metrics = runs, metrics
        self._cache: LRUCache[str, tuple[Superseded, list[_Left]]] = LRUCache(CACHED_RUNS)
        self._lock = Lock()

    def read_past(self, run_id: str, names: Sequence[str] | None, request: CurveRequest) -> PastCurves:
        """Return past curves of the given metrics, or of all if None. Raises RunNotFound."""
        row = self._runs.get(run_id)
        folder = self._runs.folder(run_id)
        left = self._left_behind(folder)
        counted = self._metrics.read(folder).series if left else {}
        ghosts = [_ghost(one, names, request, row.clock, counted) for one in left]
        stretches = [one for one in superseded_rows(folder).stretches if one.first <= one.last]
        return PastCurves(
            run_id=run_id,
            x=request.axis,
            mean_episodes=MEAN_EPISODES,
            ghosts=[ghost for ghost in ghosts if ghost is not None],
            ghosts_left_out=max(0, len(stretches) - MOST_GHOSTS),
            ancestors=[*self._ancestors(row, names, request)][::-1] if request.axis in ("step", "episode") else [],
        )

    def _left_behind(self, folder: RunFolder) -> list[_Left]:
        """Return the rows that no longer count. They are cached until there are more."""
        superseded = superseded_rows(folder)
        if not superseded:
            return []
        with self._lock:
            known = self._cache.get(folder.run_id)
        if known is not None and known[0].stretches == superseded.stretches:
            return known[1]
        left = list(_read_left(folder, superseded))
        with self._lock:
            self._cache[folder.run_id] = superseded, left
        return left

    def _ancestors(self, row: RunRow, names: Sequence[str] | None, request: CurveRequest) -> Iterator[AncestorCurves]:
        """Return the ancestors, starting with the parent, up to a deleted one."""
        for _ in range(MOST_ANCESTORS):
            if row.parent is None:
                return
            child, fork = self._runs.folder(row.id), Parent.model_validate(row.parent)
            try:
                row = self._runs.get(fork.run_id)
                series = self._series_at(self._runs.folder(row.id), child, fork)
            except (RunNotFound, RunFolderError):
                return
            curves = _curves(series, names, request, row.clock, until=fork.step)
            yield AncestorCurves(run_id=row.id, name=row.name, to_step=fork.step, series=curves)

    def _series_at(self, parent: RunFolder, child: RunFolder, fork: Parent) -> Mapping[str, Series]:
        """Return the series of ``parent`` as they were when ``child`` was forked, at least up to the step of the fork.

        The parent may have been rolled back to before that step since.
        """
        now = superseded_rows(parent)
        with suppress(RlvizError):
            taken = find_fork_start(child, fork).manifest
            then = now.by(taken.attempt)
            if any(stretch.attempt > taken.attempt and stretch.first <= taken.last_row for stretch in now.stretches):
                return _read_rows(parent, Stretch(first=1, last=taken.last_row), then)
        return self._metrics.read(parent).series


def _read_left(folder: RunFolder, superseded: Superseded) -> Iterator[_Left]:
    causes = _causes(folder)
    stretches = [stretch for stretch in superseded.stretches if stretch.first <= stretch.last]
    for place in range(max(0, len(stretches) - MOST_GHOSTS), len(stretches)):
        stretch = stretches[place]
        series = _read_rows(folder, stretch, Superseded(stretches[:place]), GHOST_BYTES)
        yield _Left(stretch, causes.get(stretch, "rollback"), series)


def _causes(folder: RunFolder) -> dict[Stretch, Cause]:
    found: dict[Stretch, Cause] = {}
    with suppress(RunFolderError):
        for line in journal_lines(folder.events_path):
            match (event := parse_event(line.record)) and event.data:
                case RollbackData(superseded=stretch):
                    found[stretch] = "rollback"
                case DivergedData(superseded=stretch):
                    found[stretch] = "diverged"
    return found


def _read_rows(
    folder: RunFolder, rows: Stretch, without: Superseded, most_bytes: int | None = None
) -> Mapping[str, Series]:
    """Read the series of some rows of the journal. ``without``: rows that were superseded before."""
    wanted = WantedRows(without, after=rows.first - 1, last=rows.last, only_valid=True)
    return read_series(folder, wanted, most_bytes=most_bytes, skip_damaged=True)


def _ghost(
    left: _Left,
    names: Sequence[str] | None,
    request: CurveRequest,
    clock: TrainingClock,
    counted: Mapping[str, Series],
) -> GhostCurves | None:
    """Return a ghost, without the metrics that did not change when the run trained these steps again.

    ``counted``: the series that count. Returns None if no row can be read or none differs.
    """
    series = {name: one for name, one in left.series.items() if not _is_retraced(one, counted.get(name))}
    if all(name.startswith(CLOCK) for name in series):
        return None
    return GhostCurves(
        attempt=left.stretch.attempt,
        cause=left.cause,
        from_step=int(min(one.step[0] for one in left.series.values())),
        to_step=int(max(one.step[-1] for one in left.series.values())),
        series=_curves(series, names, request, clock),
    )


def _is_retraced(left: Series, counted: Series | None) -> bool:
    """Return whether ``counted`` has all rows of ``left`` with the same values."""
    if counted is None:
        return False
    first = int(np.searchsorted(counted.step, left.step[0], "left"))
    step, value = counted.step[first : first + len(left)], counted.value[first : first + len(left)]
    return np.array_equal(step, left.step) and np.array_equal(value, left.value, equal_nan=True)


def _curves(
    series: Mapping[str, Series],
    names: Sequence[str] | None,
    request: CurveRequest,
    clock: TrainingClock,
    until: int | None = None,
) -> dict[str, MetricCurve]:
    """Return the thinned curves of ``series``. ``until``: leave out the points of later steps."""
    wanted = list(series) if names is None else [name for name in names if name in series]
    found = {}
    for name in wanted:
        one = series[name]
        x, counted = axis_positions(one, series.get(EPISODE_INDEX, NOTHING), request.axis, clock), slice(None)
        if until is not None:
            counted = slice(int(np.searchsorted(one.step, until, "right")))
        found[name] = make_curve(x[counted], one.value[counted], request)
    return {name: curve for name, curve in found.items() if curve.count}
