"""Ranks, spreads and notable moments of episodes."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.domain.environment import LearnedRewards
from rlviz.stats.judging import (
    COLLAPSE_STEPS,
    FINAL_STEPS,
    MAX_BINS,
    Moment,
    MomentKind,
    Ranking,
    Trajectory,
    Usual,
    histogram,
    key_moments,
    rank_returns,
    surprise,
)
from tests.support.cases import cases

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
def test_worst_median_and_best_are_actual_episodes(returns: list[float], ranking: Ranking) -> None:
    assert rank_returns(returns) == ranking


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100, 1_000])
def test_every_episode_is_in_the_bin_of_its_return(count: int) -> None:
    returns = np.random.default_rng(count).normal(100, 30, count).round(1).tolist()
    bins = histogram(returns)
    assert sorted(at for each in bins for at in each.episodes) == list(range(count))
    assert len(bins) <= MAX_BINS
    for each in bins:
        assert all(each.low <= returns[at] <= each.high for at in each.episodes)
        assert [returns[at] for at in each.episodes] == sorted(returns[at] for at in each.episodes)
    assert (bins[0].low, bins[-1].high) == (min(returns), max(returns))


def test_equal_returns_give_one_bin_and_no_returns_give_none() -> None:
    assert [(each.low, each.high, each.episodes) for each in histogram([500.0, 500.0])] == [(500.0, 500.0, (0, 1))]
    assert histogram([]) == []


def test_a_surprise_is_the_size_of_the_temporal_difference_error() -> None:
    played = episode([1.0, 1.0, 5.0], [10.0, 9.0, 4.0, 3.0], truncated=True)
    assert surprise(played, LearnedRewards(gamma=0.9)).tolist() == pytest.approx(
        [NAN, abs(1 + 8.1 - 10), abs(1 + 3.6 - 9), 5 + 2.7 - 4], nan_ok=True
    )


def test_a_terminal_state_has_no_next_value_and_a_time_limit_is_not_terminal() -> None:
    rewards, values = [1.0, 1.0], [5.0, 5.0, 5.0]
    assert surprise(episode(rewards, values, terminated=True), LearnedRewards(gamma=1.0))[-1] == pytest.approx(4.0)
    assert surprise(episode(rewards, values, truncated=True), LearnedRewards(gamma=1.0))[-1] == pytest.approx(1.0)


@cases(
    ("rewards", "expected"),
    [
        ([0.0] * 20 + [3.0, 3.0, -9.0], [(21, 3.0)]),
        ([0.0, 3.0, 3.0, -9.0], []),  # half of the steps have it
        ([-1.0, -1.0, -0.5], [(3, -0.5)]),
        ([1.0, 1.0, 1.0], []),
        ([NAN, 2.0, 1.0, 1.0], [(2, 2.0)]),
        ([1.0] * 30 + [1.0001], []),  # a difference that is none
        (np.linspace(-16, 0, 50).tolist(), []),  # one of many that are nearly as large
        (([0.0] * 9 + [1.0]) * 10 + [1.0] * 3, []),  # more than a tenth of the steps have it
        ([NAN, NAN], []),
        ([1.0], []),
        ([], []),
    ],
)
def test_the_largest_reward_is_a_moment_only_if_it_stands_out(
    rewards: list[float], expected: list[tuple[int, float]]
) -> None:
    assert moments_of(MomentKind.LARGEST_REWARD, key_moments(episode(rewards), LearnedRewards(gamma=0.99))) == expected


def test_without_policy_values_there_is_neither_surprise_nor_collapse() -> None:
    found = key_moments(episode([1.0] * 30, terminated=True), LearnedRewards(gamma=0.99))
    assert [moment.kind for moment in found] == [MomentKind.FINAL_STEPS]


def test_values_in_other_units_than_rewards_give_no_surprise() -> None:
    played = episode([0.1, *[0.1] * 10, 5.0, 0.1], [9.0, *[9.0] * 10, 1.0, 4.0, 4.0])
    assert MomentKind.LARGEST_SURPRISE in {moment.kind for moment in key_moments(played, LearnedRewards(gamma=0.99))}
    assert MomentKind.LARGEST_SURPRISE not in {moment.kind for moment in key_moments(played, LearnedRewards())}


def test_a_policy_that_predicts_everything_is_never_surprised() -> None:
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
        ([20.0, 18.0] * 8 + [12.0, 20.0], [(14, 8.0)]),
    ],
)
def test_a_value_collapses_where_it_falls_by_half_its_range_within_a_few_steps(
    values: list[float], expected: list[tuple[int, float]]
) -> None:
    found = key_moments(episode([1.0] * (len(values) - 1), values), LearnedRewards(gamma=0.99))
    assert moments_of(MomentKind.VALUE_COLLAPSE, found) == [(step, pytest.approx(fall)) for step, fall in expected]


def flicker(level: float, size: float, count: int = 200, seed: int = 0) -> list[float]:
    """Return values that fluctuate around a level."""
    return (level + size * np.random.default_rng(seed).standard_normal(count)).tolist()


@cases(
    ("name", "rewards", "values", "terminated"),
    [
        ("a policy that balances", [1.0] * 199, flicker(40.7, 0.03), False),
        ("the same, with a drop of 0.07", [1.0] * 199, [40.7] * 100 + [40.63] * 100, False),
        (
            "values that are right but for a surprise of 0.005",
            [1.0] * 199,
            [100.0] * 100 + [100.005] + [100.0] * 99,
            False,
        ),
        ("an untrained policy, whose values are noise", [1.0] * 199, flicker(0.0, 0.05), False),
        ("an untrained policy without any reward", [0.0] * 199, flicker(0.0, 0.01), False),
        ("rewards that differ by nothing", [1.0 + 1e-6 * (n % 7) for n in range(199)], flicker(40.0, 0.0), False),
        ("rewards that only flicker", flicker(-3.0, 1.0, 199), flicker(-250.0, 2.0), False),
        ("a steady decline", [1.0] * 199, np.linspace(99, 60, 200).tolist(), False),
    ],
)
def test_an_uneventful_episode_has_no_moment(
    name: str, rewards: list[float], values: list[float], terminated: bool
) -> None:
    found = key_moments(episode(rewards, values, terminated=terminated, truncated=True), LearnedRewards(gamma=0.99))
    assert found == []


@pytest.mark.parametrize(
    ("name", "rewards", "values", "expected"),
    [
        ("a pole that falls", [1.0] * 60, [*flicker(40.0, 0.3, 52), 36.0, 30.0, 22.0, 15.0, 9.0, 5.0, 2.0, 1.0, 0.5],
         {MomentKind.VALUE_COLLAPSE, MomentKind.LARGEST_SURPRISE}),
        ("a landing that was foreseen", [*flicker(0.0, 1.0, 80), 100.0], [*flicker(100.0, 1.0, 81), 0.0],
         {MomentKind.LARGEST_REWARD, MomentKind.VALUE_COLLAPSE}),
        ("a hole that was not seen", [0.0] * 20, [0.5] * 20 + [0.0],
         {MomentKind.VALUE_COLLAPSE, MomentKind.LARGEST_SURPRISE}),
    ],
)  # fmt: skip
def test_an_event_is_a_moment(name: str, rewards: list[float], values: list[float], expected: set[MomentKind]) -> None:
    found = key_moments(episode(rewards, values, terminated=True), LearnedRewards(gamma=0.99))
    assert {moment.kind for moment in found} - {MomentKind.FINAL_STEPS} == expected


def test_a_moment_must_be_large_among_episodes_played_together() -> None:
    learned = LearnedRewards(gamma=0.99)
    small = episode([0.0] * 40 + [2.0], [5.0] * 40 + [3.0, 1.0], truncated=True)
    large = episode([0.0] * 40 + [100.0], [90.0] * 41 + [0.0], terminated=True)
    alone = {moment.kind for moment in key_moments(small, learned)}
    assert alone == {MomentKind.LARGEST_REWARD, MomentKind.VALUE_COLLAPSE, MomentKind.LARGEST_SURPRISE}
    usual = Usual.from_episodes([small, large], learned)
    assert key_moments(small, learned, usual) == []
    assert MomentKind.LARGEST_REWARD in {moment.kind for moment in key_moments(large, learned, usual)}


def test_a_collapse_is_searched_only_within_its_number_of_steps() -> None:
    for steps, expected in ((COLLAPSE_STEPS, 1), (2 * COLLAPSE_STEPS + 1, 0)):
        values = [10.0, *np.linspace(10.0, 0.0, steps + 1)[1:], *[0.0] * 5]
        found = key_moments(episode([1.0] * (len(values) - 1), values), LearnedRewards(gamma=0.99))
        assert len(moments_of(MomentKind.VALUE_COLLAPSE, found)) == expected


@pytest.mark.parametrize(("length", "step"), [(100, 100 - FINAL_STEPS), (FINAL_STEPS, 0), (3, 0)])
def test_the_steps_before_a_termination_are_a_moment(length: int, step: int) -> None:
    found = key_moments(episode([1.0] * length, terminated=True), LearnedRewards(gamma=0.99))
    assert moments_of(MomentKind.FINAL_STEPS, found) == [(step, None)]


def test_a_time_limit_has_no_final_steps_moment() -> None:
    assert key_moments(episode([1.0] * 50, truncated=True), LearnedRewards(gamma=0.99)) == []


def test_moments_are_in_the_order_of_the_video() -> None:
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
