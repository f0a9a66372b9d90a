"""Alternative actions that a user can try at a recorded step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.errors import InvalidRequest, NoOtherFuture
from rlviz.domain.other_actions import MOST_CHOICES, check_action, name_action, offer_actions
from rlviz.learning.playing.rollout import layout_of

TORQUE = layout_of(spaces.Box(-2, 2, (1,), np.float32))
CAR = layout_of(spaces.Box(np.array([-1, 0, 0], np.float32), np.array([1, 1, 1], np.float32)))


def names(space: Any, labels: list[str], taken: list[float]) -> list[str]:
    return [one.name for one in offer_actions(layout_of(space), labels, taken)]


def test_a_discrete_space_offers_its_other_actions_by_name() -> None:
    found = offer_actions(layout_of(spaces.Discrete(3)), ["push left", "coast", "push right"], [1])
    assert [(one.name, one.action) for one in found] == [("push left", [0]), ("push right", [2])]
    assert names(spaces.Discrete(3, start=5), [], [6]) == ["action 5", "action 7"]


def test_a_continuous_space_offers_the_opposite_zero_and_its_bounds() -> None:
    found = offer_actions(TORQUE, ["torque"], [0.5])
    assert [one.name for one in found] == ["the opposite (−0.5)", "zero (0)", "the maximum (2)", "the minimum (−2)"]
    assert [one.action for one in found] == [[-0.5], [0], [2], [-2]]
    assert [one.action for one in offer_actions(TORQUE, [], [2.0])] == [[-2], [0]]
    assert [one.name.split(" (")[0] for one in offer_actions(TORQUE, [], [0.0])] == ["the maximum", "the minimum"]
    car = offer_actions(CAR, ["steering", "gas", "brake"], [0.5, 1, 0])
    assert [one.action for one in car] == [[0, 0, 0], [1, 1, 1], [-1, 0, 0]]
    assert car[1].name == "the maximum (steering 1, gas 1, brake 1)"


def test_a_space_without_bounds_offers_the_opposite_and_zero() -> None:
    assert names(spaces.Box(-np.inf, np.inf, (2,), np.float32), [], [1, -2]) == [
        "the opposite (−1, 2)",
        "zero (0, 0)",
    ]


def test_multi_discrete_spaces_offer_every_change_of_one_number() -> None:
    assert names(spaces.MultiDiscrete([2, 3]), ["gas", "gear"], [0, 1]) == [
        "gas 1, gear 1",
        "gas 0, gear 0",
        "gas 0, gear 2",
    ]
    assert names(spaces.MultiBinary(2), ["a", "b"], [0, 1]) == ["a 1, b 1", "a 0, b 0"]
    assert len(names(spaces.Discrete(1_000), [], [0])) == MOST_CHOICES


def test_every_offered_action_is_valid() -> None:
    for space, taken in (
        (spaces.Discrete(4), [3]),
        (spaces.MultiBinary(3), [0, 0, 1]),
        (spaces.Box(-1, 1, (2,)), [0.3, 1]),
    ):
        layout = layout_of(space)
        for one in offer_actions(layout, [], taken):
            assert check_action(layout, taken, one.action) == one.action


@pytest.mark.parametrize(
    ("space", "taken", "action"),
    [
        (spaces.Discrete(2), [0], [2]),
        (spaces.Discrete(2), [0], [0.5]),
        (spaces.Discrete(2), [0], [0]),
        (spaces.Discrete(2), [0], [1, 1]),
        (spaces.Box(-2, 2, (1,), np.float32), [0.5], [2.5]),
        (spaces.Box(-2, 2, (1,), np.float32), [0.5], [float("nan")]),
        (spaces.Box(0, 9, (1,), np.int32), [1], [1.5]),
        (spaces.MultiDiscrete([2, 3]), [0, 0], [0, 3]),
    ],
)
def test_an_action_invalid_for_the_environment_is_refused(space: Any, taken: list[float], action: list[float]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        check_action(layout_of(space), taken, action)
    assert caught.value.fields[0].pointer == "/action"


def test_numbers_are_rounded_to_the_precision_of_the_environment() -> None:
    assert check_action(TORQUE, [1.0], [0.1]) == [float(np.float32(0.1))]
    assert name_action(TORQUE, ["torque"], [float(np.float32(0.1))]) == "torque 0.1"


def test_composed_actions_are_refused() -> None:
    layout = layout_of(spaces.Tuple([spaces.Discrete(2), spaces.Discrete(2)]))
    with pytest.raises(NoOtherFuture, match="Tuple"):
        offer_actions(layout, [], [0, 1])
