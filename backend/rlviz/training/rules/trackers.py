"""Trackers: whether the condition of a rule is true, row by row.

A tracker is shown each value of its metric in order, and answers True, False, or None where the value decides nothing.
Between True and False lies a distance (hysteresis), so that a metric which trembles around a number is one episode.
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any, ClassVar

from rlviz.domain.rules import (
    Better,
    Condition,
    DiskLimit,
    Fall,
    MetricIs,
    NewBest,
    NotFinite,
    Plateau,
    SecondsLimit,
    StepsLimit,
    TrainingError,
)

RAISED = "training/raised"
"""What rules are shown as if it were a metric where training raises an error. No row has it."""

DISK_RELIEF = 0.9
"""Share of its limit below which the disk space of a run has to fall before the limit can be passed again."""


class Tracker(ABC):
    """Everything that it remembers is in its attributes other than ``condition``, in plain values."""

    is_momentary: ClassVar[bool] = False
    """Whether each True is an episode of its own."""

    condition: Any

    def value(self, name: str, step: int, value: float) -> bool | None:
        """A value of a metric that ``watches`` says yes to; NaN if it is not finite."""
        return None

    def clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        """Steps done, seconds trained, and bytes of the run folder if they were counted."""
        return None

    def watches(self, name: str) -> bool:
        return bool(getattr(self.condition, "metric", "") == name)

    def state(self) -> dict[str, Any]:
        return {
            name: set(value) if isinstance(value, set) else value
            for name, value in vars(self).items()
            if name != "condition"
        }

    def restore(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


class _Metric(Tracker):
    def __init__(self, condition: MetricIs) -> None:
        self.condition = condition
        self.inside = self.outside = 0

    def value(self, name: str, step: int, value: float) -> bool | None:
        if math.isnan(value):
            self.inside = self.outside = 0
        elif self._holds(value):
            self.inside, self.outside = self.inside + 1, 0
        else:
            self.inside, self.outside = 0, self.outside + 1
        rows = self.condition.rows
        return True if self.inside >= rows else False if self.outside >= rows else None

    def _holds(self, value: float) -> bool:
        limit = self.condition.value
        match self.condition.side:
            case "above":
                return bool(value > limit)
            case "at_least":
                return bool(value >= limit)
            case "below":
                return bool(value < limit)
            case _:
                return bool(value <= limit)


class _NotFinite(Tracker):
    def __init__(self, condition: NotFinite) -> None:
        self.condition = condition
        self.names: set[str] = set()

    def watches(self, name: str) -> bool:
        return self.condition.metric in (None, name)

    def value(self, name: str, step: int, value: float) -> bool | None:
        if math.isfinite(value):
            self.names.discard(name)
        else:
            self.names.add(name)
        return bool(self.names)


class _Best(Tracker):
    """Remembers the best value."""

    def __init__(self, condition: Plateau | NewBest) -> None:
        self.condition = condition
        self.best: float | None = None
        self.best_step = 0

    def improves(self, step: int, value: float, by: float = 0.0) -> bool:
        """Whether ``value`` is better than the best; then it is the best. The first one is, too."""
        if self.best is not None and _gain(self.condition.better, self.best, value) <= by:
            return False
        self.best, self.best_step = value, step
        return True


class _Plateau(_Best):
    def value(self, name: str, step: int, value: float) -> bool | None:
        if math.isnan(value):
            return None
        if self.improves(step, value, self.condition.by):
            return False
        return True if step - self.best_step >= self.condition.steps else None


class _NewBest(_Best):
    is_momentary = True

    def value(self, name: str, step: int, value: float) -> bool | None:
        is_first = self.best is None
        return not math.isnan(value) and self.improves(step, value) and not is_first


class _Fall(Tracker):
    def __init__(self, condition: Fall) -> None:
        self.condition = condition
        self.best = -math.inf
        self.lowest = math.inf
        """Up to the best."""

    def value(self, name: str, step: int, value: float) -> bool | None:
        if not math.isfinite(value):
            return None
        if value > self.best:
            self.best, self.lowest = value, min(self.lowest, value)
            return False
        if self.best == -math.inf:
            return None
        depth = self.condition.share * max(abs(self.best), self.best - self.lowest)
        fallen = self.best - value
        if depth > 0 and fallen >= depth:
            return True
        return False if fallen <= depth / 2 else None


class _Error(Tracker):
    is_momentary = True

    def __init__(self, condition: TrainingError) -> None:
        self.condition = condition

    def watches(self, name: str) -> bool:
        return name == RAISED

    def value(self, name: str, step: int, value: float) -> bool | None:
        return True


class _Limit(Tracker):
    """Once passed, it stays so."""

    def __init__(self, condition: SecondsLimit | StepsLimit) -> None:
        self.condition = condition

    def clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        if isinstance(self.condition, SecondsLimit):
            return bool(seconds >= self.condition.seconds)
        return bool(step >= self.condition.steps)


class _Disk(Tracker):
    def __init__(self, condition: DiskLimit) -> None:
        self.condition = condition

    def clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        if disk is None:
            return None
        return True if disk >= self.condition.bytes else False if disk < DISK_RELIEF * self.condition.bytes else None


def tracker_of(condition: Condition) -> Tracker:
    match condition:
        case MetricIs():
            return _Metric(condition)
        case NotFinite():
            return _NotFinite(condition)
        case Plateau():
            return _Plateau(condition)
        case NewBest():
            return _NewBest(condition)
        case Fall():
            return _Fall(condition)
        case TrainingError():
            return _Error(condition)
        case SecondsLimit() | StepsLimit():
            return _Limit(condition)
        case DiskLimit():
            return _Disk(condition)


def _gain(better: Better, before: float, after: float) -> float:
    return after - before if better == "higher" else before - after
