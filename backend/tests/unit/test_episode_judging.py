"""Judging episodes: ranks, spreads, and the moments worth seeing."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.analysis.judging.moments import COLLAPSE_STEPS, FINAL_STEPS, Moment, MomentKind, key_moments, surprise
from rlviz.analysis.judging.ranking import MAX_BINS, Ranking, histogram, rank
from rlviz.analysis.judging.trajectory import Trajectory
from rlviz.domain.learned_rewards import LearnedRewards

NAN = float("nan")


def episode(
    rewards: list[float], values: list[float] | None = None, *, terminated: bool = False, truncated: bool = False
) -> Trajectory:
    reward = np.array([NAN, *rewards])
    value = np.full(len(reward), NAN) if values is None else np.array(values, dtype=float)
    return Trajectory(reward, value, terminated, truncated)


def moments_of(kind: MomentKind, found: list[Moment]) -> list[tuple[int, float | None]]:
    return [(moment.step, moment.amount) for moment in found if moment.kind is kind]


@pytest.mark.parametrize(
    ("returns", "ranking"),
    [
        ([5.0], Ranking(0, 0, 0)),
        ([1.0, 2.0], Ranking(0, 0, 1)),
        ([3.0, 1.0, 2.0], Ranking(1, 2, 0)),
        ([4.0, 1.0, 3.0, 2.0], Ranking(1, 3, 0)),
        ([7.0, 7.0, 7.0], Ranking(0, 1, 0)),
        ([-1.0, -5.0, -3.0], Ranking(1, 2, 0)),
    ],
)
def test_worst_median_and_best_are_episodes_that_were_played(returns: list[float], ranking: Ranking) -> None:
    assert rank(returns) == ranking


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100, 1_000])
def test_every_episode_lies_in_the_bin_that_holds_its_return(count: int) -> None:
    returns = np.random.default_rng(count).normal(100, 30, count).round(1).tolist()
    bins = histogram(returns)
    assert sorted(at for each in bins for at in each.episodes) == list(range(count))
    assert len(bins) <= MAX_BINS
    for each in bins:
        assert all(each.low <= returns[at] <= each.high for at in each.episodes)
        assert [returns[at] for at in each.episodes] == sorted(returns[at] for at in each.episodes)
    assert (bins[0].low, bins[-1].high) == (min(returns), max(returns))


def test_equal_returns_are_one_bin_and_none_are_no_bin() -> None:
    assert [(each.low, each.high, each.episodes) for each in histogram([500.0, 500.0])] == [(500.0, 500.0, (0, 1))]
    assert histogram([]) == []


def test_a_surprise_is_the_size_of_the_temporal_difference_error() -> None:
    played = episode([1.0, 1.0, 5.0], [10.0, 9.0, 4.0, 3.0], truncated=True)
    assert surprise(played, LearnedRewards(gamma=0.9)).tolist() == pytest.approx(
        [NAN, abs(1 + 8.1 - 10), abs(1 + 3.6 - 9), 5 + 2.7 - 4], nan_ok=True
    )


def test_nothing_follows_a_terminal_state_but_a_time_limit_is_no_terminal_state() -> None:
    rewards, values = [1.0, 1.0], [5.0, 5.0, 5.0]
    assert surprise(episode(rewards, values, terminated=True), LearnedRewards(gamma=1.0))[-1] == pytest.approx(4.0)
    assert surprise(episode(rewards, values, truncated=True), LearnedRewards(gamma=1.0))[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([0.0, 3.0, 3.0, -9.0], [(2, 3.0)]),
        ([-1.0, -1.0, -0.5], [(3, -0.5)]),
        ([1.0, 1.0, 1.0], []),
        ([NAN, 2.0, 1.0], [(2, 2.0)]),
        ([NAN, NAN], []),
        ([1.0], []),
        ([], []),
    ],
)
def test_the_largest_reward_is_a_moment_only_where_rewards_differ(
    rewards: list[float], expected: list[tuple[int, float]]
) -> None:
    assert moments_of(MomentKind.LARGEST_REWARD, key_moments(episode(rewards), LearnedRewards(gamma=0.99))) == expected


def test_without_a_policy_s_values_there_is_neither_surprise_nor_collapse() -> None:
    found = key_moments(episode([1.0] * 30, terminated=True), LearnedRewards(gamma=0.99))
    assert [moment.kind for moment in found] == [MomentKind.FINAL_STEPS]


def test_values_in_other_units_than_rewards_tell_no_surprise() -> None:
    played = episode([1.0, 5.0, 1.0], [9.0, 1.0, 4.0, 2.0])
    assert MomentKind.LARGEST_SURPRISE in {moment.kind for moment in key_moments(played, LearnedRewards(gamma=0.99))}
    assert MomentKind.LARGEST_SURPRISE not in {moment.kind for moment in key_moments(played, LearnedRewards())}


def test_a_policy_that_foresees_everything_is_never_surprised() -> None:
    found = key_moments(episode([1.0, 1.0, 1.0], [3.0, 2.0, 1.0, 0.0], terminated=True), LearnedRewards(gamma=1.0))
    assert moments_of(MomentKind.LARGEST_SURPRISE, found) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([10.0] * 20 + [9.0, 5.0, 1.0, 0.0], [(19, 10.0)]),
        ([10.0, 10.0, 2.0, 9.0, 10.0], [(1, 8.0)]),
        (list(np.linspace(100, 0, 101)), []),
        (list(np.linspace(0, 100, 101)), []),
        ([5.0] * 12, []),
        ([10.0, NAN, 1.0], [(0, 9.0)]),
        ([10.0, 9.0] * 8 + [8.0, 11.0], [(14, 2.0)]),
    ],
)
def test_a_value_collapses_where_it_falls_by_half_its_range_within_a_few_steps(
    values: list[float], expected: list[tuple[int, float]]
) -> None:
    found = key_moments(episode([1.0] * (len(values) - 1), values), LearnedRewards(gamma=0.99))
    assert moments_of(MomentKind.VALUE_COLLAPSE, found) == [(step, pytest.approx(fall)) for step, fall in expected]


def test_a_fall_is_looked_for_within_its_steps_and_no_further() -> None:
    for steps, expected in ((COLLAPSE_STEPS, 1), (2 * COLLAPSE_STEPS + 1, 0)):
        values = [10.0, *np.linspace(10.0, 0.0, steps + 1)[1:], *[0.0] * 5]
        found = key_moments(episode([1.0] * (len(values) - 1), values), LearnedRewards(gamma=0.99))
        assert len(moments_of(MomentKind.VALUE_COLLAPSE, found)) == expected


@pytest.mark.parametrize(("length", "step"), [(100, 100 - FINAL_STEPS), (FINAL_STEPS, 0), (3, 0)])
def test_the_steps_before_a_termination_are_a_moment(length: int, step: int) -> None:
    found = key_moments(episode([1.0] * length, terminated=True), LearnedRewards(gamma=0.99))
    assert moments_of(MomentKind.FINAL_STEPS, found) == [(step, None)]


def test_a_time_limit_has_no_prelude() -> None:
    assert key_moments(episode([1.0] * 50, truncated=True), LearnedRewards(gamma=0.99)) == []


def test_moments_come_in_the_order_of_the_video() -> None:
    random = np.random.default_rng(3)
    for _ in range(50):
        length = int(random.integers(1, 60))
        rewards, values = random.normal(size=length).tolist(), random.normal(size=length + 1).tolist()
        played = episode(rewards, values, terminated=bool(random.integers(2)))
        found = key_moments(played, LearnedRewards(gamma=0.99))
        steps = [moment.step for moment in found]
        assert steps == sorted(steps)
        assert all(0 <= step <= length for step in steps)
        assert len({moment.kind for moment in found}) == len(found)
