"""Key moments: the steps of an episode that are most worth seeing.

Every episode has a largest reward and a largest surprise; most of them are nothing to see. So a moment has to stand out
twice: among the steps of its episode, and by its size among the episodes that were played with it (``Usual``). An
episode in which nothing does has no moments but its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.judging.trajectory import Trajectory
from rlviz.domain.learned_rewards import LearnedRewards, RewardScale

COLLAPSE_STEPS = 10
"""Maximum number of steps over which a collapse of the value is measured."""

COLLAPSE_SHARE = 0.5
"""Share of the episode's range of values that a collapse must be at least."""

COLLAPSE_SIZE = 0.2
"""Share of the usual value that a collapse must be at least."""

COLLAPSE_CHANGES = 8.0
"""How many times the usual change from step to step a collapse must be: values that only flicker cover six. Not in an
episode of less than twice COLLAPSE_STEPS, most of which may be the collapse."""

OUTLIER = 5.0
"""How many times the median a surprise must be, and the deviation from the median a reward."""

SURPRISE_SIZE = 0.05
"""Share of the usual value that a surprise must be at least."""

REWARD_SIZE = 0.1
"""Share of the largest reward of all episodes that a reward must differ from the episode's median by."""

RARE = 0.1
"""Share of the steps of an episode that may have about the largest reward."""

FINAL_STEPS = 10
"""Steps before a termination at which its moment begins."""


class MomentKind(StrEnum):
    LARGEST_REWARD = "largest_reward"
    LARGEST_SURPRISE = "largest_surprise"
    VALUE_COLLAPSE = "value_collapse"
    FINAL_STEPS = "final_steps"


@dataclass(frozen=True)
class Moment:
    """``step`` is the record to look at; ``amount`` the reward, the surprise, or by how much the value fell.

    The last steps before a termination have no amount.
    """

    kind: MomentKind
    step: int
    amount: float | None


@dataclass(frozen=True)
class Usual:
    """What is usual in the episodes that were played together.

    ``value``: how large values are, or would be if the policy knew the rewards; ``reward``: the largest size of a
    reward; ``surprise``: the median surprise, 0 where it is not known.
    """

    value: float
    reward: float
    surprise: float

    @classmethod
    def of(cls, episodes: Sequence[Trajectory], learned: LearnedRewards) -> Usual:
        rewards = _known([one.reward for one in episodes])
        values = np.abs(_known([one.value for one in episodes]))
        reward = float(np.abs(rewards).max(initial=0.0))
        value = float(np.percentile(values, 90)) if values.size else 0.0
        surprises: Floats = np.empty(0)
        if learned.has_td_errors:
            surprises = _known([surprise(one, learned) for one in episodes])
            value = max([value, *(_worth(one, learned) for one in episodes)])
        return cls(value, reward, float(np.median(surprises)) if surprises.size else 0.0)


def key_moments(episode: Trajectory, learned: LearnedRewards, usual: Usual | None = None) -> list[Moment]:
    """At most one moment of each kind, by step. A kind that does not stand out, or cannot be computed, is left out.

    Args:
        episode: The episode.
        learned: What the values of the policy are of.
        usual: Of the episodes that were played with it; None: it was played alone.
    """
    usual = usual or Usual.of([episode], learned)
    surprising = _largest_surprise(episode, learned, usual)
    found = (_largest_reward(episode, usual), surprising, _collapse(episode, usual), _final_steps(episode))
    return sorted((moment for moment in found if moment is not None), key=lambda moment: moment.step)


def surprise(episode: Trajectory, learned: LearnedRewards) -> Floats:
    """|r + γV(s′) − V(s)| at each state s′, shape (n + 1,); NaN at the reset.

    The size of the one-step temporal-difference error (Sutton and Barto, 2018, section 6.1). Nothing follows a
    terminal state, whose value is 0; an episode that was cut off would have gone on, so its last value counts.
    """
    assert learned.gamma is not None
    following = episode.value.copy()
    if episode.terminated:
        following[-1] = 0.0
    error = np.full_like(following, np.nan)
    error[1:] = np.abs(_learned(episode, learned)[1:] + learned.gamma * following[1:] - episode.value[:-1])
    return error


def _learned(episode: Trajectory, learned: LearnedRewards) -> Floats:
    """The rewards as the policy learned from them."""
    return np.sign(episode.reward) if learned.scale is RewardScale.SIGN else episode.reward


def _known(parts: Sequence[Floats]) -> Floats:
    """All that are finite, in one array."""
    together: Floats = np.concatenate([np.empty(0), *parts])
    finite: Floats = together[np.isfinite(together)]
    return finite


def _worth(episode: Trajectory, learned: LearnedRewards) -> float:
    """How large the value of a state would be with the rewards of the episode: the largest single one, or what they
    come to with the policy's discount if they are spread evenly."""
    assert learned.gamma is not None
    rewards = _known([_learned(episode, learned)])
    if not rewards.size:
        return 0.0
    gamma, steps = min(learned.gamma, 1.0), len(rewards)
    horizon = steps if gamma == 1 else (1 - gamma**steps) / (1 - gamma)
    return max(float(np.abs(rewards).max()), abs(float(rewards.mean())) * horizon)


def _largest_reward(episode: Trajectory, usual: Usual) -> Moment | None:
    """The first of the largest, if few are as large and it lies far above what is usual."""
    rewards = episode.reward
    known = _known([rewards])
    if known.size < 2:
        return None
    middle, largest = float(np.median(known)), float(known.max())
    above, deviation = largest - middle, float(np.median(np.abs(known - middle)))
    if above <= 0 or above < OUTLIER * deviation or above < REWARD_SIZE * usual.reward:
        return None
    if (known > middle + above / 2).sum() > max(1, RARE * known.size):
        return None
    step = int(np.flatnonzero(rewards == largest)[0])
    return Moment(MomentKind.LARGEST_REWARD, step, largest)


def _largest_surprise(episode: Trajectory, learned: LearnedRewards, usual: Usual) -> Moment | None:
    """The first of the largest, if it is large for a value, and an outlier in its episode and among all."""
    if not learned.has_td_errors:
        return None
    error = surprise(episode, learned)
    known = _known([error])
    if not known.size:
        return None
    largest = float(known.max())
    expected = max(float(np.median(known)), usual.surprise)
    if largest <= 0 or largest < OUTLIER * expected or largest < SURPRISE_SIZE * usual.value:
        return None
    return Moment(MomentKind.LARGEST_SURPRISE, int(np.flatnonzero(error == largest)[0]), largest)


def _collapse(episode: Trajectory, usual: Usual) -> Moment | None:
    """Where the largest fall of the value begins, the last of several; None if it is too small."""
    value = np.where(np.isfinite(episode.value), episode.value, np.nan)
    known = value[~np.isnan(value)]
    if known.size < 2:
        return None
    lowest = _lowest_ahead(value, COLLAPSE_STEPS)
    fall = np.nan_to_num(value - lowest, nan=-np.inf)
    depth = float(fall.max())
    flicker = float(np.median(np.abs(np.diff(known)))) if known.size > 2 * COLLAPSE_STEPS else 0.0
    least = max(
        COLLAPSE_SHARE * float(known.max() - known.min()), COLLAPSE_SIZE * usual.value, COLLAPSE_CHANGES * flicker
    )
    if depth <= 0 or depth < least:
        return None
    # All states of a plateau lie equally high above what follows: the fall begins at the last of them.
    return Moment(MomentKind.VALUE_COLLAPSE, int(np.flatnonzero(fall == depth)[-1]), depth)


def _lowest_ahead(value: Floats, steps: int) -> Floats:
    """For each state the least value among it and the next ``steps``, shape (n,)."""
    lowest = value.copy()
    for ahead in range(1, min(steps, len(value) - 1) + 1):
        lowest[:-ahead] = np.fmin(lowest[:-ahead], value[ahead:])
    return lowest


def _final_steps(episode: Trajectory) -> Moment | None:
    if not episode.terminated or episode.length == 0:
        return None
    return Moment(MomentKind.FINAL_STEPS, max(0, episode.length - FINAL_STEPS), None)
