"""The policies that a growth video shows, and its pace."""

from __future__ import annotations

import pytest

from rlviz.domain.clips import KeptPolicy, PolicyKind
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.playing.clips import GROWTH_FPS, GROWTH_SECONDS, growth_fps
from rlviz.rundir.folder import select_learning_steps

STEPS = (0, 1, 2, 4, 8, 16, 32, 64)


def kept(best: int | None) -> list[KeptPolicy]:
    kinds = [[PolicyKind.FILM, *([PolicyKind.BEST] if step == best else [])] for step in STEPS]
    return [
        KeptPolicy(step=step, kinds=of_it, file=f"film/step_{step}.zip", size_bytes=1)
        for step, of_it in zip(STEPS, kinds, strict=True)
    ]


@pytest.mark.parametrize(
    ("best", "shown"),
    [(None, [0, 2, 16, 64]), (32, [0, 2, 8, 32]), (2, [0, 1, 2]), (1, [0, 1]), (0, [0, 2, 16, 64])],
)
def test_selected_policies_range_from_the_first_to_the_best_one(best: int | None, shown: list[int]) -> None:
    assert [policy.step for policy in select_learning_steps(kept(best), 4)] == shown


@pytest.mark.parametrize("env_id", ["CartPole-v1", "FrozenLake-v1", "MountainCar-v0"])
def test_an_environment_whose_episodes_fit_is_played_at_its_own_pace(env_id: str) -> None:
    environment = ENVIRONMENTS.get(env_id)
    assert growth_fps(environment) == environment.render_fps


def test_a_game_is_played_faster_so_that_an_episode_can_be_completed() -> None:
    """The shortest way to light the lamp takes about 170 steps."""
    environment = ENVIRONMENTS.get("GameBoy/Lamplighter-v0")
    assert environment.render_fps < growth_fps(environment) == GROWTH_FPS
    assert growth_fps(environment) * GROWTH_SECONDS > 300
