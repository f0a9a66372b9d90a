"""The random policy, played like any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from rlviz.learning.algorithms.policy import RandomPolicy
from rlviz.learning.playing.rollout import batch_of, play
from tests.unit.test_rollout import Corridor

SPACES = [spaces.Discrete(5, start=2), spaces.Box(-1, 1, (2,)), spaces.MultiDiscrete([3, 4]), spaces.MultiBinary(3)]


class Room(Corridor):
    """An environment with another action space and episodes of 20 steps."""

    def __init__(self, action_space: spaces.Space[Any]) -> None:
        super().__init__(limit=20)
        self.action_space = action_space


def actions(space: spaces.Space[Any], seeds: list[int], *, deterministic: bool = True) -> list[list[Any]]:
    """Return the actions by episode."""
    env = Room(space)
    played: list[list[Any]] = [[] for _ in seeds]
    for step in play([env], RandomPolicy(space), seeds, deterministic=deterministic):
        if step.number:
            played[step.episode].append(np.asarray(step.action).tolist())
    return played


@pytest.mark.parametrize("space", SPACES, ids=lambda space: type(space).__name__)
def test_the_seed_alone_determines_the_actions_of_an_episode(space: spaces.Space[Any]) -> None:
    first, second = actions(space, [7, 8])
    assert first != second
    assert actions(space, [8]) == [second], "whichever episodes were played before"
    assert actions(space, [8], deterministic=False) == [second], "chance has no preferred action"


def test_every_action_is_sampled() -> None:
    drawn = {action for episode in actions(spaces.Discrete(5, start=2), list(range(10))) for action in episode}
    assert drawn == {2, 3, 4, 5, 6}


def test_an_unused_prediction_does_not_change_the_episode() -> None:
    policy, seen = RandomPolicy(spaces.Discrete(1_000)), np.zeros((1, 1))

    def two(*, disturbed: bool) -> list[int]:
        np.random.seed(3)
        first, state = policy.predict(seen, None, np.array([True]), deterministic=True)
        if disturbed:
            policy.predict(seen, None, np.array([False]), deterministic=True)
        second, _ = policy.predict(seen, state, np.array([False]), deterministic=True)
        return [int(first[0]), int(second[0])]

    assert two(disturbed=True) == two(disturbed=False)


@pytest.mark.parametrize("observation", [{"a": np.zeros(2)}, (1, np.zeros(3)), "a text"], ids=["dict", "tuple", "text"])
def test_observations_without_a_shape_are_counted_in_a_batch(observation: Any) -> None:
    batch = batch_of([observation, observation])
    assert batch.shape == (2,)
    assert batch[1] is observation
