"""The catalogue of presets."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from rlviz.domain.config import EvaluationPlan, ExplorationPlan
from rlviz.domain.errors import UnknownName
from rlviz.domain.presets import Preset, PresetId
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Algorithm
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.presets.catalog import digest, measured, preset_files, preset_for, presets_for
from rlviz.server.runs.choices import view_environment
from rlviz.server.runs.configuration import NewRun, check_exploration, check_imitation, resolve_config
from rlviz.server.runs.environments import variants
from tests.support.cases import cases

PAIRS = [
    (algorithm, variant)
    for algorithm in ALGORITHMS
    for environment in ENVIRONMENTS
    for variant in variants(environment) or [environment]
    if variant.suits(algorithm)
]


def named(value: Algorithm | Environment) -> str:
    return f"{value.id}{value.chosen}" if isinstance(value, Environment) else value.id


@cases(("algorithm", "environment"), PAIRS, ids=named)
def test_every_pair_has_each_preset_once_and_can_train_with_it(algorithm: Algorithm, environment: Environment) -> None:
    presets = presets_for(algorithm.id, environment.id, environment.chosen)
    assert [preset.id for preset in presets] == list(PresetId)
    for preset in presets:
        spaces = environment.observation_space, environment.action_space
        values = algorithm.validate(preset.hyperparameters, preset.total_timesteps, spaces)
        check_exploration(preset.exploration, environment, algorithm)
        check_imitation(preset.exploration, values)


def test_a_run_can_be_made_with_every_preset_of_an_environment() -> None:
    for file in preset_files():
        for preset in file.preset if file.environment is not None else ():
            new = NewRun(preset.algorithm, str(file.environment), preset.id, env_options=preset.when)
            config = resolve_config(new, 0.0)
            assert (config.preset, config.exploration) == (preset.id, preset.exploration)


def test_every_file_has_an_environment_and_algorithms_that_fit() -> None:
    environments = [file.environment for file in preset_files() if file.environment]
    assert len(set(environments)) == len(environments)
    for file in preset_files():
        for preset in file.preset:
            algorithm = ALGORITHMS.get(preset.algorithm)
            algorithm.validate(preset.hyperparameters, preset.total_timesteps)
            if file.environment is not None:
                assert ENVIRONMENTS.get(file.environment).resolve(preset.when).suits(algorithm)


def test_every_preset_describes_itself_and_its_trade_off_in_a_sentence() -> None:
    for preset in (preset for file in preset_files() for preset in file.preset):
        assert preset.summary.endswith(".")
        assert preset.tradeoff.endswith(".")
        assert not preset.source.endswith(".")


def test_algorithms_that_can_regress_keep_their_best_policy_if_there_is_a_threshold() -> None:
    for file in preset_files():
        for preset in file.preset:
            if file.environment is None or preset.algorithm not in ("a2c", "trpo", "dqn", "qrdqn"):
                continue
            if ENVIRONMENTS.get(file.environment).resolve(preset.when).reward_threshold is None:
                continue
            assert preset.evaluation is not None, (file.environment, preset.algorithm, preset.id)
            assert preset.evaluation.every_steps is not None
            assert preset.evaluation.every_steps * 10 <= preset.total_timesteps, "a choice of ten at least"


def test_an_environments_own_preset_overrides_the_general_one() -> None:
    own, general = preset_for("fast", "ppo", "CartPole-v1"), preset_for("fast", "ppo", "Taxi-v4")
    assert general == preset_for("fast", "ppo")
    assert own != general


def test_the_preset_made_for_the_chosen_options_wins() -> None:
    def chosen(**options: object) -> Preset:
        resolved = ENVIRONMENTS.get("FrozenLake-v1").resolve(options)  # type: ignore[arg-type]
        return preset_for("fast", "q-learning", resolved.id, resolved.chosen)

    assert chosen().when == {}
    assert chosen(is_slippery=False).when == {"is_slippery": False}
    assert chosen(map_name="8x8").when == {"map_name": "8x8", "is_slippery": True}


def test_an_unknown_preset_is_answered_with_the_nearest_match() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'high-score'") as caught:
        preset_for("highscore", "ppo")
    assert caught.value.fields[0].pointer == "/preset"


def test_figures_are_invalidated_by_changed_training_and_not_by_changed_texts() -> None:
    preset = preset_for("fast", "ppo", "CartPole-v1")

    def changed(**values: object) -> str:
        return digest(Preset.model_validate({**preset.model_dump(), **values}), "CartPole-v1")

    same = digest(preset, "CartPole-v1")
    assert changed(summary="Other words.", source="elsewhere") == same
    others = {
        changed(total_timesteps=preset.total_timesteps + 1),
        changed(hyperparameters={**preset.hyperparameters, "gamma": 0.5}),
        changed(exploration=ExplorationPlan(novelty=0.5)),
        digest(preset, "Acrobot-v1"),
    }
    assert len({same, *others}) == 5
    assert measured(preset.model_copy(update={"total_timesteps": 101}), "CartPole-v1") is None


# Exploration

LAMPLIGHTER = "GameBoy/Lamplighter-v0"


@pytest.mark.parametrize(
    ("preset", "given", "explores"),
    [
        ("fast", None, {"coverage": 0.3, "archive": 0.5}),
        ("fast", {}, None),
        ("fast", {"novelty": 0.5}, {"novelty": 0.5}),
        (None, None, None),
        (None, {"map": True}, {"map": True}),
    ],
)
def test_a_run_explores_as_its_preset_unless_the_request_says_how(
    preset: str | None, given: dict[str, Any] | None, explores: dict[str, Any] | None
) -> None:
    asked = None if given is None else ExplorationPlan.model_validate(given)
    new = NewRun("ppo", LAMPLIGHTER, preset, total_timesteps=1_000, exploration=asked)
    expected = None if explores is None else ExplorationPlan.model_validate(explores)
    assert resolve_config(new, 0.0).exploration == expected


def test_random_actions_explore_like_no_preset() -> None:
    assert resolve_config(NewRun("random", LAMPLIGHTER, "fast"), 0.0).exploration is None


def test_the_api_says_how_a_preset_explores() -> None:
    info = view_environment(ENVIRONMENTS.get(LAMPLIGHTER), [ALGORITHMS.get("ppo"), ALGORITHMS.get("dqn")])
    ppo, dqn = ({str(preset.exploration) for preset in info.presets[name]} for name in ("ppo", "dqn"))
    assert (ppo, dqn) == ({"coverage 0.3, archive 0.5"}, {"None"})


def test_a_preset_cannot_begin_in_one_cell() -> None:
    values = preset_for("fast", "ppo", LAMPLIGHTER).model_dump()
    with pytest.raises(ValidationError, match="Leave start_cell out"):
        Preset.model_validate({**values, "exploration": {"archive": 0.5, "start_cell": 3}})


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        ({}, "none"),
        ({"map": True}, "map"),
        ({"map": True, "novelty": 0.5}, "map, novelty 0.5"),
        ({"map": True, "archive": 0.25, "coverage": 1, "imitation": 10}, "coverage 1, archive 0.25, imitation 10"),
    ],
)
def test_a_plan_says_what_is_on(plan: dict[str, Any], text: str) -> None:
    assert str(ExplorationPlan.model_validate(plan)) == text


@pytest.mark.parametrize(
    ("given", "deterministic"),
    [
        (None, False),
        (EvaluationPlan(every_steps=5_000), False),
        (EvaluationPlan(every_steps=None), False),
        (EvaluationPlan(every_steps=5_000, deterministic=True), True),
        (EvaluationPlan(every_steps=5_000, deterministic=False), False),
    ],
)
def test_evaluations_choose_actions_as_those_of_the_preset_unless_the_request_says_how(
    given: EvaluationPlan | None, deterministic: bool
) -> None:
    plan = resolve_config(NewRun("ppo", LAMPLIGHTER, "fast", evaluation=given), 0.0).evaluation
    assert plan.is_greedy is deterministic
    assert plan.every_steps == (100_000 if given is None else given.every_steps)
    without = resolve_config(NewRun("ppo", LAMPLIGHTER, None, total_timesteps=5_000, evaluation=given), 0.0).evaluation
    assert without.is_greedy is (given is None or given.is_greedy)
