"""Comparison of runs: figures, curves on a common step axis, and differences in configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import Field, JsonValue

from rlviz.domain.errors import pointer_to
from rlviz.domain.lazy_model import Frozen
from rlviz.stats.arrays import Floats
from rlviz.stats.returns import TrainingClock, moving_average
from rlviz.stats.solved import SolvedAt

STABILITY_EPISODES = 20
"""Stability is the standard deviation of this many last returns."""

_NO_SETTINGS = frozenset({"/run_id", "/name", "/created_at", "/group_id"})
_ORIGINS = frozenset({"parent", "experiment"})


@dataclass(frozen=True, eq=False)
class Episodes:
    """A run's finished episodes in order; each array has shape (n,).

    ``step``: environment steps done when the episode ended; ``time``: when it ended (Unix seconds); ``reward``: its
    return.
    """

    step: Floats
    time: Floats
    reward: Floats


@dataclass(frozen=True)
class RunMetrics:
    """Figures of one run. None if there are too few episodes, or the figure is not finite.

    Moving averages are over the returns of ``window`` episodes, at the step where the last of them ended.
    """

    episodes: int
    best_moving_average: float | None  # full windows only, so a lucky first episode does not count
    best_moving_average_step: int | None  # the first step, if reached several times
    final_moving_average: float | None  # over the last ``window`` episodes, or all if fewer
    steps_to_threshold: int | None  # by the criterion that all compared runs share
    seconds_to_threshold: float | None  # the same in seconds of training
    stability: float | None  # population standard deviation of the last 20 returns (at least 2)
    best_error: float | None  # standard error of the best average
    final_error: float | None  # standard error of the final average


@dataclass(frozen=True, eq=False)
class AlignedCurves:
    """Curves on one axis: ``step`` of shape (m,), and for each run id values of shape (m,), NaN where missing."""

    step: Floats
    values: dict[str, Floats]


class ConfigDifference(Frozen):
    path: str = Field(description="JSON pointer into config.json.")
    group: str = Field(description="Part of the configuration, such as hyperparameters; empty at the top level.")
    name: str = Field(description="Name within the group.")
    values: dict[str, JsonValue] = Field(description="Value by run id, without runs that lack this setting.")


def run_metrics(
    episodes: Episodes, *, window: int, reached: SolvedAt | None = None, clock: TrainingClock | None = None
) -> RunMetrics:
    """Return the figures of one run.

    Args:
        episodes: Its episodes.
        window: Episodes in the moving average.
        reached: When it reached the threshold; None: never.
        clock: Counts its seconds of training.

    Raises:
        ValueError: ``window`` is below 1.
    """
    averages = moving_average(episodes.reward, window)
    full = np.where((np.arange(len(averages)) >= window - 1) & np.isfinite(averages), averages, np.nan)
    best = None if np.isnan(full).all() else int(np.nanargmax(full))
    return RunMetrics(
        episodes=len(averages),
        best_moving_average=None if best is None else float(full[best]),
        best_moving_average_step=None if best is None else int(episodes.step[best]),
        final_moving_average=_last_number(averages),
        steps_to_threshold=None if reached is None else reached.step,
        seconds_to_threshold=None if reached is None or clock is None else clock.at(reached.time),
        stability=_spread(episodes.reward[-STABILITY_EPISODES:]),
        best_error=None if best is None else _error(episodes.reward[best + 1 - window : best + 1]),
        final_error=_error(episodes.reward[-window:]),
    )


def aligned_curves(
    runs: Mapping[str, Episodes], *, window: int, max_points: int, until: float = np.inf
) -> AlignedCurves:
    """Return the moving average of each run's returns on one grid of steps.

    The grid contains every step at which an episode ended, if these fit; otherwise evenly spaced ones. A curve has
    the value of the last episode that had ended by then, and NaN before the run's first and after its last episode:
    nothing is extrapolated.

    Args:
        runs: Episodes by run id.
        window: Episodes in the moving average.
        max_points: Maximum grid points, at least 2.
        until: Last step of the grid.

    Raises:
        ValueError: ``window`` is below 1, or ``max_points`` below 2.
    """
    if max_points < 2:
        raise ValueError(f"max_points must be at least 2, not {max_points}.")
    steps = np.unique(np.concatenate([np.empty(0), *(episodes.step for episodes in runs.values())]))
    steps = steps[steps <= until]
    grid = steps if len(steps) <= max_points else np.unique(np.linspace(steps[0], steps[-1], max_points).round())
    return AlignedCurves(grid, {run_id: _on_grid(episodes, window, grid) for run_id, episodes in runs.items()})


def config_diff(configs: Mapping[str, Mapping[str, object]]) -> list[ConfigDifference]:
    """Return the settings that differ between ``configs`` (by run id), in the order of the first config that has them.

    Paths are RFC 6901 JSON pointers such as ``/hyperparameters/gamma``. Lists are compared as a whole. Identity
    (run_id, name, created_at, group_id), parent and experiment of a run are left out.
    """
    table: dict[str, dict[str, object]] = {}
    for run_id, config in configs.items():
        for path, value in _leaves(config):
            if path not in _NO_SETTINGS and path.split("/")[1] not in _ORIGINS:
                table.setdefault(path, {})[run_id] = value
    return [
        _difference(path, values)
        for path, values in table.items()
        if len(values) < len(configs) or not _all_same(list(values.values()))
    ]


def _difference(path: str, values: Mapping[str, object]) -> ConfigDifference:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    group, name = parts[0] if len(parts) > 1 else "", " › ".join(parts[1:] or parts)
    return ConfigDifference.model_validate({"path": path, "group": group, "name": name, "values": values})


def _last_number(values: Floats) -> float | None:
    return float(values[-1]) if len(values) and np.isfinite(values[-1]) else None


def _spread(returns: Floats) -> float | None:
    return float(np.std(returns)) if len(returns) >= 2 and np.isfinite(returns).all() else None


def _error(returns: Floats) -> float | None:
    """Return the standard error of the mean, estimated from the sample."""
    return float(np.std(returns, ddof=1) / np.sqrt(len(returns))) if _spread(returns) is not None else None


def _on_grid(episodes: Episodes, window: int, grid: Floats) -> Floats:
    """Return values on ``grid``, shape (m,). If several episodes ended at one step (parallel environments), the last
    counts."""
    averages = moving_average(episodes.reward, window)
    values = np.full(len(grid), np.nan)
    if len(averages):
        latest = np.searchsorted(episodes.step, grid, side="right") - 1
        inside = (latest >= 0) & (grid <= episodes.step[-1])
        values[inside] = averages[latest[inside]]
    return values


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value that is not a non-empty object, with its JSON pointer."""
    if not isinstance(value, Mapping) or (path and not value):
        yield path, value
        return
    for name, member in value.items():
        yield from _leaves(member, path + pointer_to(name))


def _all_same(values: list[object]) -> bool:
    """Whether all are equal in JSON: 1 equals 1.0, but true equals no number."""
    first = values[0]
    return all(value == first and isinstance(value, bool) == isinstance(first, bool) for value in values)
