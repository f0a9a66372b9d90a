"""Validation and planning of an experiment's specification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from rlviz.domain.experiments import ExperimentSpec, FloatRange, RunSpec, Sweep
from rlviz.domain.limits import LIMITS, Bounds
from tests.support.cases import cases

VARIANTS = [{"name": "a", "changes": {"algo": "ppo"}}, {"name": "b", "changes": {"algo": "dqn"}}]
UNIT = {"kind": "float", "low": 0, "high": 1}
SWEEP = Sweep(space={"gamma": FloatRange(low=0.9, high=0.99)}, trials=3, seeds_per_trial=3).model_dump(mode="json")


def spec(**given: Any) -> ExperimentSpec:
    return ExperimentSpec.model_validate(given)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"variants": VARIANTS, "sedes": 3}, ("sedes",)),
        ({"variants": VARIANTS, "base": {"algorithm": "ppo"}}, ("base", "algorithm")),
        ({"variants": VARIANTS, "seeds": [1, 1]}, ("seeds",)),
        ({"variants": VARIANTS, "seeds": []}, ("seeds",)),
        ({"grid": {"gamma": []}}, ("grid", "gamma")),
        ({"variants": [VARIANTS[0], {"name": "A "}]}, ("variants",)),
    ],
)
def test_an_invalid_specification_is_refused_with_its_position(given: dict[str, Any], place: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as refused:
        spec(**given)
    assert place in {error["loc"][: len(place)] for error in refused.value.errors()}


@cases(
    ("given", "place"),
    [
        ({}, ()),
        ({"grid": {}}, ("grid",)),
        ({"variants": []}, ("variants",)),
        ({"variants": VARIANTS, "grid": {"gamma": [0.9]}}, ("grid",)),
        ({"sweep": SWEEP, "grid": {"gamma": [0.9]}}, ("sweep",)),
        ({"variants": VARIANTS, "sweep": SWEEP}, ("sweep",)),
        ({"sweep": SWEEP, "seeds": [1, 2]}, ("seeds",)),
        ({"variants": VARIANTS, "fail_mode": "continue", "retries": 2}, ("retries",)),
        ({"sweep": {"space": {"x": {**UNIT, "when": {"y": [1]}}}}}, ("sweep", "space", "x", "when", "y")),
        ({"sweep": {"space": {"x": {**UNIT, "low": 2}}}}, ("sweep", "space", "x", "float", "high")),
    ],
)
def test_a_contradiction_is_reported_at_the_field_to_change(given: dict[str, Any], place: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as refused:
        spec(**given)
    assert [error["loc"] for error in refused.value.errors()] == [place]


@pytest.mark.parametrize(
    ("bounds", "given"),
    [
        (LIMITS.experiment_seeds, lambda value: {"seeds": value}),
        (LIMITS.experiment_parallel, lambda value: {"parallel": value}),
        (LIMITS.experiment_retries, lambda value: {"retries": value}),
        (LIMITS.scored_episodes, lambda value: {"score": {"episodes": value}}),
        (LIMITS.sweep_trials, lambda value: {"variants": [], "sweep": {**SWEEP, "trials": value}}),
        (LIMITS.sweep_seeds, lambda value: {"variants": [], "sweep": {**SWEEP, "seeds_per_trial": value}}),
    ],
)
def test_a_specification_is_limited_as_the_limits_say(bounds: Bounds, given: Callable[[int], dict[str, Any]]) -> None:
    for value in (bounds.minimum, bounds.maximum):
        spec(**{"variants": VARIANTS, **given(value)})
    for value in (bounds.minimum - 1, bounds.maximum + 1):
        with pytest.raises(ValidationError):
            spec(**{"variants": VARIANTS, **given(value)})


def test_a_grid_contains_every_combination() -> None:
    planned = spec(grid={"gamma": [0.9, 0.99], "n_steps": [8, 16, 32]}, seeds=2)
    assert planned.cells == 12
    assert [one.changes.hyperparameters["n_steps"] for one in planned.fixed_variants()] == [8, 16, 32] * 2


@pytest.mark.parametrize(
    "grid",
    [
        {"learning_rate": [1e-4, 1e-3], "gamma": [0.9, 0.99]},
        {f"hyperparameter_{letter}": [1, 2] for letter in "abcdefg"},
        {f"hyperparameter_{letter}": [1] for letter in "abcdefg"},
        {"net_arch": [[64] * 40, [64] * 41]},
    ],
)
def test_the_variants_of_a_grid_have_distinct_names(grid: dict[str, list[Any]]) -> None:
    names = [one.name for one in spec(grid=grid).fixed_variants()]
    assert len(set(names)) == len(names)
    assert all(0 < len(name) <= LIMITS.variant_name.maximum for name in names)


def test_a_grid_too_large_for_a_name_is_named_after_what_varies() -> None:
    same = {f"hyperparameter_{letter}": [1] for letter in "abcdefg"}
    first, second = spec(grid={**same, "gamma": [0.9, 0.99]}).fixed_variants()
    assert (first.name, second.name) == ("gamma 0.9", "gamma 0.99")


def test_the_cost_of_a_large_grid_is_computed_without_planning_it() -> None:
    assert spec(grid={name: list(range(10)) for name in "abcdefghij"}, seeds=1).cells == 10**10


def test_a_search_of_a_grid_plans_at_most_its_combinations() -> None:
    space = {"gamma": {"kind": "choice", "choices": [0.9, 0.99]}}
    sweep = {"space": space, "sampler": "grid", "trials": 1_000, "seeds_per_trial": 5}
    assert spec(sweep=sweep).cells == 10
    assert spec(sweep={**sweep, "sampler": "random"}).cells == 10, "no two trials of any search are the same"


def test_changes_are_merged_one_by_one() -> None:
    planned = spec(variants=[{"name": "a", "changes": {"hyperparameters": {"gamma": 0.9}}}])
    base = RunSpec(hyperparameters={"gamma": 0.99, "n_steps": 8})
    assert planned.variants[0].run_spec(base).hyperparameters == {"gamma": 0.9, "n_steps": 8}


@pytest.mark.parametrize("name", ["algo", "env_id"])
def test_a_variant_cannot_remove_a_required_value(name: str) -> None:
    with pytest.raises(ValidationError):
        spec(variants=[{"name": "a", "changes": {name: None}}])


@pytest.mark.parametrize("seeds", [[7], [1, 2, 3, 4]])
def test_a_search_requires_a_number_of_seeds_within_its_bounds(seeds: list[int]) -> None:
    with pytest.raises(ValidationError):
        spec(sweep=SWEEP, seeds=seeds)


def test_a_list_of_seeds_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ValidationError):
        spec(variants=VARIANTS, seeds=list(range(1_001)))


def test_a_grid_refuses_equal_values_in_different_spellings() -> None:
    with pytest.raises(ValidationError):
        spec(grid={"gamma": [1, 1.0]})
