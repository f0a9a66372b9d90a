"""Weights-only files: contents and compatibility checks."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.utils import set_random_seed

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy, make_playable, read_weights, replace_weights, save_weights
from rlviz.learning.training.builder import build_model
from tests.support.training import make_run


def learned(root: Path, algo: str, env_id: str | None = None, steps: int = 300, **hyperparameters: Any) -> Any:
    changes = {"env_id": env_id} if env_id else {}
    model = build_model(make_run(root, algo=algo, hyperparameters=hyperparameters, **changes).read_config())
    model.learn(steps)
    return model


def saved(model: BaseAlgorithm) -> BytesIO:
    file = BytesIO()
    save_weights(model, file)
    return file


def observations_of(model: Any) -> Any:
    model.observation_space.seed(3)
    return np.stack([model.observation_space.sample() for _ in range(4)])


def assert_the_same(found: TrainedPolicy, expected: TrainedPolicy) -> None:
    seen = observations_of(expected.model)
    actions, _ = expected.predict(seen, deterministic=True)
    np.testing.assert_array_equal(found.predict(seen, deterministic=True)[0], actions)
    sampled = []
    for policy in (found, expected):
        set_random_seed(5)
        policy.action_space.seed(5)
        if policy.model.use_sde:
            policy.model.policy.reset_noise()  # type: ignore[operator]
        sampled.append(policy.predict(seen, deterministic=False)[0])
    np.testing.assert_array_equal(*sampled)
    readings = [vars(policy.read(seen, actions)) for policy in (found, expected)]
    assert readings[0].keys() == readings[1].keys()
    for name, value in readings[1].items():
        np.testing.assert_array_equal(readings[0][name], value, err_msg=name)
    assert found.step == expected.step


def test_the_observation_normalisation_is_updated_with_the_weights(tmp_path: Path) -> None:
    algorithm, model = ALGORITHMS.get("ppo"), learned(tmp_path, "ppo", normalize_observations=True)
    policy = read_weights(algorithm, saved(model))
    model.learn(300, reset_num_timesteps=False)
    replace_weights(policy, saved(model))
    assert_the_same(policy, make_playable(algorithm, model))


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    policy = read_weights(ALGORITHMS.get("ppo"), saved(learned(tmp_path / "a", "ppo")))
    for other in (learned(tmp_path / "b", "ppo", net_arch=[8]), learned(tmp_path / "c", "dqn")):
        with pytest.raises(RuntimeError):
            replace_weights(policy, saved(other))


def test_the_file_contains_no_target_network_and_writing_it_does_not_use_the_training_generator(tmp_path: Path) -> None:
    model = learned(tmp_path, "dqn", net_arch=[64, 64])
    before = torch.get_rng_state()
    size = len(saved(model).getvalue())
    assert torch.equal(before, torch.get_rng_state())
    one_network = sum(tensor.nbytes for tensor in model.q_net.parameters())
    assert one_network < size < one_network + 12_000
