"""Registries: lazy loading, and the nearest match for a wrong name."""

from __future__ import annotations

import time

import pytest

from rlviz.domain.errors import UnknownName
from rlviz.domain.registry import Registry, load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS

NUMBERS: Registry[float] = Registry("number", {"pi": "math:pi", "Euler-v1": "math:e", "lost": "math:lost"}, "/number")


def test_a_name_gives_the_object_it_refers_to() -> None:
    assert NUMBERS.get("pi") == load("math:pi")
    assert NUMBERS.names() == ["pi", "Euler-v1", "lost"]


def test_an_object_is_loaded_only_on_request() -> None:
    names = iter(NUMBERS)
    assert next(names) == NUMBERS.get("pi")
    assert next(names) == NUMBERS.get("Euler-v1")
    with pytest.raises(AttributeError, match="lost"):
        next(names)


@pytest.mark.parametrize(
    ("wrong", "nearest"), [("Euler", "Euler-v1"), ("euler-v1", "Euler-v1"), ("PI", "pi"), ("zzzzzz", None), ("", None)]
)
def test_an_unknown_name_is_answered_with_the_nearest_match(wrong: str, nearest: str | None) -> None:
    with pytest.raises(UnknownName) as caught:
        NUMBERS.get(wrong)
    assert caught.value.nearest == nearest
    assert ("Did you mean" in str(caught.value)) == (nearest is not None)
    assert "Known: Euler-v1, lost, pi." in str(caught.value)
    assert [field.pointer for field in caught.value.fields] == ["/number"]
    assert caught.value.status == 422


@pytest.mark.parametrize(
    ("registry", "wrong", "nearest"),
    [
        (ALGORITHMS, "pp0", "ppo"),
        (ALGORITHMS, "DQN", "dqn"),
        (ENVIRONMENTS, "cartpole", "CartPole-v1"),
        (ENVIRONMENTS, "CartPole-v2", "CartPole-v1"),
        (ENVIRONMENTS, "Acrobat-v1", "Acrobot-v1"),
    ],
)
def test_typing_mistakes_lead_to_the_intended_name(registry: Registry[object], wrong: str, nearest: str) -> None:
    with pytest.raises(UnknownName, match=f"Did you mean '{nearest}'"):
        registry.get(wrong)


def test_a_name_of_a_million_characters_is_refused_quickly_and_not_repeated_in_full() -> None:
    start = time.process_time()
    with pytest.raises(UnknownName) as caught:
        NUMBERS.get("x" * 1_000_000)
    assert len(str(caught.value)) < 500
    assert time.process_time() - start < 5
