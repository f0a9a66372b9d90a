"""The parts that hint rules are built from: ``Case`` (curves and settings of a run), ``Hint`` (a finding with advice),
``Rule`` (when to look for what), and phrases for their texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import Field, JsonValue

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.lazy_model import Frozen
from rlviz.domain.metrics import EPISODE_REWARD, EVAL_REWARD
from rlviz.domain.reward_plan import RewardPlan
from rlviz.stats.arrays import Floats, Series
from rlviz.stats.return_curve import WINDOW
from rlviz.stats.returns import moving_average
from rlviz.stats.solved import SolvedAt, SolvedBy

NOTHING = Series(*np.empty((3, 0)))

SURE = 2.0
"""Standard errors by which a mean must fall short to count."""

RECENT = 0.8
"""Share of the steps from which on an evaluation counts as one of the final policy."""


@dataclass(frozen=True, order=True)
class RequestedEvaluation:
    """An evaluation that the user requested. ``step``: of the policy; ``mean``: its mean return; ``error``: standard
    error of the mean."""

    step: int
    mean: float
    error: float = 0.0

    def may_reach(self, wanted: float) -> bool:
        """Whether it has too few episodes to conclude that the policy falls short of ``wanted``."""
        return self.mean + SURE * self.error >= wanted


@dataclass(frozen=True, eq=False)
class Case:
    """Input of the hint rules: curves and settings of one run.

    Attributes:
        algo: Algorithm of the run.
        hyperparameters: Its hyperparameters.
        total_timesteps: Steps to train for.
        series: Metrics by name.
        ended: Whether nothing more will be logged.
        actions: Number of discrete actions; None for others.
        threshold: Reward threshold; None for none.
        best: The best kept policy.
        solved: When the run was solved, if it was.
        rollout: Environment steps between two rounds of updates.
        preset_timesteps: Training length of the preset; None without one.
        changed_preset: Whether hyperparameters differ from the preset, or there is none.
        requested: Evaluations that the user requested, and that choose actions as those during training.
        deterministic: Whether evaluations take the most likely actions instead of sampling.
        expected: Lowest result of the preset's measurement.
        done: Environment steps that the run reports.
        cells: Cells of the environment's world; None if it has none.
        reward: Weights and caps of the components of the reward; None for none.
        exploration: How training explores; None for nothing special.
    """

    algo: str
    hyperparameters: Mapping[str, JsonValue]
    total_timesteps: int
    series: Mapping[str, Series] = field(default_factory=dict)
    ended: bool = False
    actions: int | None = None
    threshold: float | None = None
    best: BestPolicy | None = None
    solved: SolvedAt | None = None
    rollout: int = 1
    preset_timesteps: int | None = None
    changed_preset: bool = True
    requested: Sequence[RequestedEvaluation] = ()
    deterministic: bool = True
    expected: float | None = None
    done: int = 0
    cells: int | None = None
    reward: RewardPlan | None = None
    exploration: ExplorationPlan | None = None

    def curve(self, name: str) -> Series:
        """Return the finite values of a metric; empty if it was never logged."""
        series = self.series.get(name, NOTHING)
        finite = np.isfinite(series.value)
        return Series(series.step[finite], series.time[finite], series.value[finite])

    def number(self, name: str) -> float | None:
        """Return a hyperparameter; None if it is missing or not a number."""
        value = self.hyperparameters.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    @cached_property
    def returns(self) -> Series:
        return self.curve(EPISODE_REWARD)

    @cached_property
    def averages(self) -> Floats:
        """Moving average of the return after each episode, shape (n,)."""
        return moving_average(self.returns.value, WINDOW)

    @cached_property
    def step(self) -> int:
        """Environment steps done, as reported by the run or by the last step of any curve."""
        return max(self.done, *(int(series.step[-1]) for series in self.series.values() if len(series)), 0)

    @property
    def progress(self) -> float:
        """Share of the timesteps done; slightly above 1 if the last rollout went beyond."""
        return self.step / self.total_timesteps

    @property
    def updates(self) -> int:
        """Rounds of updates so far."""
        return max(0, self.step - int(self.number("learning_starts") or 0)) // self.rollout

    @property
    def wanted_timesteps(self) -> int:
        """Intended training length: as requested, or that of the preset if longer."""
        return max(self.total_timesteps, self.preset_timesteps or 0)

    @property
    def is_evaluated(self) -> bool:
        """Whether an evaluation covers the final policy."""
        steps = [*self.evaluations.step[-1:], *(one.step for one in self.requested)]
        return any(step >= RECENT * self.step for step in steps)

    @property
    def is_good_enough(self) -> bool:
        """Whether an evaluation shows that the task is solved, or cannot exclude it; without a threshold, whether
        the policy earns what its preset did when measured."""
        wanted = self.expected if self.threshold is None else self.threshold
        if wanted is None:
            return False
        if any(one.may_reach(wanted) for one in self.requested):
            return True
        if self.best is not None and self.best.mean_return >= wanted:
            return True
        by_evaluation = self.solved is not None and self.solved.by is SolvedBy.EVALUATION
        return by_evaluation or (self.threshold is not None and bool(np.any(self.evaluations.value[-1:] >= wanted)))

    @property
    def final(self) -> float | None:
        """The newest moving average of the return; None without episodes."""
        return float(self.averages[-1]) if len(self.averages) else None

    @property
    def over(self) -> bool:
        """Whether training is over, or at least 99 % done."""
        return self.ended or self.progress >= 0.99

    @cached_property
    def evaluations(self) -> Series:
        """Mean returns in evaluations during training."""
        return self.curve(EVAL_REWARD)

    @property
    def evaluated(self) -> float | None:
        """The newest evaluation's mean return; None without evaluations."""
        return float(self.evaluations.value[-1]) if len(self.evaluations) else None

    @cached_property
    def evaluated_rise(self) -> EvaluatedRise | None:
        """How evaluations rose over the last 40 % of the steps, if they clearly did."""
        return EvaluatedRise.from_evaluations(self.evaluations, self.step)

    @property
    def holds(self) -> bool:
        """Whether the newest moving average or evaluation reaches the threshold."""
        return self.threshold is not None and any(
            value is not None and value >= self.threshold for value in (self.final, self.evaluated)
        )

    @property
    def reached(self) -> bool:
        """Whether the threshold was reached at any time."""
        kept = self.best is not None and self.threshold is not None and self.best.mean_return >= self.threshold
        return self.holds or kept or self.solved is not None

    @cached_property
    def stretches(self) -> Stretches | None:
        """The returns in ten stretches of equal length; None with too few episodes to judge."""
        return Stretches.from_returns(self.returns, self.step)


@dataclass(frozen=True, eq=False)
class Stretches:
    """Ten stretches of steps: mean return of each, shape (10,), and their edges, shape (11,).

    ``noise``: standard error of a mean, as the median over the stretches. ``span``: from the lowest to the highest
    mean.
    """

    mean: Floats
    edge: Floats
    noise: float

    COUNT = 10
    EPISODES = 5
    """Minimum number of episodes in each stretch."""

    @classmethod
    def from_returns(cls, returns: Series, step: int) -> Stretches | None:
        edge = np.linspace(0, step, cls.COUNT + 1)
        cut = np.searchsorted(returns.step, edge[1:-1], side="right")
        parts = np.split(returns.value, cut)
        if min(map(len, parts)) < cls.EPISODES:
            return None
        errors = [float(np.std(part) / np.sqrt(len(part))) for part in parts]
        return cls(np.array([part.mean() for part in parts]), edge, float(np.median(errors)))

    @property
    def span(self) -> float:
        return float(self.mean.max() - self.mean.min())


@dataclass(frozen=True)
class EvaluatedRise:
    """Mean returns in evaluations rose from ``before`` to ``after``, first at ``from_step``."""

    before: float
    after: float
    from_step: int

    LATE = 0.6
    """Share of the steps from which on evaluations are used."""
    EVALUATIONS = 4
    """Minimum number of these evaluations."""

    @classmethod
    def from_evaluations(cls, evaluations: Series, step: int) -> EvaluatedRise | None:
        """Compare the newer half of the late evaluations with the older half.

        Returns None if the difference is at most a tenth of their range, is within their noise, or if earlier ones
        were as good.
        """
        late = evaluations.step > cls.LATE * step
        values, earlier = evaluations.value[late], evaluations.value[~late]
        half = len(values) // 2
        if len(evaluations) < cls.EVALUATIONS or half == 0:
            return None
        before, after = float(values[:half].mean()), float(values[-half:].mean())
        steps = np.diff(evaluations.value)  # neighbours share the trend
        error = 1.5 * float(np.median(np.abs(steps - np.median(steps)))) / np.sqrt(half)  # robust: a few are jumps
        clear = after - before > max(0.1 * float(np.ptp(evaluations.value)), 1.5 * error)
        if not clear or after <= float(earlier.max(initial=-np.inf)):
            return None
        return cls(before, after, int(evaluations.step[late][0]))


Severity = Literal["info", "warning", "problem"]
SEVERITIES: tuple[Severity, ...] = ("problem", "warning", "info")

FAILURE_MODES = "failure-modes"
KNOBS = "knobs"


class Unit(StrEnum):
    EPISODES = "episodes"
    UPDATES = "updates"
    ROWS = "rows"


class LookedAt(Frozen):
    """The values that a rule evaluated."""

    metric: str
    from_step: int
    to_step: int
    points: int = Field(description="Number of values.")
    unit: Unit = Field(description="Unit of a value.")


class SuggestedChange(Frozen):
    """A suggested change that a fork of the run accepts."""

    name: str = Field(description="The hyperparameter.")
    value: JsonValue = Field(description="The suggested value.")
    words: str = Field(exclude=True, description="The suggestion as part of a sentence.")


Advice = str | SuggestedChange


@dataclass(frozen=True)
class Hint:
    """A finding about a run, with advice.

    Attributes:
        id: Id of the rule.
        severity: How serious it is.
        title: Headline.
        metric: Metric that shows it, between ``from_step`` and ``to_step``.
        evidence: The figures, in sentences.
        advice: What to try, as alternatives.
        learn: Section of the guide to read.
        looked_at: Data that the rule used; ``review`` fills it in.
    """

    id: str
    severity: Severity
    title: str
    metric: str
    from_step: int
    to_step: int
    evidence: str
    advice: tuple[Advice, ...]
    learn: str = FAILURE_MODES
    looked_at: LookedAt | None = None

    @property
    def about_updates(self) -> bool:
        """Whether the finding concerns the updates themselves, independent of returns."""
        return self.metric.startswith("train/")

    @property
    def suggestion(self) -> str:
        """The advice as one sentence: ``"Lower …, or raise …."``"""
        text = ", or ".join(one if isinstance(one, str) else one.words for one in self.advice)
        return f"{text[:1].upper()}{text[1:]}."

    @property
    def changes(self) -> list[SuggestedChange]:
        """The advice that consists of hyperparameter changes."""
        return [one for one in self.advice if isinstance(one, SuggestedChange)]


def number_text(value: float) -> str:
    """Return a number with three digits and no unusual exponent: 0.000333, 12,300, 1.2e-07."""
    if value != 0 and abs(value) < 1e-4:
        return f"{value:.2g}"
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{float(f'{value:.3g}'):.10g}"


def round_shown(value: float) -> float:
    """Return ``value`` rounded for display, so that derived numbers match what the reader computes."""
    return float(number_text(value).replace(",", ""))


def suggest_change(
    case: Case, name: str, factor: float, *, low: float = 0.0, high: float = float("inf")
) -> SuggestedChange | None:
    """Return advice such as ``"lower learning_rate from 0.001 to 0.000333"``; None if that change is impossible."""
    now = case.number(name)
    if now is None:
        return None
    wanted = min(max(now * factor, low), high)
    wanted = round(wanted) if isinstance(case.hyperparameters[name], int) else round_shown(wanted)
    return raise_or_lower(name, now, wanted)


def raise_or_lower(name: str, now: float, wanted: float, purpose: str = "") -> SuggestedChange | None:
    """Return advice to change a number; None if it has the wanted value already."""
    if wanted == now:
        return None
    words = f"{'raise' if wanted > now else 'lower'} {name} from {number_text(now)} to {number_text(wanted)}{purpose}"
    return SuggestedChange(name=name, value=wanted, words=words)


def drop_none(*options: Advice | None) -> tuple[Advice, ...]:
    """Return the options that are not None."""
    return tuple(option for option in options if option is not None)


def best_policy_sentence(case: Case) -> str:
    """Return a sentence about the best kept policy; empty if there is none."""
    if case.best is None:
        return ""
    return (
        f" The best policy, of step {case.best.step:,}, is kept: {number_text(case.best.mean_return)} on fresh "
        "episodes."
    )


MIN_ROUNDS = 10
"""Rounds of updates before a rule applies: after two, nothing can have been learned yet."""


class Minimum(Frozen):
    """The minimum data that a rule needs."""

    points: int = Field(description="Number of values of its metric.")
    unit: Unit
    progress: float = Field(description="Share of the timesteps.")
    ended: bool = Field(description="Whether training must have ended.")


def at_least(points: int, unit: Unit, progress: float = 0.0, *, ended: bool = False) -> Minimum:
    """Return a minimum. ``ended``: training is over, or 99 % done."""
    return Minimum(points=points, unit=unit, progress=progress, ended=ended)


class RuleState(StrEnum):
    NOT_LOGGED = "not_logged"  # the run has not logged the metric (yet)
    WAITING = "waiting"  # there is too little data
    SILENT = "silent"  # applied, without a finding
    FOUND = "found"  # applied, with a hint


@dataclass(frozen=True)
class Rule:
    """A known problem and how to find it.

    ``metrics``: names of its metric in different algorithms; the first logged one is used. A name that ends with a
    slash stands for all that begin with it; the one with the most values is used. ``find`` is called once there is
    enough data. ``always``: the hint reports a fault, so it also appears if the task is solved.
    """

    id: str
    looks_for: str
    metrics: tuple[str, ...]
    minimum: Minimum
    find: Callable[[Case], Hint | None]
    always: bool = False


@dataclass(frozen=True)
class Finding:
    """The result of a rule. ``metric`` is the one it used, ``points`` its number of values."""

    rule: Rule
    state: RuleState
    metric: str | None
    points: int
    hint: Hint | None = None


def _logged(name: str, case: Case) -> list[str]:
    if name.endswith("/"):
        found = [one for one in case.series if one.startswith(name)]
        return sorted(found, key=lambda one: len(case.series[one]), reverse=True)
    return [name] if name in case.series else []


def apply_rule(rule: Rule, case: Case) -> Finding:
    metric = next((name for one in rule.metrics for name in _logged(one, case) if len(case.series[name])), None)
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
