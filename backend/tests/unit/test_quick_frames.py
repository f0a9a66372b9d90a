"""Fast copies of pygame surfaces equal the frames of the environment."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest
from pygame import surfarray

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.make import make_bare
from rlviz.learning.environments.quick_frames import QuickFrames

DRAWN = [environment for environment in ENVIRONMENTS if environment.family.draws_with_pygame]


def pictures(environment: Environment) -> list[Any]:
    with closing(make_bare(environment, "rgb_array")) as env:
        env.action_space.seed(1)
        env.reset(seed=1)
        seen = [np.array(env.render())]
        for _ in range(5):
            env.step(env.action_space.sample())
            seen.append(np.array(env.render()))
        return seen


@pytest.mark.parametrize("environment", DRAWN, ids=lambda environment: environment.id)
def test_pictures_equal_those_drawn_by_the_environment(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = pictures(environment)
    monkeypatch.setattr(QuickFrames, "render", gymnasium.Wrapper.render)
    for one, other in zip(quick, pictures(environment), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("depth", [24, 32])
def test_a_surface_of_any_format_is_read_and_the_pixel_reference_is_restored(depth: int) -> None:
    surface = pygame.Surface((3, 2), depth=depth)
    surface.set_at((2, 1), (10, 20, 30))

    class Drawn(gymnasium.Env[Any, Any]):
        def render(self) -> Any:
            return np.transpose(np.array(surfarray.pixels3d(surface)), (1, 0, 2))

    picture: Any = QuickFrames(Drawn()).render()
    assert picture.shape == (2, 3, 3)
    assert picture[1, 2].tolist() == [10, 20, 30]
    assert picture.sum() == 60
    surfarray.pixels3d(surface)[0, 0] = (1, 2, 3)
    assert surface.get_at((0, 0))[:3] == (1, 2, 3)


@pytest.mark.parametrize("environment", list(ENVIRONMENTS), ids=lambda environment: environment.id)
def test_a_new_frame_never_overwrites_the_previous_one(environment: Environment) -> None:
    """Consumers of frames do not copy those of registered environments."""
    with closing(make_bare(environment, "rgb_array")) as env:
        env.reset(seed=1)
        before = env.render()
        env.step(env.action_space.sample())
        assert not np.shares_memory(before, env.render())
