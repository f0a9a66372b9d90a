"""Weights-only files act like the model that wrote them, for every algorithm."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import (
    Scale,
    make_playable,
    read_policy,
    read_weights,
    replace_weights,
)
from tests.real.test_weights import assert_the_same, learned, saved

CASES: list[tuple[str, str | None, dict[str, Any]]] = [
    *((algorithm, None, {}) for algorithm in ALGORITHMS.names()),
    ("ppo", "LunarLander-v3", {"normalize_observations": True}),
    ("dqn", None, {"normalize_observations": True}),
    ("ppo", "Pendulum-v1", {"use_sde": True}),
    ("sac", None, {"use_sde": True}),
    ("dqn", "ALE/Pong-v5", {"learning_starts": 250, "buffer_size": 300}),
    ("ppo", "ALE/Pong-v5", {"n_steps": 64}),
]


@pytest.mark.parametrize(("algo", "env_id", "hyperparameters"), CASES)
def test_loaded_weights_act_and_read_like_the_model(
    tmp_path: Path, algo: str, env_id: str | None, hyperparameters: dict[str, Any]
) -> None:
    algorithm, model = ALGORITHMS.get(algo), learned(tmp_path, algo, env_id, **hyperparameters)
    file = saved(model)
    assert_the_same(read_weights(algorithm, file), make_playable(algorithm, model))
    assert_the_same(read_policy(algorithm, file), make_playable(algorithm, model))
    whole = BytesIO()
    model.save(whole)
    if scale := Scale.from_model(model):
        scale.write(whole)
    assert_the_same(read_policy(algorithm, whole), make_playable(algorithm, model))


@pytest.mark.parametrize("algo", ALGORITHMS.names())
def test_a_policy_is_updated_in_place(tmp_path: Path, algo: str) -> None:
    algorithm, model = ALGORITHMS.get(algo), learned(tmp_path, algo)
    policy = read_weights(algorithm, saved(model))
    network = policy.model.policy
    model.learn(300, reset_num_timesteps=False)
    later = saved(model)
    replace_weights(policy, later)
    assert policy.model.policy is network
    assert_the_same(policy, make_playable(algorithm, model))


@pytest.mark.parametrize("algo", ["dqn", "qrdqn", "sac", "td3"])
def test_reading_weights_allocates_no_replay_buffer(tmp_path: Path, algo: str) -> None:
    algorithm, model = ALGORITHMS.get(algo), learned(tmp_path, algo)
    assert read_weights(algorithm, saved(model)).model.replay_buffer is None  # type: ignore[attr-defined]
    whole = BytesIO()
    model.save(whole)
    policy = read_policy(algorithm, whole)
    assert policy.model.replay_buffer.buffer_size == 1  # type: ignore[attr-defined]
    assert_the_same(policy, make_playable(algorithm, model))
