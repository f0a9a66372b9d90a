"""MetricsProjection: computes a run's columns from the lines of ``metrics.jsonl``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlviz.domain.config import LastEpisode
from rlviz.domain.metrics import (
    EP_LEN_MEAN,
    EP_REW_MEAN,
    EPISODE_INDEX,
    EPISODE_LENGTH,
    EPISODE_REWARD,
    EVAL_REWARD,
    FPS,
    MAX_STEP,
    RECENT_FPS,
    UPDATE_SECONDS,
    is_metric,
)
from rlviz.rundir.journal import Line
from rlviz.stats.arrays import Floats
from rlviz.stats.return_curve import ReturnCurve
from rlviz.stats.solved import Evaluated, EvaluationsInARow

_NEWEST = (EP_REW_MEAN, EP_LEN_MEAN, FPS, RECENT_FPS, UPDATE_SECONDS)
"""Metrics whose newest value is kept."""


class MetricsProjection:
    """The newest step, the newest value of each metric, and the curve of the returns.

    The result depends only on the lines, not on how they are split into batches. ``step_at``: Unix time at which
    ``step`` was reached, None if unknown. ``broken``: number of lines that are not records; ``broken_at``: byte at
    which the last of them begins.
    """

    def __init__(
        self, threshold: float | None, before: Sequence[LastEpisode] = (), *, is_foreign: bool = False
    ) -> None:
        """``before``: the last episodes before the fork, if the run is one. ``is_foreign``: a program of the user's own
        trains the run, so that its periodic evaluations cannot be repeated."""
        self.step = 0
        self.step_at: float | None = None
        self.episodes = 0
        self.broken = 0
        self.broken_at: int | None = None
        self.curve = ReturnCurve(threshold, ([one.episode_return for one in before], [one.length for one in before]))
        self._newest: dict[str, Any] = {}
        self._in_a_row = EvaluationsInARow() if is_foreign else None

    def add_lines(self, lines: Sequence[Line]) -> None:
        """Apply the next lines of the journal."""
        records: list[Mapping[str, Any]] = []
        for line in lines:
            if line.record is not None and is_metric(line.record):
                records.append(line.record)
            else:
                self.broken += 1
                self.broken_at = line.start
        for record in records:
            values: Mapping[str, Any] = record["values"]
            if self._in_a_row is not None and (mean := number(values.get(EVAL_REWARD))) is not None:
                self._in_a_row.add(record["step"], number(record.get("time")) or 0.0, mean)
            index = number(values.get(EPISODE_INDEX))
            if index is not None and 0 <= index <= MAX_STEP:
                self.episodes = int(index)
            if record["step"] >= self.step:
                self.step, self.step_at = record["step"], number(record.get("time"))
        for name in _NEWEST:
            if (newest := next((record for record in reversed(records) if name in record["values"]), None)) is not None:
                self._newest[name] = newest["values"][name]
        _extend(self.curve, records)

    def columns(self) -> dict[str, Any]:
        """Return the columns that only this journal provides."""
        return {
            "episodes": self.episodes,
            "ep_rew_mean": self.mean_return,
            "ep_len_mean": self.mean_length,
            "update_seconds": self.update_seconds,
            "best_moving_average": self.curve.best,
            "best_moving_average_step": self.curve.best_step,
            "sparkline": self.curve.sparkline(),
        }

    @property
    def evaluations(self) -> list[Evaluated]:
        """The periodic evaluations that count without being repeated: only those of foreign runs."""
        return [] if self._in_a_row is None else self._in_a_row.found

    @property
    def mean_return(self) -> float | None:
        """Mean return of the last 100 episodes; before the first episode, the mean that Stable-Baselines3 logged."""
        return self.curve.mean if self.curve.has_mean else number(self._newest.get(EP_REW_MEAN))

    @property
    def mean_length(self) -> float | None:
        return self.curve.mean_length if self.curve.has_mean else number(self._newest.get(EP_LEN_MEAN))

    @property
    def fps(self) -> float | None:
        """The newest rate in steps per second; before the first one, the average since the start."""
        return number(self._newest.get(RECENT_FPS, self._newest.get(FPS)))

    @property
    def update_seconds(self) -> float | None:
        return number(self._newest.get(UPDATE_SECONDS))


def number(value: Any) -> float | None:
    """``value`` if it is a number, else None."""
    return float(value) if isinstance(value, int | float) else None


def _extend(curve: ReturnCurve, records: Sequence[Mapping[str, Any]]) -> None:
    """Add the episodes in ``records`` to ``curve``; records without a valid episode are skipped."""
    try:
        ends = [(record["step"], record["time"], record["values"]) for record in records if _ends_episode(record)]
        steps = _numbers([step for step, _, _ in ends], {int})
        times = _numbers([time for _, time, _ in ends], {int, float})
        returns = _numbers([values[EPISODE_REWARD] for _, _, values in ends], {int, float, type(None)})
        lengths = _numbers([values.get(EPISODE_LENGTH) for _, _, values in ends], {int, float, type(None)})
    except (LookupError, TypeError):
        if len(records) > 1:
            for record in records:
                _extend(curve, [record])
        return
    curve.extend(steps, times, returns, lengths)


def _ends_episode(record: Mapping[str, Any]) -> bool:
    return EPISODE_REWARD in record["values"]


def _numbers(values: Sequence[Any], kinds: set[type]) -> Floats:
    """Return an array with NaN for None. Raises TypeError if a value has none of the types in ``kinds``."""
    if not set(map(type, values)) <= kinds:
        raise TypeError(f"Expected only {kinds}.")
    return np.array(values, dtype=np.float64)
