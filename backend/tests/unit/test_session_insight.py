"""Observations, saliency and value slices in a session."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.clips import Score
from rlviz.domain.errors import NotSliceable
from rlviz.domain.sessions import ShowSeen
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.playing.rollout import Step
from rlviz.learning.playing.seen import see
from rlviz.learning.sessions.actions import PolicyActions
from rlviz.learning.sessions.insight import EVERY_SECONDS, LiveSeen, LiveSlice
from rlviz.learning.sessions.insight import SEEN_SHARE as LARGEST_SHARE
from rlviz.learning.sessions.player import record_of
from tests.support.pictures import COLUMNS, ROWS, SHAPE, looking_policy


def seen_by(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(0).integers(0, 256, shape, np.uint8)


def test_stacked_pictures_are_placed_side_by_side_with_the_oldest_first() -> None:
    observation = seen_by(SHAPE)
    found = see(observation)
    assert found is not None
    assert (found.about.pictures, found.about.score) == (4, None)
    for place, picture in enumerate(observation):
        np.testing.assert_array_equal(found.pixels[:, 48 * place : 48 * (place + 1)], picture)


def test_saliency_is_placed_below_each_picture() -> None:
    observation = seen_by(SHAPE)
    found = see(observation, looking_policy("dqn", spaces.Discrete(3)), 1)
    assert found is not None
    assert found.about.score is Score.Q
    height, width = SHAPE[1:]
    assert found.pixels.shape == (2 * height, 4 * width)
    np.testing.assert_array_equal(found.pixels[:height, :width], observation[0])
    newest = found.pixels[height:, 3 * width :]
    assert newest.max() == 255
    assert newest[ROWS, COLUMNS].min() > 50
    assert not newest[:10].any()
    assert not found.pixels[height:, : 3 * width].any()


def test_colours_are_preserved() -> None:
    found = see(seen_by((36, 48, 3)), looking_policy("dqn", spaces.Discrete(3), (36, 48, 3)), 0)
    assert found is not None
    assert found.about.pictures == 1
    assert found.pixels.shape == (72, 48, 3)


@pytest.mark.parametrize("observation", [np.zeros(4, np.float32), 3, np.zeros((8, 8), np.float32)])
def test_observations_without_pictures_are_not_shown(observation: Any) -> None:
    assert see(observation) is None


def test_saliency_uses_a_share_of_the_time_and_steps_without_a_map_are_not_shown() -> None:
    """The clock advances at each read: a map takes one second, and may take a quarter of the time."""
    now = 0.0

    def monotonic() -> float:
        nonlocal now
        now += 1.0
        return now

    actions = PolicyActions()
    actions.policy = looking_policy("dqn", spaces.Discrete(3))
    observation = seen_by(SHAPE)
    actions.choose_action(observation, greedy=True)
    seen = LiveSeen(monotonic)
    assert seen.choose_pictures(observation, actions, hurried=True) is None  # not requested
    seen.choose(ShowSeen(type="seen", on=True))
    assert all(seen.choose_pictures(observation, actions, hurried=True) for _ in range(5))
    seen.choose(ShowSeen(type="seen", on=True, saliency=True))
    maps = []
    for _ in range(50):
        found = seen.choose_pictures(observation, actions, hurried=True)
        assert (found is None) == seen.is_owed
        maps.append(found is not None and found.about.score is Score.Q)
    assert maps[0]
    assert sum(maps) == pytest.approx(50 * LARGEST_SHARE, abs=8)
    assert seen.choose_pictures(observation, actions, hurried=False) is not None  # nothing follows: it can wait


class Sum:
    """Predicts the sum of its observation, times the step of its training."""

    def __init__(self, *shape: int) -> None:
        self.model: Any = self
        self.observation_space = spaces.Box(-np.inf, np.inf, shape, np.float32)
        self.step = 1

    def predict(self, observations: Any, state: Any = None, deterministic: bool = False) -> tuple[Any, None]:
        return np.zeros(len(observations)), None

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading(value=self.step * observations.reshape(len(observations), -1).sum(axis=1))


class Rig:
    def __init__(self, policy: Any) -> None:
        self.now, self.policy = 0.0, policy
        self.slice = LiveSlice(lambda: self.now)

    def show(self, index: int, *numbers: float) -> None:
        self.slice.note(Step(0, index, np.array(numbers, np.float32).reshape(self.policy.observation_space.shape)))

    def draw(self) -> Any:
        self.now += 1.01 * EVERY_SECONDS
        return self.slice.draw(self.policy)


def test_a_value_slice_holds_the_other_components_as_seen_and_spans_what_was_seen() -> None:
    rig = Rig(Sum(3))
    rig.slice.choose((0, 1))
    rig.show(0, -10, 0, 5)
    rig.show(1, 10, 1, 7)
    found = rig.draw()
    assert (found.policy_step, found.episode, found.index, found.over) == (1, 0, 1, (0, 1))
    assert found.slice.at == [10, 1, 7]
    assert (found.slice.x.low, found.slice.x.high) == (-11, 11)
    assert found.slice.values[0][0] == pytest.approx(-11 - 0.05 + 7)


def test_a_value_slice_is_redrawn_only_for_a_newer_step_or_policy() -> None:
    rig = Rig(Sum(3))
    assert rig.draw() is None  # not requested
    rig.slice.choose((0, 1))
    assert rig.draw() is None  # nothing was seen yet
    rig.show(0, 0, 0, 1)
    assert rig.draw() is not None
    assert rig.draw() is None
    rig.policy.step = 2
    rig.slice.renew()
    assert rig.draw().policy_step == 2
    rig.show(1, 0, 0, 2)
    assert rig.slice.draw(rig.policy) is None  # not so soon
    assert rig.draw().index == 1
    rig.slice.choose(None)
    rig.show(2, 0, 0, 3)
    assert rig.draw() is None


def test_held_values_are_independent_of_observations_until_they_are_cleared() -> None:
    rig = Rig(Sum(4))
    rig.slice.choose((0, 1), ((3, 50.0),))
    rig.show(0, 0, 0, 1, 2)
    assert rig.draw().slice.at == [0, 0, 1, 50]
    rig.show(1, 0, 0, 3, 4)
    found = rig.draw()
    assert found.slice.at == [0, 0, 3, 50]
    assert found.slice.values[0][0] == pytest.approx(found.slice.x.low + found.slice.y.low + 3 + 50)
    rig.slice.choose((0, 1), ((3, 60.0),))
    assert rig.draw().slice.at == [0, 0, 3, 60], "another value is drawn at once, with no further step"
    rig.slice.choose((0, 1))
    assert rig.draw().slice.at == [0, 0, 3, 4]
    rig.slice.choose((0, 1), ((4, 1.0),))
    with pytest.raises(NotSliceable, match="no component 4 to hold"):
        rig.draw()


def test_components_in_rows_and_columns_are_numbered_consecutively() -> None:
    rig = Rig(Sum(2, 3))
    rig.slice.choose((1, 5))
    rig.show(0, 1, 2, 3, 4, 5, 6)
    assert rig.draw().slice.at == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("shape", "over"), [((3,), (0, 3)), ((3,), (1, 1)), ((40, 40), (0, 1))])
def test_an_impossible_slice_is_refused_once(shape: tuple[int, ...], over: tuple[int, int]) -> None:
    rig = Rig(Sum(*shape))
    rig.slice.choose(over)
    rig.show(0, *np.zeros(int(np.prod(shape))))
    with pytest.raises(NotSliceable):
        rig.draw()
    assert rig.draw() is None


def step_with(reading: Reading) -> Step:
    return Step(0, 1, np.zeros(2, np.float32), 1, 1.0, 1.0, reading=reading)


def test_only_the_best_of_very_many_actions_are_sent() -> None:
    values = np.arange(20_000) % 1_000
    spread = np.stack([values - 1, values + 1])
    for reading in (Reading(probabilities=values / 1e7), Reading(q_values=values, quantiles=spread)):
        told = record_of(step_with(reading), most_actions=3).reading
        assert told is not None
        assert told.places == [999, 1_999, 2_999]
        assert told.probabilities in (None, [999 / 1e7] * 3)
        assert told.q_values in (None, [999] * 3)
        assert told.quantiles in (None, [[998, 1_000]] * 3)


def test_all_of_few_actions_and_of_several_simultaneous_ones_are_sent() -> None:
    reading = Reading(probabilities=np.array([0.25, 0.75]), mean=np.zeros(2))
    for most in (None, 2):
        told = record_of(step_with(reading), most_actions=most).reading
        assert told is not None
        assert (told.places, told.probabilities, told.mean) == (None, [0.25, 0.75], [0, 0])


def test_predictions_without_numbers_are_left_out() -> None:
    reading = Reading(value=np.array(np.nan), q_values=np.array([np.nan, 1.0]), mean=np.array([np.inf]))
    told = record_of(step_with(reading)).reading
    assert told is not None
    assert (told.value, told.q_values, told.mean) == (None, None, None)
