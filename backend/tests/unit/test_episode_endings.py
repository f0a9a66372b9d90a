"""Grouping of episodes by their final states, and the names of the groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rlviz.stats.judging import (
    Component,
    Ending,
    EndingKind,
    Ends,
    group_endings,
    name_squares,
    roundest_number,
    separating_rule,
)
from tests.support.cases import cases

POLE = (Component("cart position", "m"), Component("pole angle", "rad"), Component("pole angular velocity", "rad/s"))
LIMIT = 12 * math.pi / 180


def ends(state: Any, typical: Any, **given: Any) -> Ends:
    states, others = np.array(state, dtype=float), np.array(typical, dtype=float)
    values = {
        "state_before": states * 0.9,
        "reward": np.ones(len(states)),
        "terminated": np.ones(len(states), dtype=int),
        "typical_reward": np.ones(len(others)),
        **{name: np.array(value) if isinstance(value, list) else value for name, value in given.items()},
    }
    return Ends(state=states, typical_state=others, **values)


def titles(found: list[Ending]) -> list[tuple[str, tuple[int, ...]]]:
    return [(ending.title, ending.episodes) for ending in found]


def falling_poles(count: int, seed: int) -> tuple[Any, Any, Any]:
    """Return final states, the states just before them, and all states that ended no episode, by CartPole's equations
    of motion.
    """
    random = np.random.default_rng(seed)
    last, before, typical = [], [], []
    for _ in range(count):
        position, speed, angle, turn = random.uniform(-0.05, 0.05, 4)
        while True:
            force = random.choice([-10.0, 10.0])
            push = (force + 0.05 * turn**2 * math.sin(angle)) / 1.1
            bend = (9.8 * math.sin(angle) - math.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * math.cos(angle) ** 2 / 1.1))
            position, speed = position + 0.02 * speed, speed + 0.02 * (push - 0.05 * bend * math.cos(angle) / 1.1)
            angle, turn = angle + 0.02 * turn, turn + 0.02 * bend
            if abs(angle) > LIMIT:
                last.append((position, angle, turn))
                before.append(typical[-1])
                break
            typical.append((position, angle, turn))
    return np.array(last), np.array(before), np.array(typical)


@pytest.mark.parametrize("count", [10, 50, 200])
def test_a_falling_pole_is_recognised_by_its_angle_in_degrees(count: int) -> None:
    last, before, typical = falling_poles(count, seed=count)
    found = group_endings(ends(last, typical[::7], state_before=before, components=POLE))
    assert {ending.title for ending in found} == {"pole angle > 12°", "pole angle < −12°"}
    for ending in found:
        assert {math.copysign(1, last[at, 1]) for at in ending.episodes} == {1.0 if ">" in ending.title else -1.0}


def test_a_few_endings_are_described_by_the_component_that_stands_out_most() -> None:
    typical = [[0.0, 0.05 * step % 0.2, 0.5] for step in range(100)]
    found = group_endings(ends([[0.0, 0.3, 0.55]], typical, components=POLE))
    assert [ending.title.split()[:2] for ending in found] == [["pole", "angle"]]


def test_an_ending_like_any_other_state_is_only_terminated() -> None:
    random = np.random.default_rng(0)
    found = group_endings(ends(random.normal(size=(40, 3)), random.normal(size=(4_000, 3)), components=POLE))
    largest = found[0]
    assert (largest.kind, largest.title) == (EndingKind.TERMINATED, "terminated")
    assert len(largest.episodes) > 20


def test_the_time_limit_is_a_single_ending_in_any_state() -> None:
    found = group_endings(
        ends([[0.0, 0.3, 0.0], [0.0, 0.0, 0.0]], np.zeros((10, 3)), terminated=[0, 0], components=POLE)
    )
    assert titles(found) == [("cut off by the time limit", (0, 1))]
    assert found[0].kind is EndingKind.TRUNCATED


def test_a_reward_that_no_other_step_earns_separates_endings() -> None:
    found = group_endings(
        ends(np.zeros((5, 0)), np.zeros((6, 0)), reward=[-100, 100, -100, 3, -100], typical_reward=[-5, 0, 1, 4, 5, 2])
    )
    assert titles(found) == [("last reward −100.0", (0, 2, 4)), ("last reward 100.0", (1,)), ("terminated", (3,))]


def test_the_squares_of_a_lake_name_the_endings() -> None:
    lake = ("SFFF", "FHFH", "FFFH", "HFFG")
    found = group_endings(
        ends([[5], [15], [5], [12], [15], [5]], np.zeros((4, 1)), places=name_squares(lake), terminated=[1] * 6)
    )
    assert titles(found) == [
        ("fell into a hole at row 2, column 2", (0, 2, 5)),
        ("reached the goal", (1, 4)),
        ("fell into a hole at row 4, column 1", (3,)),
    ]


def test_a_state_number_is_not_treated_as_a_quantity() -> None:
    found = group_endings(
        ends([[400], [410]], np.arange(300).reshape(-1, 1), reward=[20, 20], typical_reward=[-1] * 300)
    )
    assert titles(found) == [("last reward 20.0", (0, 1))]


def test_a_binary_value_is_described_as_such() -> None:
    parts = (Component("leg touches", is_flag=True),)
    found = group_endings(ends([[1], [1]], np.zeros((50, 1)), components=parts))
    assert titles(found) == [("leg touches = 1", (0, 1))]


def test_non_finite_states_match_no_rule() -> None:
    state = [[math.nan, math.nan, math.nan], [0.0, 0.3, 0.0]]
    found = group_endings(ends(state, np.zeros((20, 3)), components=POLE))
    assert sorted(at for ending in found for at in ending.episodes) == [0, 1]
    assert next(ending for ending in found if 0 in ending.episodes).kind is EndingKind.TERMINATED


def test_no_episodes_have_no_endings() -> None:
    assert group_endings(ends(np.zeros((0, 3)), np.zeros((0, 3)), components=POLE)) == []


@cases("seed", range(30))
def test_every_episode_is_in_one_group_and_grouping_is_reproducible(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 40))
    given = ends(
        random.normal(size=(count, 3)) * random.integers(1, 4),
        random.normal(size=(200, 3)),
        components=POLE,
        terminated=random.integers(0, 2, count).tolist(),
        reward=random.choice([-100.0, 0.0, 1.0], count).tolist(),
        typical_reward=random.choice([0.0, 1.0], 200).tolist(),
    )
    found = group_endings(given)
    assert sorted(at for ending in found for at in ending.episodes) == list(range(count))
    assert titles(found) == titles(group_endings(given))
    for ending in found:
        if ending.rule is not None:
            assert ending.rule.holds(given.state[list(ending.episodes)]).all()


def test_a_rule_matches_hardly_any_state_that_ended_no_episode() -> None:
    last, before, typical = falling_poles(60, seed=4)
    rule = separating_rule(last, before, typical[::7], POLE, 1)
    assert rule is not None
    assert not rule.holds(typical).any()
    assert rule.holds(last).mean() > 0.3


@cases(
    ("start", "stop", "number"),
    [
        (11.2, 12.6, 12.0),
        (11.98, 12.02, 12.0),
        (-11.2, -12.6, -12.0),
        (0.0, 1.0, 0.0),
        (1.0, 0.0, 1.0),
        (-1.0, 2.0, 0.0),
        (2.39, 2.41, 2.4),
        (0.0312, 0.0334, 0.032),
        (987.0, 1_034.0, 1_000.0),
        (5.0, 5.0, 5.0),
        (5.0, 5.0000000001, 5.0),
    ],
)
def test_a_threshold_is_the_roundest_number_that_separates(start: float, stop: float, number: float) -> None:
    assert roundest_number(start, stop) == pytest.approx(number)


@cases("seed", range(200))
def test_a_threshold_always_separates_the_two_sets(seed: int) -> None:
    random = np.random.default_rng(seed)
    start, stop = (random.normal(size=2) * 10.0 ** random.integers(-4, 6)).tolist()
    number = roundest_number(start, stop)
    assert min(start, stop) <= number <= max(start, stop)
    assert number != stop
