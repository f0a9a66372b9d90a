"""Conversion between an environment's discrete values and the library's numbering from zero."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.learning.algorithms.numbering import Numbering, library_space
from rlviz.learning.environments.conforming import Conforming, CountedFromZero, counted_from_zero
from tests.support.cases import cases
from tests.support.own_environments import CountsManyFromOne, FromMinusOne, Plain, Scalars, SwitchesInRows, WholeNumbers

BOX = spaces.Box(-1, 1, (2,), np.float32)
SPACES: list[tuple[spaces.Space[Any], spaces.Space[Any]]] = [
    (spaces.Discrete(3, start=-1), spaces.Discrete(3)),
    (spaces.Discrete(3, start=2, dtype=np.int16), spaces.Discrete(3)),
    (spaces.MultiDiscrete([3, 2], start=[1, -1]), spaces.MultiDiscrete([3, 2])),
    (spaces.MultiDiscrete(np.array([[2, 3], [4, 2]])), spaces.MultiDiscrete([2, 3, 4, 2])),
    (spaces.MultiBinary([2, 3]), spaces.MultiBinary(6)),
    (spaces.Box(-1, 1, (), np.float32), spaces.Box(-1, 1, (1,), np.float32)),
]
ROWS: tuple[spaces.Space[Any], spaces.Space[Any]] = (spaces.Box(-1, 1, (2, 2)), spaces.Box(-1, 1, (4,)))
"""Real actions in rows, and in one row."""
WHOLE: list[tuple[spaces.Space[Any], spaces.Space[Any]]] = [
    (spaces.Box(-5, 5, (2,), np.int32), spaces.Box(-5, 5, (2,), np.float32)),
    (spaces.Box(0, 255, (2, 3), np.uint8), spaces.Box(0, 255, (6,), np.float32)),
    (spaces.Box(0, 9, (), np.int64), spaces.Box(0, 9, (1,), np.float32)),
]
"""Boxes of whole numbers, and those of real numbers that the library acts in."""


@cases(("own", "of_library"), [*SPACES, ROWS, *WHOLE])
def test_every_action_maps_to_a_library_number_and_back(own: Any, of_library: Any) -> None:
    numbering = Numbering.from_spaces(BOX, own)
    assert numbering is not None
    assert library_space(own, is_action=True) == of_library
    own.seed(0)
    batch = np.stack([own.sample() for _ in range(20)])
    places = numbering.places(batch)
    assert all(place.astype(of_library.dtype) in of_library for place in places)
    assert np.array_equal(numbering.actions(places), batch)


@pytest.mark.parametrize(("own", "of_library"), [one for one in SPACES if not isinstance(one[0], spaces.MultiBinary)])
def test_every_observation_maps_to_a_library_number(own: Any, of_library: Any) -> None:
    numbering = Numbering.from_spaces(own, spaces.Discrete(2))
    assert numbering is not None
    own.seed(0)
    seen = numbering.observations(np.stack([own.sample() for _ in range(20)]))
    assert all(one.astype(of_library.dtype) in of_library for one in seen)


@pytest.mark.parametrize(("own", "of_library"), WHOLE)
def test_real_valued_actions_of_the_library_become_integers(own: Any, of_library: Any) -> None:
    numbering = Numbering.from_spaces(BOX, own)
    assert numbering is not None
    of_library.seed(0)
    for action in numbering.actions(np.stack([of_library.sample() for _ in range(20)])):
        assert np.asarray(action).astype(own.dtype) in own
        assert np.array_equal(action, np.rint(action))


@pytest.mark.parametrize("space", [BOX, spaces.Discrete(3), spaces.MultiDiscrete([3, 2]), spaces.MultiBinary(4)])
def test_spaces_supported_by_the_library_need_no_numbering(space: Any) -> None:
    assert Numbering.from_spaces(space, space) is None
    assert library_space(space, is_action=True) is space


@pytest.mark.parametrize(
    "seen", [spaces.MultiBinary([2, 3]), spaces.Box(0, 1, (2, 3)), spaces.Box(0, 9, (2,), np.int64)]
)
def test_arrays_and_integers_are_observed_unchanged(seen: spaces.Space[Any]) -> None:
    assert Numbering.from_spaces(seen, spaces.Discrete(2)) is None


@pytest.mark.parametrize("kind", [FromMinusOne, CountsManyFromOne, SwitchesInRows, Scalars, WholeNumbers])
def test_an_environment_for_training_is_numbered_from_zero(kind: type[Plain]) -> None:
    env = counted_from_zero(Conforming(kind()))
    assert isinstance(env, CountedFromZero)
    assert env.reset(seed=0)[0] in env.observation_space
    env.action_space.seed(0)
    for _ in range(10):
        assert env.step(env.action_space.sample())[0] in env.observation_space


def test_an_ordinary_environment_is_unchanged() -> None:
    env: gymnasium.Env[Any, Any] = Plain()
    assert counted_from_zero(env) is env


@pytest.mark.parametrize("acted", [spaces.MultiDiscrete([3, 2], start=[1, -1]), WHOLE[0][0]])
def test_a_saved_policy_stores_the_numbering_of_its_environment(acted: spaces.Space[Any]) -> None:
    numbering = Numbering.from_spaces(spaces.Discrete(4, start=2), acted)
    assert numbering is not None
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data", "of the library")
    assert Numbering.read(file) is None
    numbering.write(file)
    assert Numbering.read(file) == numbering
