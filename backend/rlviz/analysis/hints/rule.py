"""Rule: a known problem, the metric that shows it, and how much data the rule needs before it is applied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from rlviz.analysis.hints.case import Case
from rlviz.analysis.hints.hint import Hint

MIN_ROUNDS = 10
"""Rounds of updates before a rule is applied: after two, nothing could be learned yet."""


class Unit(StrEnum):
    EPISODES = "episodes"
    UPDATES = "updates"
    ROWS = "rows"


@dataclass(frozen=True)
class Minimum:
    """``points``: number of values of the metric; ``progress``: share of the timesteps done; ``ended``: whether
    training must be over (or 99 % done)."""

    points: int
    unit: Unit
    progress: float = 0.0
    ended: bool = False


class RuleState(StrEnum):
    NOT_LOGGED = "not_logged"  # the run has not logged the metric (yet)
    WAITING = "waiting"  # there is too little data
    SILENT = "silent"  # applied, without a finding
    FOUND = "found"  # applied, with a hint


@dataclass(frozen=True)
class Rule:
    """``metrics``: the metric it is applied to, under each algorithm's name for it; the first one that was logged is
    used. ``find`` is called only once there is enough data. ``always``: the hint reports a fault and not a policy that
    could be better, so it is given also where a policy solved the task."""

    id: str
    looks_for: str
    metrics: tuple[str, ...]
    minimum: Minimum
    find: Callable[[Case], Hint | None]
    always: bool = False


@dataclass(frozen=True)
class Finding:
    """The result of a rule. ``metric`` is the one that it was applied to, and ``points`` its number of values."""

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
    enough = points >= minimum.points and case.progress >= minimum.progress and case.updates >= MIN_ROUNDS
    if rule.always:
        enough = points >= minimum.points
    if not enough or (minimum.ended and not case.over):
        return Finding(rule, RuleState.WAITING, metric, points)
    if case.is_good_enough and not rule.always:
        return Finding(rule, RuleState.SILENT, metric, points)
    hint = rule.find(case)
    return Finding(rule, RuleState.FOUND if hint else RuleState.SILENT, metric, points, hint)
