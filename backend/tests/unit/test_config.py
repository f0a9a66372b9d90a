"""Validation and serialization of RunConfig."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from rlviz.domain.config import CheckpointPlan, RunConfig
from rlviz.domain.limits import LIMITS, MAX_TIMESTEPS
from rlviz.domain.versions import CONFIG
from rlviz.learning.environments.custom import find_environment
from tests.support.cases import cases

INF, NAN = float("inf"), float("nan")
GOOD: dict[str, Any] = {
    "run_id": "ppo-cartpole-1",
    "name": "First",
    "created_at": datetime(2026, 11, 21, 1, 43, 12, 117_000, tzinfo=UTC),
    "algo": "ppo",
    "env_id": "CartPole-v1",
    "preset": None,
    "seed": 0,
    "total_timesteps": 50_000,
    "hyperparameters": {"learning_rate": 3e-4, "net_arch": [64, 64], "target_kl": None, "normalize_advantage": True},
}


def test_a_configuration_round_trips() -> None:
    config = RunConfig(**GOOD, versions={"torch": "2.9.1"}, git_revision="0874bc2")
    assert RunConfig.model_validate_json(config.model_dump_json()) == config
    assert '"created_at":"2026-11-21T01:43:12.117Z"' in config.model_dump_json()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", LIMITS.seed.maximum),
        ("total_timesteps", LIMITS.total_timesteps.minimum),
        ("total_timesteps", MAX_TIMESTEPS),
        ("name", "x"),
        ("name", "x" * 120),
        ("torch_threads", 64),
    ],
)
def test_values_equal_to_a_bound_are_allowed(field: str, value: object) -> None:
    assert getattr(RunConfig(**{**GOOD, field: value}), field) == value


@cases(
    ("field", "value"),
    [
        *[("seed", bad) for bad in (-1, LIMITS.seed.maximum + 1, 10**30, 1.0, 1.5, True, False, "1", None, NAN)],
        *[
            ("total_timesteps", bad)
            for bad in (
                LIMITS.total_timesteps.minimum - 1,
                MAX_TIMESTEPS + 1,
                0,
                -5,
                1000.0,
                True,
                "1000",
                None,
                INF,
                NAN,
            )
        ],
        *[("name", bad) for bad in ("", " ", "\t\n", "x" * 121, None, 5)],
        *[("torch_threads", bad) for bad in (0, 65, True, 2.0, "2")],
        *[("schema_version", bad) for bad in (0, -1, 1.0, "2", None)],
        ("created_at", "yesterday"),
        ("hyperparameters", {"gamma": object()}),
        ("hyperparameters", []),
        ("unheard_of", 1),
    ],
)
def test_values_out_of_bounds_or_of_another_type_are_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        RunConfig(**{**GOOD, field: value})
    assert {error["loc"][0] for error in caught.value.errors()} == {field}


@cases("field", sorted(GOOD))
def test_every_value_needed_to_repeat_a_run_is_required(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        RunConfig(**{name: value for name, value in GOOD.items() if name != field})


def test_a_configuration_is_immutable() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RunConfig(**GOOD).seed = 1  # type: ignore[misc]


@cases(
    "values",
    [
        *[{"every_steps": bad} for bad in (99, 0, -1, MAX_TIMESTEPS + 1, 1000.0, True, "1000", None)],
        *[{"every_seconds": bad} for bad in (0.99, 0, -1, 86_401, INF, NAN, True, "30", None)],
        *[{"keep": bad} for bad in (0, 101, True, 2.0, "3")],
        {"every_minute": True},
    ],
)
def test_checkpoint_intervals_are_bounded_numbers(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CheckpointPlan(**values)


def test_integer_seconds_are_accepted() -> None:
    assert CheckpointPlan(every_seconds=5).every_seconds == 5.0


def test_a_configuration_older_than_options_is_read_as_one_without() -> None:
    old = RunConfig(**GOOD).model_dump_json(exclude={"env_options", "custom_environment"})
    config = RunConfig.model_validate_json(old)
    assert config.schema_version == CONFIG.current
    assert config.env_options == {}
    assert config.custom_environment is None
    assert find_environment(config).id == "CartPole-v1"
