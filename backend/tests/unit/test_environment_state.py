"""Copying the state of an environment: by its attributes, by replaying, or by its emulator."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from rlviz.domain.environment import StateKept
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.make import add_view_wrappers, make_trained
from rlviz.learning.environments.state import (
    SECONDS,
    NotCapturable,
    capture_environment,
    find_keeper,
    restore_environment,
    spaces_of,
)
from tests.support.stubborn import Counting, Haunted, Iterating

SLOW = ("CarRacing-v3",)
"""Not skipped, but stepped less: drawing what it sees takes long."""


def trained(environment: Environment) -> Any:
    return add_view_wrappers(make_trained(environment), environment)


def outcomes(env: Any, actions: list[Any]) -> list[Any]:
    found = []
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            observation, _ = env.reset()
        found.append((np.array(observation), reward, terminated, truncated))
    return found


def are_same(ours: list[Any], theirs: list[Any]) -> bool:
    pairs = zip(ours, theirs, strict=True)
    return all(np.array_equal(x, y) for one, other in pairs for x, y in zip(one, other, strict=True))


@pytest.mark.parametrize("env_id", ENVIRONMENTS.names())
def test_a_restored_environment_continues_identically(env_id: str) -> None:
    environment = ENVIRONMENTS.get(env_id)
    env, twin = trained(environment), trained(environment)
    before, beside = (12, 5) if env_id in SLOW else (30, 150)
    env.action_space.seed(3)
    env.reset(seed=5)
    outcomes(env, [env.action_space.sample() for _ in range(before)])
    state = capture_environment(env)
    actions = [env.action_space.sample() for _ in range(beside)]
    ours = outcomes(env, actions)
    restore_environment(twin, state)
    assert are_same(outcomes(twin, actions), ours)
    again = trained(environment)
    restore_environment(again, state)
    assert are_same(outcomes(again, actions), ours), "the state was changed by what came after"
    for made in (env, twin, again):
        made.close()


@pytest.mark.parametrize(
    ("made", "kept"), [(Counting, StateKept.ATTRIBUTES), (Iterating, StateKept.REPLAY), (Haunted, StateKept.NOTHING)]
)
def test_a_probe_finds_a_way_to_copy_the_state(made: Any, kept: StateKept) -> None:
    found, problem = find_keeper(made)
    assert found is kept
    assert (problem is None) == (kept is not StateKept.NOTHING)


def test_a_failing_probe_names_the_test_and_what_it_found() -> None:
    _, problem = find_keeper(Haunted)
    assert problem is not None
    assert "With its attributes copied: its reward differed from that of a restored twin after 1 steps" in problem
    assert "With the actions of its episode replayed: " in problem


def test_an_environment_too_slow_to_test_counts_as_not_copyable() -> None:
    times = iter([0.0, *[SECONDS + 1] * 10])
    found, problem = find_keeper(Counting, lambda: next(times))
    assert found is StateKept.NOTHING
    assert problem is not None
    assert "seconds were not enough" in problem


def test_a_state_that_cannot_be_copied_is_refused_at_capture() -> None:
    env = Iterating()
    env.reset(seed=1)
    with pytest.raises(NotCapturable, match="An attribute of Iterating cannot be copied"):
        capture_environment(env)


def test_references_to_layers_and_spaces_point_to_the_new_environment() -> None:
    class Selfish(Counting):
        def reset(self, **keywords: Any) -> Any:
            self.me, self.mine = self, self.action_space
            return super().reset(**keywords)

    env, twin = Selfish(), Selfish()
    env.reset(seed=1)
    restore_environment(twin, capture_environment(env))
    assert twin.me is twin
    assert twin.mine is twin.action_space
    assert next(spaces_of(twin)) is twin.action_space


def test_nested_spaces_are_found() -> None:
    inner = gymnasium.spaces.Discrete(2)
    env = Counting()
    env.action_space = gymnasium.spaces.Dict({"a": gymnasium.spaces.Tuple([inner])})  # type: ignore[assignment]
    assert inner in [space for space in spaces_of(env) if space is inner]
