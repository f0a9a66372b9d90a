"""The keys of each environment reach every action, for every choice of options."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.environment import Controls
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.generic_controls import generic_controls
from rlviz.learning.environments.make import make
from rlviz.learning.sessions.actions import PersonActions
from rlviz.server.runs.environments import variants

VARIANTS = [variant for entry in ENVIRONMENTS for variant in variants(entry) or [entry]]
LEAVES_THE_PAGE = {"Escape", "Tab"}


@pytest.fixture(params=VARIANTS, ids=lambda variant: f"{variant.id}{variant.chosen}", scope="module")
def played(request: pytest.FixtureRequest) -> Iterator[tuple[Controls, gymnasium.Env[Any, Any]]]:
    variant: Environment = request.param
    assert variant.controls is not None, "A built-in environment says its keys"
    env = make(variant)
    yield variant.controls, env
    env.close()


def check_reach(controls: Controls, space: spaces.Space[Any]) -> None:
    """Check that every action can be reached, from one bound to the other."""
    reached = [{value} - {None} for value in controls.neutral]
    for binding in controls.bindings:
        reached[binding.component].add(binding.value)
    if isinstance(space, spaces.Discrete):
        assert reached == [set(range(int(space.start), int(space.start + space.n)))]
    elif isinstance(space, spaces.MultiDiscrete):
        assert reached == [set(range(int(count))) for count in space.nvec.flat]
    elif isinstance(space, spaces.MultiBinary):
        assert reached == [{0, 1}] * len(reached)
    else:
        assert isinstance(space, spaces.Box)
        assert [min(values) for values in reached] == space.low.flatten().tolist()
        assert [max(values) for values in reached] == space.high.flatten().tolist()
        assert controls.is_continuous


def check_keys(controls: Controls) -> None:
    """Check that no two bindings have the same keys, and that none uses a key that leaves the page."""
    held = [frozenset(binding.keys) for binding in controls.bindings]
    assert len(held) == len(set(held))
    assert not LEAVES_THE_PAGE.intersection(chain.from_iterable(held))
    assert all(binding.label for binding in controls.bindings)


def test_the_keys_of_a_built_in_environment_reach_each_of_its_actions(
    played: tuple[Controls, gymnasium.Env[Any, Any]],
) -> None:
    controls, env = played
    check_reach(controls, env.action_space)
    check_keys(controls)


def test_a_no_op_without_a_key_is_an_action(played: tuple[Controls, gymnasium.Env[Any, Any]]) -> None:
    controls, env = played
    hand = PersonActions(env.action_space, controls)
    assert hand.is_ready == (None not in controls.neutral)
    if hand.is_ready:
        assert env.action_space.contains(hand.action())


@pytest.mark.parametrize(
    "space",
    [
        spaces.Discrete(3),
        spaces.Discrete(12, start=1),
        spaces.MultiDiscrete([3, 2, 4]),
        spaces.MultiBinary((2, 3)),
        spaces.Box(-2.0, 3.0, (3,)),
        spaces.Box(np.float32([[0], [-1]]), np.float32([[1], [0]])),
    ],
    ids=str,
)
def test_an_environment_without_keys_gets_some_that_reach_each_action(space: spaces.Space[Any]) -> None:
    controls = generic_controls(space)
    check_reach(controls, space)
    check_keys(controls)
    if not isinstance(space, spaces.Discrete):
        assert space.contains(PersonActions(space, controls).action())


def test_an_unbounded_number_moves_between_minus_one_and_one() -> None:
    controls = generic_controls(spaces.Box(-np.inf, np.inf, (1,)))
    assert {binding.value for binding in controls.bindings} == {-1, 1}


def test_an_environment_with_more_actions_than_keys_uses_every_key() -> None:
    controls = generic_controls(spaces.Discrete(1_000))
    check_keys(controls)
    assert len(controls.bindings) == 36


def test_letters_replace_the_arrow_keys_where_they_are_free() -> None:
    def keys(env_id: str) -> set[str]:
        controls = ENVIRONMENTS.get(env_id).controls
        assert controls is not None
        return set(chain.from_iterable(binding.keys for binding in controls.bindings))

    assert {"ArrowLeft", "KeyA", "KeyD"} <= keys("CartPole-v1")
    assert "KeyD" not in keys("BipedalWalker-v3")
