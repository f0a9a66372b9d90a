"""Runs side by side: their curves on common steps, their figures, and how they were set differently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.comparison import (
    AlignedCurves,
    ConfigDifference,
    Episodes,
    RunMetrics,
    aligned_curves,
    config_diff,
    run_metrics,
)
from rlviz.catalog.models import RunRow
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest, RunFolderError
from rlviz.domain.records import EPISODE_LENGTH, EPISODE_REWARD
from rlviz.environments.custom import environment_of
from rlviz.rundir.folder import RunFolder
from rlviz.services.use_cases.metrics import MetricsService
from rlviz.services.use_cases.runs import RunService

GRID_POINTS = 1_000


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """``threshold`` is None if none was given and the environments have no common one."""

    threshold: float | None
    window: int
    rows: Sequence[RunRow]
    figures: Mapping[str, RunMetrics]
    curves: AlignedCurves
    differences: Sequence[ConfigDifference]


class ComparisonService:
    def __init__(self, runs: RunService, metrics: MetricsService) -> None:
        self._runs, self._metrics = runs, metrics

    def compare(self, run_ids: Sequence[str], threshold: float | None, window: int) -> ComparedRuns:
        """Compare runs by their episode returns over ``window`` episodes.

        A run whose folder is damaged takes part with what can be read of it: without a curve, or without settings.
        Raises RunNotFound or InvalidRequest.
        """
        if not run_ids:
            raise InvalidRequest.field("/runs", "Name at least one run.")
        rows = self._runs.get_many(run_ids)
        folders = {row.id: self._runs.folder(row.id) for row in rows}
        episodes = {run_id: self._episodes(folder) for run_id, folder in folders.items()}
        configs = {run_id: config for run_id, folder in folders.items() if (config := _config(folder)) is not None}
        if threshold is None:
            threshold = _common_threshold(configs.values())
        return ComparedRuns(
            threshold=threshold,
            window=window,
            rows=rows,
            figures={
                row.id: run_metrics(episodes[row.id], window=window, threshold=threshold, started_at=row.started_at)
                for row in rows
            },
            curves=aligned_curves(episodes, window=window, max_points=GRID_POINTS),
            differences=config_diff({run_id: config.model_dump(mode="json") for run_id, config in configs.items()}),
        )

    def _episodes(self, folder: RunFolder) -> Episodes:
        try:
            reward, length = self._metrics.series(folder, EPISODE_REWARD, EPISODE_LENGTH)
        except RunFolderError:
            return Episodes(*np.empty((4, 0)))
        count = min(len(reward), len(length))
        return Episodes(
            *(np.asarray(column[:count]) for column in (reward.step, reward.time, reward.value, length.value))
        )


def _config(folder: RunFolder) -> RunConfig | None:
    try:
        return folder.read_config()
    except RunFolderError:
        return None


def _common_threshold(configs: Iterable[RunConfig]) -> float | None:
    """The reward threshold, if all runs share one environment and their options one threshold."""
    found = {(config.env_id, environment_of(config).reward_threshold) for config in configs}
    return found.pop()[1] if len(found) == 1 else None
