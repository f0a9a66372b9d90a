"""The pace of growth videos."""

from __future__ import annotations

import pytest

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.playing.clips import GROWTH_FPS, GROWTH_SECONDS, growth_fps


@pytest.mark.parametrize("env_id", ["CartPole-v1", "FrozenLake-v1", "MountainCar-v0"])
def test_an_environment_whose_episodes_fit_is_played_at_its_own_pace(env_id: str) -> None:
    environment = ENVIRONMENTS.get(env_id)
    assert growth_fps(environment) == environment.render_fps


def test_a_game_is_played_faster_so_that_an_episode_can_be_completed() -> None:
    """The shortest way to light the lamp takes about 170 steps."""
    environment = ENVIRONMENTS.get("GameBoy/Lamplighter-v0")
    assert environment.render_fps < growth_fps(environment) == GROWTH_FPS
    assert growth_fps(environment) * GROWTH_SECONDS > 300
