"""Recommended algorithms and presets, based on measurements."""

from __future__ import annotations

import pytest

from rlviz.domain.errors import UnknownName
from rlviz.domain.presets import MeasuredPreset, Preset, PresetId
from rlviz.domain.recommended import RECOMMENDED
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.presets import recommended
from rlviz.learning.presets.catalog import measured, presets_for
from rlviz.server.runs.choices import view_environment
from rlviz.server.runs.configuration import NewRun, recommended_algorithm_of, recommended_preset_of, resolve_config
from rlviz.server.runs.environments import variants
from tests.support.cases import cases

PLACES = [variant for environment in ENVIRONMENTS for variant in variants(environment) or [environment]]


def suited(environment: Environment) -> list[str]:
    return [algorithm.id for algorithm in ALGORITHMS if environment.suits(algorithm)]


def figures(algorithm: str, environment: Environment, preset: str) -> MeasuredPreset | None:
    presets = presets_for(algorithm, environment.id, environment.chosen)
    return measured(next(one for one in presets if one.id == preset), environment.id)


@cases("environment", PLACES, ids=lambda one: f"{one.id}{one.chosen}")
def test_a_preset_that_solved_something_is_recommended_over_one_that_solved_nothing(environment: Environment) -> None:
    for algorithm in suited(environment):
        chosen = figures(algorithm, environment, recommended_preset_of(algorithm, environment))
        for preset in PresetId:
            other = figures(algorithm, environment, preset)
            if other is not None and other.solved:
                assert chosen is not None
                assert chosen.solved, f"{algorithm} {preset}"


@cases("environment", PLACES, ids=lambda one: f"{one.id}{one.chosen}")
def test_an_algorithm_that_works_is_recommended_if_there_is_one(environment: Environment) -> None:
    def held(algorithm: str) -> float:
        found = figures(algorithm, environment, recommended_preset_of(algorithm, environment))
        return 0.0 if found is None else (found.held or 0) / found.seeds

    chosen = recommended_algorithm_of(environment)
    assert chosen in suited(environment)
    assert held(str(chosen)) >= 0.8 or held(str(chosen)) == max(map(held, suited(environment)))


@pytest.mark.parametrize(
    ("env_id", "algorithm", "preset"),
    [
        ("CartPole-v1", "ppo", "fast"),
        ("LunarLander-v3", "ppo", "high-score"),
        ("MountainCar-v0", "dqn", "fast"),
        ("FrozenLake-v1", "q-learning", "fast"),
        ("Pendulum-v1", "sac", "fast"),
        ("BipedalWalker-v3", "ppo", "fast"),  # nothing was measured
    ],
)
def test_a_run_without_a_choice_trains_a_preset_that_works(env_id: str, algorithm: str, preset: str) -> None:
    config = resolve_config(NewRun(RECOMMENDED, env_id), 0.0)
    assert (config.algo, config.preset) == (algorithm, preset)
    assert resolve_config(NewRun(algorithm, env_id), 0.0).preset == preset


def test_the_recommendation_depends_on_environment_options() -> None:
    hard = resolve_config(NewRun("q-learning", "Taxi-v4", env_options={"is_rainy": True}), 0.0)
    assert hard.preset == "high-score"


def test_without_a_threshold_a_clearly_lower_return_counts_as_not_working(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = {"fast": (-900.0, -800.0), "stable": (-170.0, -150.0), "high-score": (-160.0, -140.0)}

    def found(preset: Preset, _env_id: str) -> MeasuredPreset:
        low, high = ends[preset.id]
        return MeasuredPreset(
            seeds=5,
            solved=0,
            held=None,
            return_iqm=(low + high) / 2,
            return_low=low,
            return_high=high,
            steps_to_threshold=None,
            seconds_to_threshold=None,
            seconds=1.0,
        )

    monkeypatch.setattr(recommended, "measured", found)
    assert recommended.recommended_preset("a2c", "Pendulum-v1", {}, None) is PresetId.STABLE


def test_the_api_says_which_presets_failed_their_measurement() -> None:
    lander = ENVIRONMENTS.get("LunarLander-v3")
    presets = view_environment(lander, [ALGORITHMS.get("ppo"), ALGORITHMS.get("qrdqn")]).presets
    assert {preset.id: preset.works for preset in presets["ppo"]} == {
        "fast": False,
        "stable": False,
        "high-score": True,
    }
    assert {preset.works for preset in presets["qrdqn"]} == {None}


def test_a_preset_with_another_name_is_still_unknown() -> None:
    with pytest.raises(UnknownName, match="preset"):
        resolve_config(NewRun("ppo", preset="recomended"), 0.0)
