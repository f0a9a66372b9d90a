"""RunToIngest: all that goes into PostgreSQL of one run folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.downsample import kept_points
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.domain.naming import POSTGRES
from rlviz.rundir.folder import RunFolder
from rlviz.services.ingest.schema import VERSION
from rlviz.services.projection.folder_projection import Indexed, index_folder
from rlviz.services.use_cases.metrics import MetricsService

MOST_POINTS = 1_000
"""Of each metric of a run; every extreme is kept. The folder has all of them."""


class NotIngested(Exception):
    """Why a run is left out."""


@dataclass(frozen=True, eq=False)
class RunToIngest:
    """``points``: of each metric its name, and step, time and value, each of shape (n,)."""

    row: RunRow
    config: RunConfig
    evaluations: list[EvaluationRow]
    points: list[tuple[str, Floats, Floats, Floats]]

    @property
    def count(self) -> int:
        return sum(len(value) for _, _, _, value in self.points)

    def columns(self) -> dict[str, Any]:
        """The columns of ``run`` that come from the folder; JSON as text."""
        row, best, trial = self.row, self.row.best_policy or {}, self.config.experiment
        names: tuple[str, ...] = (
            "id",
            "name",
            "algo",
            "env_id",
            "preset",
            "seed",
            "group_id",
            "status",
            "cause",
            "tags",
        )
        names += ("total_timesteps", "step", "episodes", "fps", "ep_rew_mean", "best_moving_average")
        names += ("reward_threshold", "solved_step", "solved_seconds")
        columns = {
            **{name: getattr(row, name) for name in names},
            **{name: _instant(getattr(row, name)) for name in ("created_at", "started_at", "ended_at")},
            "parent_id": (row.parent or {}).get("run_id"),
            "experiment_id": trial and trial.id,
            "experiment_variant": trial and trial.variant,
            "best_policy_return": best.get("mean_return"),
            "hyperparameters": json.dumps(storable(self.config.hyperparameters)),
            "env_options": json.dumps(storable(row.env_options)),
            "points": self.count,
        }
        return {name: storable(value) for name, value in columns.items()}

    def renamed(self) -> dict[str, str]:
        """Metrics whose names PostgreSQL does not take, with what they are called there."""
        return POSTGRES.renamed(name for name, *_ in self.points)

    def metrics(self) -> Iterator[tuple[str, str, float, float, float | None]]:
        """The rows of ``metric``; null where the journal says so."""
        for metric, step, time, value in self.points:
            name = POSTGRES.encode(metric)
            for one in zip(step.tolist(), time.tolist(), value.tolist(), strict=True):
                yield self.row.id, name, one[0], one[1], None if one[2] != one[2] else one[2]


def storable(value: Any) -> Any:
    """Return a value as PostgreSQL takes it: in texts, also within lists and dictionaries, NUL is written as \\x00."""
    if isinstance(value, str):
        return value.replace("\0", "\\x00")
    if isinstance(value, list | tuple):
        return [storable(one) for one in value]
    if isinstance(value, dict):
        return {POSTGRES.encode(name): storable(one) for name, one in value.items()}
    return value


def fingerprint(folder: RunFolder) -> str:
    """Changes with whatever a run's folder gains that is ingested, and with the version of the tables."""
    parts = [str(VERSION)]
    parts += [_stat(path) for path in (folder.config_path, folder.labels_path, folder.metrics_path, folder.events_path)]
    parts += [f"{path.name}{_stat(path)}" for path in sorted(folder.evaluations.path.glob("*.json"))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def read_run(folder: RunFolder, metrics: MetricsService) -> RunToIngest:
    """Raises NotIngested."""
    found = Indexed()
    index_folder(folder, found)
    if not found.runs:
        raise NotIngested("; ".join(map(str, found.unreadable)) or "It cannot be read.")
    row = found.runs[0]
    if row.damage:
        raise NotIngested(f"It is damaged: {row.damage[0].get('problem', 'a file cannot be read')}")
    if not row.state.has_ended:
        raise NotIngested(f"It is {row.status}, and is ingested once it has ended.")
    try:
        config, series = folder.read_config(), metrics.read(folder).series
        points = [(name, *_thinned(one.step, one.time, one.value)) for name, one in series.items()]
    except (RunFolderError, OSError) as error:
        raise NotIngested(str(error)) from error
    finally:
        metrics.forget(folder.run_id)
    evaluations = [one for one in found.evaluations if not one.is_by_run]
    return RunToIngest(row, config, evaluations, points)


def _thinned(step: Floats, time: Floats, value: Floats) -> tuple[Floats, Floats, Floats]:
    kept = kept_points(np.arange(len(value), dtype=np.float64), value, MOST_POINTS)
    return step[kept], time[kept], value[kept]


def _stat(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "-"
    return f"{found.st_size}/{found.st_mtime_ns}"


def _instant(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
