"""Validation of search spaces, and the suggested space of each algorithm."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from pydantic import ValidationError

from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.experiments import Choice, FloatRange, IntRange, SamplerName, Sweep, count_combinations, grid_values
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Algorithm
from rlviz.learning.algorithms.search_spaces import check_space
from tests.support.cases import cases

ONE = {"kind": "choice", "choices": [1]}
RATE = {"kind": "float", "low": 1e-5, "high": 1e-2, "log": True}


@cases(
    ("space", "told"),
    [
        ({}, "at least 1 item"),
        ({"x": {"kind": "float", "low": 1, "high": 1}}, "low must be less than high"),
        ({"x": {"kind": "float", "low": 0, "high": 1, "log": True}}, "must start above 0"),
        ({"x": {"kind": "float", "low": 1, "high": 2, "log": True, "step": 0.5}}, "not both"),
        ({"x": {"kind": "int", "low": 1.5, "high": 2}}, "valid integer"),
        ({"x": {"kind": "float", "low": "nan", "high": 1}}, "finite"),
        ({"x": {"kind": "choice", "choices": []}}, "at least 1 item"),
        ({"x": {"kind": "choice", "choices": [1, 1]}}, "twice"),
        ({"x": {"kind": "number"}}, "expected tags"),
        ({"x": {**RATE, "when": {"y": [1]}}}, "must be a choice listed before it"),
        (
            {"y": {"kind": "choice", "choices": [1]}, "x": {**RATE, "when": {"y": [2]}}},
            "not among its choices",
        ),
        ({"x": {**RATE, "unit": "m"}}, "not permitted"),
    ],
)
def test_an_invalid_space_is_refused_with_the_reason(space: Any, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Sweep.model_validate({"space": space})


@cases(
    ("changes", "place"),
    [
        ({"space": {"x": {"kind": "float", "low": 1, "high": 1}}}, ("space", "x", "float", "high")),
        ({"space": {"x": {"kind": "int", "low": 0, "high": 1, "log": True}}}, ("space", "x", "int", "low")),
        ({"space": {"x": {**RATE, "step": 0.5}}}, ("space", "x", "float", "step")),
        ({"space": {"x": {"kind": "choice", "choices": [1, 2, 1]}}}, ("space", "x", "choice", "choices", 2)),
        ({"space": {"x": {**RATE, "when": {"y": [1]}}}}, ("space", "x", "when", "y")),
        ({"space": {"y": ONE, "x": {**RATE, "when": {"y": [1, 2]}}}}, ("space", "x", "when", "y")),
        ({"space": {"y": ONE, "x": {**RATE, "when": {"y": []}}}}, ("space", "x", "when", "y")),
        ({"space": {"y": ONE, "x": {**ONE, "when": {"y": [1]}}}, "sampler": "grid"}, ("space", "x", "when")),
        ({"space": {"y": ONE, "x": RATE}, "sampler": "grid"}, ("space", "x")),
        ({"space": {"x": {"kind": "int", "low": 1, "high": 2_000}}, "sampler": "grid"}, ("space",)),
    ],
)
def test_a_contradiction_is_reported_at_the_field_to_change(changes: Any, place: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as refused:
        Sweep.model_validate(changes)
    assert [error["loc"] for error in refused.value.errors()] == [place]


def test_a_grid_requires_countable_values_and_not_too_many() -> None:
    with pytest.raises(ValidationError, match="countable values"):
        Sweep.model_validate({"space": {"x": RATE}, "sampler": "grid"})
    hundred, two = IntRange(low=1, high=100), Choice(choices=[1, 2])
    with pytest.raises(ValidationError, match="10,000 combinations"):
        Sweep(space={"x": hundred, "y": hundred}, sampler=SamplerName.GRID)
    with pytest.raises(ValidationError, match="cannot have conditions"):
        Sweep(space={"x": two, "y": Choice(choices=[1], when={"x": [1]})}, sampler=SamplerName.GRID)


BEYOND_COUNTING = [
    {"kind": "int", "low": 0, "high": 10**18},
    {"kind": "float", "low": 0, "high": 1, "step": 1e-300},
    {"kind": "float", "low": -1e308, "high": 1e308, "step": 1},
]


@pytest.mark.parametrize("parameter", BEYOND_COUNTING)
def test_an_astronomically_large_grid_is_refused_immediately(parameter: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="combinations; at most 1,000 are allowed"):
        Sweep.model_validate({"space": {"x": parameter}, "sampler": "grid"})


SMALL: dict[str, Any] = {
    "n": IntRange(low=1, high=6, step=2),
    "kind": Choice(choices=["a", "b"]),
    "x": FloatRange(low=0, high=0.3, step=0.1),
}


@pytest.mark.parametrize(
    ("space", "wanted"),
    [
        (SMALL, 24),
        ({"x": FloatRange(low=0, high=1), "kind": Choice(choices=["a", "b"])}, 100),
        ({"kind": Choice(choices=["a", "b"]), "x": FloatRange(low=0, high=1, when={"kind": ["b"]})}, 100),
        ({"kind": Choice(choices=["a", "b"]), "n": IntRange(low=1, high=3, when={"kind": ["b"]})}, 4),
        ({"n": IntRange(low=1, high=1_000_000_000, log=True)}, 100),
    ],
)
def test_a_search_has_no_more_trials_than_combinations(space: Any, wanted: int) -> None:
    assert Sweep(space=space, sampler=SamplerName.RANDOM, trials=100).wanted == wanted


@pytest.mark.parametrize("choices", [[1, 1.0], [[64], [64.0]], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]])
def test_choices_that_train_identically_are_refused(choices: Any) -> None:
    with pytest.raises(ValidationError, match="twice"):
        Choice(choices=choices)


def test_a_grid_has_no_more_trials_than_combinations() -> None:
    assert count_combinations(SMALL) == len(list(product(*map(grid_values, SMALL.values())))) == 24
    for asked, wanted in ((5, 5), (24, 24), (1_000, 24)):
        assert Sweep(space=SMALL, sampler=SamplerName.GRID, trials=asked).wanted == wanted


@cases("name", ALGORITHMS.names())
def test_the_suggested_space_of_every_algorithm_is_valid(name: str) -> None:
    algorithm: Algorithm = ALGORITHMS.get(name)
    space = {one: suggested.parameter for one, suggested in algorithm.search.items()}
    assert len(space) >= 5
    assert all(suggested.source for suggested in algorithm.search.values())
    check_space(algorithm, space)
    assert list(Sweep(space=space).space) == list(space)


def test_a_parameter_the_algorithm_does_not_have_is_refused_with_a_pointer() -> None:
    ppo = ALGORITHMS.get("ppo")
    with pytest.raises(UnknownName, match="learning_rate") as unknown:
        check_space(ppo, {"learning_rat": FloatRange(low=0.1, high=0.2)})
    assert unknown.value.fields[0].pointer == "/sweep/space/learning_rat"
    with pytest.raises(InvalidRequest, match="PPO does not take gamma = 2") as beyond:
        check_space(ppo, {"gamma": FloatRange(low=0.5, high=2.0), "n_epochs": Choice(choices=[1, "many"])})
    assert [field.pointer for field in beyond.value.fields] == ["/sweep/space/gamma", "/sweep/space/n_epochs"]
    with pytest.raises(InvalidRequest, match="valid integer"):
        check_space(ppo, {"n_steps": FloatRange(low=64.5, high=128)})
