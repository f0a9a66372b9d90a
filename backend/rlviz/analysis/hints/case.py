"""Case: the input of the hint rules, one run's curves and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from pydantic import JsonValue

from rlviz.analysis.arrays import Floats
from rlviz.analysis.columns import Series
from rlviz.analysis.moving import moving_average
from rlviz.analysis.return_curve import WINDOW
from rlviz.analysis.solved import SolvedAt, SolvedBy
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.records import EPISODE_REWARD, EVAL_REWARD

NOTHING = Series(*np.empty((3, 0)))

SURE = 2.0
"""Standard errors by which a mean has to fall short before it says anything."""

RECENT = 0.8
"""Share of the steps from which on an evaluation is one of the policy that training has come to."""


@dataclass(frozen=True, order=True)
class GreedyEvaluation:
    """One that a user asked for. ``step``: of the policy; ``mean``: its mean return; ``error``: the standard error of
    that mean."""

    step: int
    mean: float
    error: float = 0.0

    def may_reach(self, wanted: float) -> bool:
        """Whether its episodes are too few to say that the policy falls short of ``wanted``."""
        return self.mean + SURE * self.error >= wanted


@dataclass(frozen=True, eq=False)
class Case:
    """``series``: metrics by name. ``actions``: number of actions, if they are discrete. ``threshold``: the reward
    threshold. ``ended``: nothing more will be logged. ``best``: the best policy that was kept. ``solved``: when the
    run was solved, if it was.

    ``rollout``: environment steps between two rounds of updates. ``preset_timesteps``: how long the run's preset
    trains; None without a preset. ``changed_preset``: whether hyperparameters differ from those of the preset, or there
    is none. ``requested``: greedy evaluations that a user asked for. ``expected``: the least that the preset earned
    when it was measured. ``done``: environment steps that the run says it has done."""

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
    requested: Sequence[GreedyEvaluation] = ()
    expected: float | None = None
    done: int = 0

    def curve(self, name: str) -> Series:
        """The finite values of a metric; empty if it was never logged."""
        series = self.series.get(name, NOTHING)
        finite = np.isfinite(series.value)
        return Series(series.step[finite], series.time[finite], series.value[finite])

    def number(self, name: str) -> float | None:
        """A hyperparameter, if it is there and a number."""
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
        """Environment steps done, as the run or the last step of any curve says. An episode ends before the run."""
        return max(self.done, *(int(series.step[-1]) for series in self.series.values() if len(series)), 0)

    @property
    def progress(self) -> float:
        """Share of the timesteps that is done; a little above 1 when the last rollout went beyond."""
        return self.step / self.total_timesteps

    @property
    def updates(self) -> int:
        """Rounds of updates so far."""
        return max(0, self.step - int(self.number("learning_starts") or 0)) // self.rollout

    @property
    def wanted_timesteps(self) -> int:
        """How long the run is meant to train: as it was asked to, or for as long as its preset if that is longer."""
        return max(self.total_timesteps, self.preset_timesteps or 0)

    @property
    def is_evaluated(self) -> bool:
        """Whether a greedy evaluation says how good the policy is that training has come to."""
        steps = [*self.evaluations.step[-1:], *(one.step for one in self.requested)]
        return any(step >= RECENT * self.step for step in steps)

    @property
    def is_good_enough(self) -> bool:
        """Whether a greedy evaluation shows that the policy solved the task, or cannot tell that it did not; without a
        threshold, whether it earns what its preset earned when it was measured."""
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
        """Mean returns of the greedy policy."""
        return self.curve(EVAL_REWARD)

    @property
    def greedy(self) -> float | None:
        """The newest greedy evaluation's mean return; None without evaluations."""
        return float(self.evaluations.value[-1]) if len(self.evaluations) else None

    @cached_property
    def greedy_rise(self) -> GreedyRise | None:
        """How greedy evaluations rose over the last 40 % of the steps, if they clearly did."""
        return GreedyRise.of(self.evaluations, self.step)

    @property
    def holds(self) -> bool:
        """Whether the newest moving average or the newest greedy evaluation reaches the threshold."""
        return self.threshold is not None and any(
            value is not None and value >= self.threshold for value in (self.final, self.greedy)
        )

    @property
    def reached(self) -> bool:
        """Whether the threshold was reached at any time."""
        kept = self.best is not None and self.threshold is not None and self.best.mean_return >= self.threshold
        return self.holds or kept or self.solved is not None

    @cached_property
    def stretches(self) -> Stretches | None:
        """The returns in ten stretches of equal length; None while there are too few episodes to judge."""
        return Stretches.of(self.returns, self.step)


@dataclass(frozen=True, eq=False)
class Stretches:
    """Ten stretches of steps: mean return of each, shape (10,), and where each begins, shape (11,).

    ``noise``: standard error of a mean, the median over the stretches.
    ``span``: from the lowest mean to the highest.
    """

    mean: Floats
    edge: Floats
    noise: float

    COUNT = 10
    EPISODES = 5
    """Minimum number of episodes in each stretch."""

    @classmethod
    def of(cls, returns: Series, step: int) -> Stretches | None:
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
class GreedyRise:
    """Mean returns of the greedy policy rose from ``before`` to ``after``, first evaluated so at ``from_step``."""

    before: float
    after: float
    from_step: int

    LATE = 0.6
    """The share of the steps from which on it is looked at."""
    EVALUATIONS = 4
    """How many there have to be in all."""

    @classmethod
    def of(cls, greedy: Series, step: int) -> GreedyRise | None:
        """The newer half of the late evaluations against the older half. None where the difference is a tenth of what
        lies between all of them at most, or no more than their noise makes up, or where it was as good before."""
        late = greedy.step > cls.LATE * step
        values, earlier = greedy.value[late], greedy.value[~late]
        half = len(values) // 2
        if len(greedy) < cls.EVALUATIONS or half == 0:
            return None
        before, after = float(values[:half].mean()), float(values[-half:].mean())
        steps = np.diff(greedy.value)  # neighbours share the trend
        error = 1.5 * float(np.median(np.abs(steps - np.median(steps)))) / np.sqrt(half)  # robust: a few are jumps
        clear = after - before > max(0.1 * float(np.ptp(greedy.value)), 1.5 * error)
        if not clear or after <= float(earlier.max(initial=-np.inf)):
            return None
        return cls(before, after, int(greedy.step[late][0]))
