"""Rule: something known to go wrong, what it is seen in, and how much has to be there before it may speak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from rlviz.analysis.hints.case import Case
from rlviz.analysis.hints.hint import Hint


class Unit(StrEnum):
    EPISODES = "episodes"
    UPDATES = "updates"
    ROWS = "rows"


@dataclass(frozen=True)
class Minimum:
    """``points``: values of the metric; ``progress``: share of the timesteps that is done; ``ended``: training is over,
    or as good as."""

    points: int
    unit: Unit
    progress: float = 0.0
    ended: bool = False


class RuleState(StrEnum):
    NOT_LOGGED = "not_logged"  # the run has no such metric (yet)
    WAITING = "waiting"  # there is too little to judge by
    SILENT = "silent"  # it looked, and found nothing
    FOUND = "found"  # it has a hint


@dataclass(frozen=True)
class Rule:
    """``metrics``: the one it looks at, under the name that each learner gives it; the first that was logged counts.
    ``find`` is asked only once the minimum is there."""

    id: str
    looks_for: str
    metrics: tuple[str, ...]
    minimum: Minimum
    find: Callable[[Case], Hint | None]


@dataclass(frozen=True)
class Finding:
    """What a rule came to: ``metric`` that it looked at, which has so many ``points``."""

    rule: Rule
    state: RuleState
    metric: str | None
    points: int
    hint: Hint | None = None


def apply(rule: Rule, case: Case) -> Finding:
    metric = next((name for name in rule.metrics if len(case.series.get(name, ()))), None)
    if metric is None:
        return Finding(rule, RuleState.NOT_LOGGED, None, 0)
    points = len(case.series[metric])
    minimum = rule.minimum
    enough = points >= minimum.points and case.progress >= minimum.progress
    if not enough or (minimum.ended and not case.over):
        return Finding(rule, RuleState.WAITING, metric, points)
    hint = rule.find(case)
    return Finding(rule, RuleState.FOUND if hint else RuleState.SILENT, metric, points, hint)
