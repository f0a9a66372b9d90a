"""Measured returns of random actions."""

from __future__ import annotations

import pytest

from benchmarks.random_returns import measure
from rlviz.domain.environment import CustomEnvironment
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.custom import custom_environment
from rlviz.learning.environments.random_returns import find_random_return, measured


def test_every_registered_environment_and_no_other_was_measured() -> None:
    assert list(measured()) == ENVIRONMENTS.names(), "run 'make random-returns'"
    assert all(found.episodes >= 20 for found in measured().values())


@pytest.mark.parametrize("env_id", ["CartPole-v1", "FrozenLake-v1"])
def test_a_repeated_measurement_is_identical(env_id: str) -> None:
    again, known = measure(ENVIRONMENTS.get(env_id)), measured()[env_id]
    assert (again.mean, again.std, again.episodes) == (known.mean, known.std, known.episodes)


def test_a_random_walk_on_the_lake_nearly_always_ends_in_a_hole() -> None:
    """By the transitions of the 4 × 4 lake, a random walk reaches the goal in 1.4 % of episodes."""
    found = find_random_return(ENVIRONMENTS.get("FrozenLake-v1"))
    assert found is not None
    assert found.mean == pytest.approx(0.014, abs=0.04)


def test_the_random_return_applies_only_to_default_options() -> None:
    lander = ENVIRONMENTS.get("LunarLander-v3")
    assert find_random_return(lander) == find_random_return(lander.resolve({"continuous": False}))
    assert find_random_return(lander.resolve({"continuous": True})) is None


def test_a_custom_environment_has_no_known_random_return_whatever_its_name() -> None:
    cartpole = ENVIRONMENTS.get("CartPole-v1")
    custom = CustomEnvironment(
        entry_point="module:Class",
        summary="",
        observation_space=cartpole.observation_space,
        action_space=cartpole.action_space,
        reward_threshold=None,
        max_episode_steps=None,
        render_fps=30,
    )
    assert find_random_return(custom_environment("CartPole-v1", custom)) is None
