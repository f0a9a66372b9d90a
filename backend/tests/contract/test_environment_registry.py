"""What the registry says of each environment is what Gymnasium says. New entries are tested without an edit here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from rlviz.algorithms import ALGORITHMS
from rlviz.domain.errors import UnknownName
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment, Space
from rlviz.environments.make import make_environment


@pytest.fixture(params=ENVIRONMENTS.names())
def entry(request: pytest.FixtureRequest) -> Environment:
    return ENVIRONMENTS.get(request.param)


@pytest.fixture
def real(entry: Environment) -> Iterator[gymnasium.Env[Any, Any]]:
    environment = make_environment(entry.id, render=True)
    yield environment
    environment.close()


def test_an_entry_has_the_id_it_is_registered_under() -> None:
    assert [entry.id for entry in ENVIRONMENTS] == ENVIRONMENTS.names()


def test_an_entry_is_described(entry: Environment) -> None:
    assert entry.name
    assert entry.summary.endswith(".")
    assert entry.family.id == entry.family.id.lower()
    assert entry.family.title


def test_the_spaces_are_those_of_the_environment(entry: Environment, real: gymnasium.Env[Any, Any]) -> None:
    for said, space in ((entry.observation_space, real.observation_space), (entry.action_space, real.action_space)):
        assert said.kind == type(space).__name__
        assert said.shape == space.shape
        assert said.n == getattr(space, "n", None)


def test_labels_name_every_action_and_every_observed_number_or_none(entry: Environment) -> None:
    def size(space: Space) -> int | None:
        return space.n if space.n is not None else int(np.prod(space.shape))

    for space in (entry.observation_space, entry.action_space):
        assert len(space.labels) in (0, size(space))


def test_threshold_limit_and_frame_rate_are_those_of_the_environment(
    entry: Environment, real: gymnasium.Env[Any, Any]
) -> None:
    assert real.spec is not None
    assert entry.reward_threshold == real.spec.reward_threshold
    assert entry.max_episode_steps == real.spec.max_episode_steps
    assert entry.render_fps == real.metadata["render_fps"]


def test_it_can_be_played_and_filmed(real: gymnasium.Env[Any, Any]) -> None:
    real.reset(seed=1)
    real.step(real.action_space.sample())
    frame = real.render()
    assert isinstance(frame, np.ndarray)
    assert frame.dtype == np.uint8
    assert frame.ndim == 3
    assert frame.shape[2] == 3


def test_some_algorithm_fits(entry: Environment) -> None:
    assert any(entry.suits(algorithm) for algorithm in ALGORITHMS)


def test_an_environment_that_gymnasium_knows_but_the_registry_does_not_is_refused() -> None:
    with pytest.raises(UnknownName):
        make_environment("Blackjack-v1")
