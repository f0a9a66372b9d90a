"""A rule about the components of the reward: one is farmed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.domain.reward_components import RewardComponent, component_of
from rlviz.stats.arrays import Floats
from rlviz.stats.hints.hint import Case, Hint, number_text

MOST_SHARE = 0.8
"""Share of an episode's gains above which a component may be farmed."""

PART = 0.2
"""Share of the steps, at the beginning and at the end, that are compared."""

EPISODES = 20
"""Minimum number of episodes in each of them."""

CLEAR = 3.0
"""Standard errors by which two means must differ."""

GROWTH = 0.2
"""Share of its newest mean by which a component must have grown to count as one that is farmed."""

SUCCESS = "rollout/success_rate"


@dataclass(frozen=True, eq=False)
class _Trend:
    """Values of the first and the last episodes, each of shape (n,)."""

    early: Floats
    late: Floats
    can_gain: bool
    """Whether a value was ever positive."""

    @property
    def grows(self) -> bool:
        error = float(np.hypot(*(part.std() / np.sqrt(len(part)) for part in (self.early, self.late))))
        return self.rise > max(CLEAR * error, 1e-9)

    @property
    def before(self) -> str:
        return number_text(float(self.early.mean()))

    @property
    def after(self) -> str:
        return number_text(float(self.late.mean()))

    @property
    def rise(self) -> float:
        return float(self.late.mean() - self.early.mean())


def component_farmed(case: Case) -> Hint | None:
    """One component carries most of what an episode gains and has grown, while the task's own does not grow."""
    trends = dict(_trends(case))
    gains = {one: trend for one, trend in trends.items() if trend.late.mean() > 0}
    if case.reached or not gains:
        return None
    farmed = max(gains, key=lambda one: float(gains[one].late.mean()))
    share = float(gains[farmed].late.mean() / sum(trend.late.mean() for trend in gains.values()))
    trend = gains[farmed]
    limited = case.reward is not None and case.reward.limits_gain(farmed.name)
    if farmed.is_task or farmed.is_bounded or limited or share <= MOST_SHARE:
        return None
    if not trend.grows or trend.rise < GROWTH * trend.late.mean():
        return None
    own = _own_of_task(case, farmed, trends)
    if own is None or own[1].grows:
        return None
    name, task = own
    return Hint(
        id="component-farmed",
        severity="warning",
        title=f"The component {_quoted(farmed)} is being farmed",
        metric=farmed.metric,
        from_step=int((1 - PART) * case.step),
        to_step=case.step,
        evidence=(
            f"Over the last fifth of the steps, {_quoted(farmed)} is {share:.0%} of what an episode gains: "
            f"{trend.after} on average, and {trend.before} over the first fifth. Meanwhile {name} did not grow: "
            f"it was {task.before}, and is {task.after}."
        ),
        advice=(
            f"lower the weight of {_quoted(farmed)}",
            "cap what an episode can earn with it",
            "reward it only the first time",
        ),
    )


def _trends(case: Case) -> Iterable[tuple[RewardComponent, _Trend]]:
    for metric in case.series:
        component = component_of(metric)
        trend = _trend(case, metric) if component is not None else None
        if component is not None and trend is not None:
            yield component, trend


def _trend(case: Case, metric: str) -> _Trend | None:
    """Return the trend of a metric; None with too few values."""
    curve = case.curve(metric)
    early, late = curve.value[curve.step <= PART * case.step], curve.value[curve.step > (1 - PART) * case.step]
    if min(len(early), len(late)) < EPISODES:
        return None
    return _Trend(early, late, bool(curve.value.max() > 0))


def _own_of_task(
    case: Case, farmed: RewardComponent, trends: dict[RewardComponent, _Trend]
) -> tuple[str, _Trend] | None:
    """Return what the task itself is rewarded with, in words, and its trend.

    That is the components of the task; else the share of successes; else the other components that can be gained. None
    if there is nothing of the kind: costs alone say nothing about the task.
    """
    others = [one for one in trends if one is not farmed and one.of_environment]
    if tasks := [one for one in others if one.is_task]:
        return _together(tasks, trends)
    if (success := _trend(case, SUCCESS)) is not None:
        return "the success rate", success
    gainable = [one for one in others if trends[one].can_gain]
    return _together(gainable, trends) if gainable else None


def _together(components: Sequence[RewardComponent], trends: dict[RewardComponent, _Trend]) -> tuple[str, _Trend]:
    """Return the sum of some components. An episode may lack one of them."""
    words = " and ".join(map(_quoted, components))
    return words, _Trend(
        _sum([trends[one].early for one in components]), _sum([trends[one].late for one in components]), can_gain=True
    )


def _sum(values: Sequence[Floats]) -> Floats:
    length = min(map(len, values))
    return np.asarray(np.sum([one[-length:] for one in values], axis=0), np.float64)


def _quoted(component: RewardComponent) -> str:
    return f"“{component.label}”"
