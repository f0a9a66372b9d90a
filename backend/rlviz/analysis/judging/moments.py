"""Key moments: the steps of an episode that are most worth seeing."""

from __future__ import annotations

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


def key_moments(episode: Trajectory, learned: LearnedRewards) -> list[Moment]:
    """At most one moment of each kind, by step. A kind that does not stand out, or cannot be computed, is left out.

    ``learned``: what the values of the policy are of.
    """
    surprising = _largest_surprise(episode, learned)
    found = (_largest_reward(episode), surprising, _collapse(episode), _final_steps(episode))
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
    reward = np.sign(episode.reward) if learned.scale is RewardScale.SIGN else episode.reward
    error[1:] = np.abs(reward[1:] + learned.gamma * following[1:] - episode.value[:-1])
    return error


def _largest_reward(episode: Trajectory) -> Moment | None:
    """The first of the largest, if not all rewards are the same."""
    rewards = episode.reward
    known = rewards[np.isfinite(rewards)]
    if known.size < 2 or known.min() == known.max():
        return None
    step = int(np.nanargmax(np.where(np.isfinite(rewards), rewards, np.nan)))
    return Moment(MomentKind.LARGEST_REWARD, step, float(rewards[step]))


def _largest_surprise(episode: Trajectory, learned: LearnedRewards) -> Moment | None:
    if not learned.has_td_errors:
        return None
    error = surprise(episode, learned)
    finite = np.isfinite(error)
    if not finite.any():
        return None
    step = int(np.argmax(np.where(finite, error, -np.inf)))
    return Moment(MomentKind.LARGEST_SURPRISE, step, float(error[step])) if error[step] > 0 else None


def _collapse(episode: Trajectory) -> Moment | None:
    """Where the largest fall of the value begins, the last of several; None if it is too small."""
    value = np.where(np.isfinite(episode.value), episode.value, np.nan)
    known = value[~np.isnan(value)]
    if known.size < 2:
        return None
    lowest = _lowest_ahead(value, COLLAPSE_STEPS)
    fall = np.nan_to_num(value - lowest, nan=-np.inf)
    depth = float(fall.max())
    if depth <= 0 or depth < COLLAPSE_SHARE * (known.max() - known.min()):
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
