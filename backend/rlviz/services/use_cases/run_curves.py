"""RunCurves: the parts of a run's journals that a comparison needs, small enough for a hundred runs in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

import numpy as np
from cachetools import LRUCache

from rlviz.analysis.arrays import Floats
from rlviz.analysis.columns import Series
from rlviz.analysis.comparison import Episodes
from rlviz.analysis.downsample import downsample
from rlviz.analysis.episodes import episodes_done
from rlviz.analysis.solved import Evaluated, EvaluationsInARow
from rlviz.analysis.training_clock import TrainingClock
from rlviz.catalog.models import RunRow
from rlviz.domain.errors import RunFolderError
from rlviz.domain.records import EPISODE_INDEX, EPISODE_REWARD, EVAL_REWARD
from rlviz.domain.superseded import Superseded
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import whole_size
from rlviz.rundir.superseded import superseded_rows
from rlviz.services.projection.folder_projection import evaluations_that_count
from rlviz.services.use_cases.metrics import Curve, MetricsService

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

    def of(self, folder: RunFolder) -> RunCurves:
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
    done = episodes_done(found, series.get(EPISODE_INDEX, _NOTHING)) if axis == "episode" else found.step
    x, y = downsample(_places(axis, found.step, found.time, clock, done), found.value, max_points)
    return Curve(x.tolist(), y.tolist(), len(found))


def _places(axis: ComparedAxis, step: Floats, time: Floats, clock: TrainingClock, episode: Floats) -> Floats:
    """Non-decreasing: where the clock was set back, time stands still until it has caught up."""
    match axis:
        case "step":
            return step
        case "episode":
            return episode
        case "seconds":
            return clock.seconds(time)
