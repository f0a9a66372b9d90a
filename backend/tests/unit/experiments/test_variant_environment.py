"""The environment of a variant, also when it is no longer configured."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.experiments import ExperimentSpec, RunSpec
from rlviz.domain.spaces import Space
from rlviz.server.experiments.service import environment_of_variant
from rlviz.server.runs.environments import EnvironmentService
from tests.support.training import make_run

CUSTOM = CustomEnvironment(
    entry_point="own.py:Own",
    summary="",
    observation_space=Space("Box", shape=(3,)),
    action_space=Space("Discrete", n=3),
    reward_threshold=25.0,
    max_episode_steps=30,
    render_fps=20,
)


def spec_of(env_id: str) -> RunSpec:
    base = {"algo": "ppo", "env_id": env_id, "total_timesteps": 300}
    return ExperimentSpec.model_validate({"base": base, "variants": [{"name": "a"}, {"name": "b"}]}).base


@pytest.fixture
def nothing_configured() -> EnvironmentService:
    service = EnvironmentService()
    service.start()
    return service


def test_an_environment_no_longer_configured_is_taken_from_its_runs(
    tmp_path: Path, nothing_configured: EnvironmentService
) -> None:
    run = make_run(tmp_path, env_id="Own", custom_environment=CUSTOM)
    found = environment_of_variant(spec_of("Own"), [None, "deleted", run.run_id], tmp_path, nothing_configured)
    assert (found.id, found.reward_threshold) == ("Own", 25.0)


def test_an_environment_without_any_trace_has_no_threshold(
    tmp_path: Path, nothing_configured: EnvironmentService
) -> None:
    found = environment_of_variant(spec_of("Own"), ["deleted"], tmp_path, nothing_configured)
    assert (found.id, found.reward_threshold) == ("Own", None)
    assert found.hint is not None
    assert "RLVIZ_ENVIRONMENTS" in found.hint


def test_a_registered_environment_is_taken_from_the_registry(
    tmp_path: Path, nothing_configured: EnvironmentService
) -> None:
    found = environment_of_variant(spec_of("CartPole-v1"), [], tmp_path, nothing_configured)
    assert found.reward_threshold == 475
