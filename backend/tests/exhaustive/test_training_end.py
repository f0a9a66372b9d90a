"""The last rollout of each algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training.watched import train_run
from tests.support.training import events, make_run

CASES: list[tuple[str, int, dict[str, Any], int]] = [
    ("ppo", 200, {"n_envs": 2, "n_steps": 64}, 256),
    ("ppo", 256, {"n_envs": 2, "n_steps": 64}, 256),
    ("a2c", 101, {"n_envs": 3, "n_steps": 5}, 105),
    ("trpo", 129, {"n_envs": 1, "n_steps": 64}, 192),
    ("dqn", 201, {"n_envs": 3, "train_freq": 4}, 204),
    ("dqn", 200, {"n_envs": 1, "train_freq": 1}, 200),
    ("qrdqn", 150, {"n_envs": 1, "train_freq": 16}, 160),
    ("sac", 121, {"n_envs": 2, "train_freq": 1}, 122),
    ("td3", 101, {"n_envs": 1, "train_freq": 50}, 150),
    ("q-learning", 2_003, {"n_envs": 4}, 2_004),
]


@pytest.mark.parametrize(("algo", "budget", "hyperparameters", "end"), CASES)
def test_training_ends_with_the_first_whole_rollout_at_or_beyond_its_budget(
    tmp_path: Path, algo: str, budget: int, hyperparameters: dict[str, Any], end: int
) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=budget, hyperparameters=hyperparameters)
    assert train_run(folder)
    assert events(folder)[-1].step == end
    assert ALGORITHMS.get(algo).training_end(budget, folder.read_config().hyperparameters) == end
