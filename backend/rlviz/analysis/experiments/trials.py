"""Trial: one training of one variant with one seed, as far as results need to know it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rlviz.analysis.arrays import Floats
from rlviz.domain.evaluation import PolicyChoice


class ScoreKind(StrEnum):
    """What counts as the score of a trial.

    *trial*: the mean return of its policy on fresh episodes, played after training, as the specification asks for.
    *training*: the mean return of the last 100 episodes of training, exploration included. *best*: the mean return on
    fresh episodes of the best policy that it kept.
    """

    TRIAL = "trial"
    TRAINING = "training"
    BEST = "best"


SCORE_DEFINITIONS = {
    ScoreKind.TRIAL: "the mean return of the trial's policy on fresh episodes, played after training",
    ScoreKind.TRAINING: "the mean return of the last 100 episodes of training, exploration included",
    ScoreKind.BEST: "the mean return on fresh episodes of the best policy that was kept while it trained",
}


AS_OFTEN = 0.8
"""Trials are evaluated equally often if the steps between evaluations of one are at least this share of those of
another: parallel environments round them up."""


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Arrays of shape (n,): environment steps, not decreasing, and the return there."""

    step: Floats
    value: Floats


@dataclass(frozen=True)
class Paid:
    """What all attempts of a trial took together: processor time, and environment steps."""

    core_seconds: float = 0
    steps: float = 0


@dataclass(frozen=True, eq=False)
class Trial:
    """``score`` is None if it has none: it failed, or has not ended; ``ended`` tells which. ``skipped``: its experiment
    was over before it had ended, which says nothing of the variant; ``pruned``: the search gave it up.

    ``steps``: environment steps that it was trained for. ``reached``: the step at which it reached the threshold, None
    if it has not. ``policy``: which policy played for the score, where that is known. ``core_seconds``: processor time
    of its run; ``paid``: of all its attempts together. ``curve`` is None where nothing was logged.
    ``evaluated_every``: environment steps between its greedy evaluations while it trained; None without any.
    ``has_own_score``: whether its own policy was scored, whatever is asked for as the score here; ``deleted``: whether
    its run was deleted since, which leaves nothing but that score.
    """

    variant: str
    seed: int
    run_id: str
    score: float | None
    ended: bool
    steps: float = 0
    reached: float | None = None
    core_seconds: float = 0
    paid: Paid = Paid()
    curve: LearningCurve | None = None
    evaluated_every: float | None = None
    skipped: bool = False
    pruned: bool = False
    policy: PolicyChoice | None = None
    has_own_score: bool = False
    deleted: bool = False

    @property
    def failed(self) -> bool:
        left = self.skipped or self.pruned or self.has_own_score
        return self.ended and not left and self.score is None


@dataclass(frozen=True)
class Scale:
    """Where returns of an environment are 0 and 1 once they are normalised: ``random`` is the mean return of random
    actions, ``threshold``, which is higher, the return from which it counts as solved."""

    random: float
    threshold: float

    def normalised(self, score: float) -> float:
        return (score - self.random) / (self.threshold - self.random)

    def normalised_curve(self, curve: LearningCurve) -> LearningCurve:
        return LearningCurve(curve.step, (curve.value - self.random) / (self.threshold - self.random))


@dataclass(frozen=True)
class Setting:
    """What results shall be made of. ``variants``: their ids with what they are called, in the order of the
    specification; ``environments``: that of each, with its options.

    ``methods``: by variant, what it is called without its environment: variants of one method train the same on
    different environments. ``scales``: of the environments whose returns can be normalised.

    ``threshold``: the return to reach in all environments; None: in each that of ``thresholds``, if it has one.
    ``greedy_curves``: whether the learning curves are those of greedy evaluations; otherwise they are moving averages
    of the returns in training. ``evaluated_unlike``: environments on which the variants were not evaluated alike while
    they trained, so that these evaluations do not count for the steps to the threshold.
    """

    variants: dict[str, str]
    environments: dict[str, str]
    score: ScoreKind = ScoreKind.TRIAL
    threshold: float | None = None
    greedy_curves: bool = False
    methods: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    evaluated_unlike: Collection[str] = frozenset()

    def threshold_of(self, variant: str) -> float | None:
        """The return to reach where ``variant`` is trained; None: there is none, and no steps to it."""
        return self.thresholds.get(self.environments[variant]) if self.threshold is None else self.threshold

    @property
    def has_several_environments(self) -> bool:
        return len(set(self.environments.values())) > 1


def evaluated_alike(every: Collection[float | None]) -> bool:
    """Whether evaluations while they trained tell alike of all trials when they reached a threshold: all were made
    equally often, or none was. ``every``: environment steps between those of each trial."""
    known = [steps for steps in every if steps is not None]
    return not known or (len(known) == len(every) and AS_OFTEN * max(known) <= min(known))


def scored(trials: Sequence[Trial], variant: str) -> list[Trial]:
    """The trials of ``variant`` that have a score, by seed."""
    return sorted((one for one in trials if one.variant == variant and one.score is not None), key=lambda one: one.seed)
