"""Bounds, defaults and validation of the hyperparameters of every algorithm."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.registry import load
from rlviz.domain.spaces import box, discrete
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import CONTRIB, SB3, SWITCHES, Algorithm
from rlviz.learning.algorithms.fields import GROUPS, Need
from rlviz.server.runs.choices import view_hyperparameters
from tests.support.cases import cases

INF, NAN = float("inf"), float("nan")
POLICY_FIELDS = {"net_arch", "activation", "log_std_init", "n_quantiles"}
"""Those that the library takes as keyword arguments of the policy."""

PPO, DQN = ALGORITHMS.get("ppo"), ALGORITHMS.get("dqn")


def fields(algorithm: Algorithm) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each hyperparameter; of a nullable number, the schema of the number."""
    properties = algorithm.hyperparameters.model_json_schema()["properties"]
    return {
        name: {**schema, **next((one for one in schema.get("anyOf", []) if one["type"] != "null"), {})}
        for name, schema in properties.items()
    }


FIELDS = [(algorithm, name, schema) for algorithm in ALGORITHMS for name, schema in fields(algorithm).items()]
NUMERIC = [(algorithm, name, schema) for algorithm, name, schema in FIELDS if schema["type"] in ("number", "integer")]


def named(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return value.id if isinstance(value, Algorithm) else ""


def pointers(algorithm: Algorithm, total_timesteps: int = 50_000, **values: Any) -> list[str]:
    with pytest.raises(InvalidRequest) as caught:
        algorithm.validate(values, total_timesteps)
    assert all(problem.detail for problem in caught.value.fields)
    return [problem.pointer.removeprefix("/hyperparameters/") for problem in caught.value.fields]


@cases(("algorithm", "name", "schema"), NUMERIC, ids=named)
def test_every_number_has_a_lower_and_an_upper_bound(algorithm: Algorithm, name: str, schema: dict[str, Any]) -> None:
    assert {"minimum", "exclusiveMinimum"} & set(schema)
    assert {"maximum", "exclusiveMaximum"} & set(schema)


@cases(("algorithm", "name", "schema"), FIELDS, ids=named)
def test_every_hyperparameter_has_a_description(algorithm: Algorithm, name: str, schema: dict[str, Any]) -> None:
    assert schema["description"].endswith(".")


@cases(("algorithm", "name", "schema"), NUMERIC, ids=named)
def test_values_out_of_bounds_or_of_another_type_are_refused(
    algorithm: Algorithm, name: str, schema: dict[str, Any]
) -> None:
    low = schema["minimum"] - 1 if "minimum" in schema else schema["exclusiveMinimum"]
    high = schema["maximum"] + 1 if "maximum" in schema else schema["exclusiveMaximum"]
    wrong = [low, high, -(10**30), 10**30, INF, -INF, NAN, True, "1", [1], {}]
    if schema["type"] == "integer":
        wrong += [schema["maximum"] - 0.5, float(schema["maximum"])]
    for value in wrong:
        assert pointers(algorithm, **{name: value}) == [name], value


@cases("algorithm", [one for one in ALGORITHMS if "net_arch" in fields(one)], ids=named)
@cases("net_arch", [[3], [1025], [64] * 5, [64.0], [True], ["64"], 64, None])
def test_networks_have_a_limited_number_of_layers_of_a_limited_size(algorithm: Algorithm, net_arch: Any) -> None:
    assert {pointer.split("/")[0] for pointer in pointers(algorithm, net_arch=net_arch)} == {"net_arch"}


def test_the_pointer_names_the_invalid_layer() -> None:
    assert pointers(PPO, net_arch=[64, 0, 64]) == ["net_arch/1"]


def test_every_invalid_value_is_named_at_once() -> None:
    assert sorted(pointers(PPO, gamma=2, n_steps=1, activation="gelu")) == ["activation", "gamma", "n_steps"]


@pytest.mark.parametrize(
    ("algorithm", "wrong", "nearest"),
    [(PPO, "learn_rate", "learning_rate"), (PPO, "Gamma", "gamma"), (DQN, "batchsize", "batch_size")],
    ids=named,
)
def test_an_unknown_hyperparameter_is_answered_with_the_nearest_match(
    algorithm: Algorithm, wrong: str, nearest: str
) -> None:
    with pytest.raises(UnknownName, match=f"Unknown {algorithm.name} hyperparameter '{wrong}'") as caught:
        algorithm.validate({wrong: 1}, 50_000)
    assert caught.value.nearest == nearest
    assert caught.value.fields[0].pointer == f"/hyperparameters/{wrong}"


def test_an_odd_name_is_escaped_and_shortened_in_its_pointer() -> None:
    with pytest.raises(UnknownName) as caught:
        PPO.validate({"a/b~c": 1}, 50_000)
    assert caught.value.fields[0].pointer == "/hyperparameters/a~1b~0c"
    with pytest.raises(UnknownName) as caught:
        PPO.validate({"x" * 100_000: 1}, 50_000)
    assert len(caught.value.fields[0].pointer) < 200


@cases("algorithm", list(ALGORITHMS), ids=named)
def test_missing_values_get_defaults_and_integers_are_accepted_as_numbers(algorithm: Algorithm) -> None:
    assert algorithm.validate({}, 50_000) == algorithm.hyperparameters()
    assert algorithm.validate({"gamma": 1}, 50_000).model_dump()["gamma"] == 1.0


# Combinations


def test_a_ppo_batch_has_to_fit_into_a_rollout() -> None:
    assert pointers(PPO, n_steps=32, n_envs=2, batch_size=65) == ["batch_size"]
    PPO.validate({"n_steps": 32, "n_envs": 2, "batch_size": 64}, 50_000)


def test_dqn_has_to_start_learning_before_training_ends() -> None:
    assert pointers(DQN, total_timesteps=1_000, learning_starts=1_000) == ["learning_starts"]
    DQN.validate({"learning_starts": 999}, 1_000)


def test_trpo_with_normalised_advantages_needs_two_transitions_per_rollout() -> None:
    trpo = ALGORITHMS.get("trpo")
    rollout: dict[str, Any] = {"n_envs": 1, "n_steps": 64, "batch_size": 64}
    assert pointers(trpo, **rollout, sub_sampling_factor=64) == ["sub_sampling_factor"]
    trpo.validate({**rollout, "sub_sampling_factor": 63}, 10_000)
    trpo.validate({**rollout, "sub_sampling_factor": 64, "n_steps": 65}, 10_000)
    trpo.validate({**rollout, "sub_sampling_factor": 64, "normalize_advantage": False}, 10_000)


def test_a_dqn_batch_has_to_fit_into_the_replay_buffer() -> None:
    assert pointers(DQN, buffer_size=100, batch_size=101) == ["batch_size"]
    DQN.validate({"buffer_size": 100, "batch_size": 100}, 50_000)


def test_dqn_has_to_take_gradient_steps() -> None:
    assert pointers(DQN, gradient_steps=0) == ["gradient_steps"]
    DQN.validate({"gradient_steps": -1}, 50_000)


@pytest.mark.parametrize("algorithm", ["dqn", "qrdqn", "sac", "td3"])
def test_n_step_returns_need_next_observations(algorithm: str) -> None:
    off_policy = ALGORITHMS.get(algorithm)
    assert pointers(off_policy, n_steps=3, optimize_memory_usage=True) == ["n_steps"]
    off_policy.validate({"n_steps": 3}, 50_000)
    off_policy.validate({"optimize_memory_usage": True}, 50_000)


def test_epsilon_must_not_rise() -> None:
    assert pointers(DQN, exploration_initial_eps=0.1, exploration_final_eps=0.2) == ["exploration_final_eps"]
    DQN.validate({"exploration_initial_eps": 0.2, "exploration_final_eps": 0.2}, 50_000)


def test_all_problems_are_reported_together() -> None:
    assert pointers(DQN, total_timesteps=500, buffer_size=100, batch_size=200, gradient_steps=0) == [
        "learning_starts",
        "batch_size",
        "gradient_steps",
    ]


# What Stable-Baselines3 is given


@cases("algorithm", list(ALGORITHMS), ids=named)
def test_every_hyperparameter_reaches_the_model_or_our_own_code(algorithm: Algorithm) -> None:
    values = algorithm.hyperparameters()
    given = values.model_arguments()
    policy = given.pop("policy_kwargs", {})
    assert ("activation" in fields(algorithm)) == ("activation_fn" in policy)
    ours = {"n_envs", "activation", "action_noise_std", *SWITCHES}
    ours |= {name for name in fields(algorithm) if name.endswith("_schedule")}
    assert set(fields(algorithm)) - ours == set(given) | set(policy) - {"activation_fn"}
    accepted = inspect.signature(load(algorithm.model_class)).parameters
    assert set(given) <= set(accepted)
    assert values.environments == 1


@cases("algorithm", list(ALGORITHMS), ids=named)
def test_a_default_marked_as_the_librarys_matches_it(algorithm: Algorithm) -> None:
    values = algorithm.hyperparameters()
    given = {**values.model_arguments(), "ent_coef": "auto" if algorithm.id == "sac" else 0.0}
    library = inspect.signature(load(algorithm.model_class)).parameters
    for name in fields(algorithm):
        if values.source_of(name) in (SB3, CONTRIB) and name in library:
            assert given[name] == library[name].default, name
        elif values.source_of(name) in (SB3, CONTRIB):
            assert name in POLICY_FIELDS, f"{name} is no parameter of {algorithm.model_class}"


@cases("algorithm", list(ALGORITHMS), ids=named)
def test_every_hyperparameter_belongs_to_a_group(algorithm: Algorithm) -> None:
    groups = [field.group for field in view_hyperparameters(algorithm.hyperparameters)]
    assert set(groups) <= set(GROUPS)
    assert groups == sorted(groups, key=GROUPS.index)


def test_a_hyperparameter_of_only_some_environments_says_so() -> None:
    needs = {field.name: field.needs for field in view_hyperparameters(ALGORITHMS.get("ppo").hyperparameters)}
    assert {name: need for name, need in needs.items() if need is not None} == {
        "normalize_observations": Need.REAL_OBSERVATIONS,
        "use_sde": Need.CONTINUOUS_ACTIONS,
        "sde_sample_freq": Need.CONTINUOUS_ACTIONS,
        "log_std_init": Need.CONTINUOUS_ACTIONS,
    }


@pytest.mark.parametrize("algo", ["ppo", "a2c", "trpo"])
def test_state_dependent_noise_requires_continuous_actions(algo: str) -> None:
    algorithm = ALGORITHMS.get(algo)
    algorithm.validate({"use_sde": True}, 50_000, (box("x"), box("push")))
    with pytest.raises(InvalidRequest) as caught:
        algorithm.validate({"use_sde": True}, 50_000, (box("x"), discrete(2)))
    assert [problem.pointer for problem in caught.value.fields] == ["/hyperparameters/use_sde"]


@pytest.mark.parametrize(
    ("algo", "observation", "action", "words"),
    [
        ("sac", "Box", "Discrete", "SAC needs an action space of kind Box; Here has Discrete"),
        ("dqn", "Box", "Box", "DQN needs an action space of kind Discrete; Here has Box"),
        ("q-learning", "Box", "Discrete", "needs an observation space of kind Discrete or MultiDiscrete; Here has Box"),
    ],
)
def test_an_unsupported_space_is_named_with_supported_ones(
    algo: str, observation: str, action: str, words: str
) -> None:
    algorithm = ALGORITHMS.get(algo)
    assert not algorithm.fits(observation, action)
    with pytest.raises(InvalidRequest, match=words):
        algorithm.check_spaces("Here", observation, action)


def test_a_linear_schedule_falls_from_the_value_to_zero() -> None:
    values = PPO.validate({"learning_rate": 0.01, "learning_rate_schedule": "linear"}, 50_000)
    schedule = values.model_arguments()["learning_rate"]
    assert [schedule(remaining) for remaining in (1.0, 0.5, 0.0)] == pytest.approx([0.01, 0.005, 0.0])
    assert values.model_arguments()["clip_range"] == 0.2
