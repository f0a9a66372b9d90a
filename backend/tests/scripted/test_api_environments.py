"""The endpoints of environments, their options and presets."""

from __future__ import annotations

from typing import Any

import pytest

from rlviz.learning.environments import ENVIRONMENTS
from tests.support.service_process import Service


@pytest.fixture(scope="module")
def listed(service: Service) -> dict[str, Any]:
    return {environment["id"]: environment for environment in service.get("/environments")}


def test_every_environment_is_listed_with_its_description(listed: dict[str, Any]) -> None:
    assert list(listed) == ENVIRONMENTS.names()
    cartpole = listed["CartPole-v1"]
    assert cartpole["action_space"]["n"] == 2
    assert cartpole["reward_threshold"] == 475
    assert {"ppo", "dqn", "a2c"} <= set(cartpole["algorithms"])
    assert "sac" not in cartpole["algorithms"]
    assert cartpole["options"] == cartpole["variants"] == []
    assert all(environment["available"] for environment in listed.values())


def test_the_return_of_random_actions_is_known_for_default_options(listed: dict[str, Any]) -> None:
    assert listed["CartPole-v1"]["random_return"] == {
        "mean": 23.76,
        "std": pytest.approx(13.6, abs=0.1),
        "episodes": 100,
    }
    lake = listed["FrozenLake-v1"]
    assert {tuple(v["options"].items()): v["random_return"] is not None for v in lake["variants"]} == {
        tuple(v["options"].items()): v["options"] == {"map_name": "4x4", "is_slippery": True} for v in lake["variants"]
    }


def test_a_preset_is_shown_with_the_values_a_run_gets(service: Service, listed: dict[str, Any]) -> None:
    run = service.create(algo="dqn", preset="stable")
    shown = next(preset for preset in listed["CartPole-v1"]["presets"]["dqn"] if preset["id"] == "stable")
    assert run["config"]["hyperparameters"] == shown["hyperparameters"]
    assert run["total_timesteps"] == shown["total_timesteps"]
    assert shown["source"]
    assert shown["tradeoff"]


def test_options_are_listed_as_fields_with_bounds_and_help(listed: dict[str, Any]) -> None:
    fields = {field["name"]: field for field in listed["FrozenLake-v1"]["options"]}
    assert fields["map_name"]["choices"] == ["4x4", "8x8"]
    assert fields["is_slippery"]["type"] == "boolean"
    assert fields["is_slippery"]["default"] is True
    wind = {field["name"]: field for field in listed["LunarLander-v3"]["options"]}["wind_power"]
    assert (wind["type"], wind["minimum"], wind["maximum"]) == ("number", 0, 20)


def test_variants_are_described_as_their_options_make_them(listed: dict[str, Any]) -> None:
    lander = {variant["options"]["continuous"]: variant for variant in listed["LunarLander-v3"]["variants"]}
    assert lander[False]["action_space"]["kind"] == "Discrete"
    assert "dqn" in lander[False]["algorithms"]
    assert lander[True]["action_space"]["kind"] == "Box"
    assert "dqn" not in lander[True]["algorithms"]
    assert "sac" in lander[True]["algorithms"]
    large = [variant for variant in listed["FrozenLake-v1"]["variants"] if variant["options"]["map_name"] == "8x8"]
    assert {variant["observation_space"]["n"] for variant in large} == {64}


def test_a_run_stores_every_option_chosen_or_default(service: Service) -> None:
    run = service.create(algo="q-learning", env_id="FrozenLake-v1", env_options={"map_name": "8x8"})
    chosen = {"map_name": "8x8", "is_slippery": True}
    assert run["env_options"] == run["config"]["env_options"] == chosen
    assert service.get(f"/runs/{run['id']}")["env_options"] == chosen


@pytest.mark.parametrize(
    ("body", "pointer", "words"),
    [
        ({"env_options": {"map": "8x8"}}, "/env_options/map", "Did you mean 'map_name'"),
        ({"env_options": {"map_name": "5x5"}}, "/env_options/map_name", "8x8"),
        ({"env_options": {"is_slippery": "no"}}, "/env_options/is_slippery", "boolean"),
        ({"env_options": []}, "/env_options", "dictionary"),
        ({"env_id": "CartPole-v1", "env_options": {"x": 1}}, "/env_options/x", "Unknown option of CartPole-v1"),
        ({"env_id": "LunarLander-v3", "env_options": {"continuous": True}}, "/algo", "has Box"),
        ({"env_id": "FrozenLake-v2"}, "/env_id", "FrozenLake-v1"),
    ],
)
def test_an_invalid_option_is_refused_with_its_pointer(
    service: Service, body: dict[str, Any], pointer: str, words: str
) -> None:
    answer = service.api("POST", "/runs", json={"algo": "dqn", "env_id": "FrozenLake-v1", **body})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["pointer"] == pointer
    assert words in error["detail"]


def test_runs_are_compared_with_the_threshold_of_their_variant(service: Service) -> None:
    def threshold(*runs: dict[str, Any]) -> float | None:
        found: float | None = service.get(f"/compare?runs={','.join(run['id'] for run in runs)}")["threshold"]
        return found

    large, small = (
        service.create(algo="q-learning", env_id="FrozenLake-v1", env_options={"map_name": size})
        for size in ("8x8", "4x4")
    )
    assert threshold(large) == 0.85
    assert threshold(small) == 0.7
    assert threshold(large, small) is None


def test_each_environment_has_a_cacheable_still_image(service: Service, listed: dict[str, Any]) -> None:
    for environment in listed.values():
        found = service.http.get(environment["still_url"])
        assert (found.status_code, found.headers["content-type"]) == (200, "image/webp")
        assert found.content[:4] == b"RIFF"
        assert "max-age" in found.headers["cache-control"]
        unchanged = service.http.get(environment["still_url"], headers={"If-None-Match": found.headers["etag"]})
        assert (unchanged.status_code, unchanged.content) == (304, b"")


@pytest.mark.parametrize("env_id", ["Nowhere-v0", "CartPole", "..%2F..%2Fmake.py", "ALE-Pong-v5"])
def test_an_unknown_environment_has_no_still_image(service: Service, env_id: str) -> None:
    assert service.http.get(f"/api/environments/{env_id}/still").status_code == 404


def test_only_a_game_has_a_schema_of_its_state(service: Service) -> None:
    schema = service.get("/environments/GameBoy/Lamplighter-v0/state-schema")
    assert schema["type"] == "object"
    assert schema["required"] == list(schema["properties"])
    assert schema["properties"]["square_x"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 9,
        "description": "In squares.",
    }
    for env_id, words in (("CartPole-v1", "has no schema of its state"), ("CartPole-v9", "Did you mean 'CartPole-v1'")):
        answer = service.http.get(f"/api/environments/{env_id}/state-schema")
        assert answer.status_code == 404
        assert words in answer.json()["detail"]


def test_a_preset_says_where_its_training_ends(listed: dict[str, Any], service: Service) -> None:
    factors = {algorithm["id"]: algorithm["rollout_factors"] for algorithm in service.get("/algorithms")}
    assert factors["ppo"] == ["n_steps", "n_envs"]
    for algorithm, presets in listed["CartPole-v1"]["presets"].items():
        for preset in presets:
            rollout = 1
            for name in factors[algorithm]:
                rollout *= preset["hyperparameters"][name]
            assert preset["end_step"] % rollout == 0
            assert 0 <= preset["end_step"] - preset["total_timesteps"] < rollout


def test_a_run_says_where_its_training_ends(service: Service) -> None:
    run = service.create(algo="ppo", preset=None, total_timesteps=20_000, hyperparameters={"n_envs": 8})
    assert run["end_step"] == 2 * 8 * 2_048
