"""The exploration noise of TD3."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stable_baselines3.common.utils import set_random_seed

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy, read_policy, save_weights
from rlviz.learning.sessions.actions import PolicyActions
from rlviz.learning.training.builder import build_model
from tests.support.training import make_run

PENDULUM = "Pendulum-v1"


SEEN = np.array([1.0, 0.0, 0.0], np.float32)


NOISES = ("normal", "ornstein-uhlenbeck")


def as_read(root: Path, algo: str, *, whole: bool = False, **hyperparameters: Any) -> TrainedPolicy:
    """An untrained policy for Pendulum, read from a file."""
    model = build_model(make_run(root, algo=algo, env_id=PENDULUM, hyperparameters=hyperparameters).read_config())
    file = BytesIO()
    if whole:
        model.save(file)
    else:
        save_weights(model, file)
    return read_policy(ALGORITHMS.get(algo), file)


def episode(actions: PolicyActions, seed: int = 3, steps: int = 8) -> list[float]:
    """The actions of an episode in which one thing is seen all the time."""
    set_random_seed(seed)
    actions.begin()
    return [considered(actions) for _ in range(steps)]


def considered(actions: PolicyActions, *, greedy: bool = False) -> float:
    actions.choose_action(SEEN, greedy=greedy)
    return float(actions.action()[0])


def actions_of(policy: TrainedPolicy) -> PolicyActions:
    actions = PolicyActions()
    actions.policy = policy
    return actions


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("noise", NOISES)
def test_td3_adds_the_noise_of_its_training_in_the_environments_units(tmp_path: Path, noise: str, whole: bool) -> None:
    policy = as_read(tmp_path, "td3", whole=whole, action_noise=noise, action_noise_std=0.3)
    actions = np.array(episode(actions_of(policy), steps=400)) - considered(actions_of(policy), greedy=True)
    expected = 2 * 0.3  # torques reach from -2 to 2, noise from -1 to 1
    if noise == "normal":
        assert actions.std() == pytest.approx(expected, rel=0.2)
    else:  # drifts: neighbours differ by little, which is what it is for
        assert np.diff(actions).std() == pytest.approx(expected * np.sqrt(0.01), rel=0.2)
