"""Exploration noise of policies in sessions."""

from __future__ import annotations

from copy import copy
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
    """Return an untrained policy for Pendulum that was read from a file."""
    model = build_model(make_run(root, algo=algo, env_id=PENDULUM, hyperparameters=hyperparameters).read_config())
    file = BytesIO()
    if whole:
        model.save(file)
    else:
        save_weights(model, file)
    return read_policy(ALGORITHMS.get(algo), file)


def episode(actions: PolicyActions, seed: int = 3, steps: int = 8) -> list[float]:
    """Return the actions of an episode whose observation never changes."""
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


def test_td3_trained_without_noise_has_none(tmp_path: Path) -> None:
    actions = actions_of(as_read(tmp_path, "td3", action_noise="none"))
    assert set(episode(actions)) == {considered(actions, greedy=True)}


@pytest.mark.parametrize("noise", NOISES)
def test_noise_repeats_with_the_same_seed_and_differs_with_another(tmp_path: Path, noise: str) -> None:
    actions = actions_of(as_read(tmp_path, "td3", action_noise=noise))
    first = episode(actions)
    assert episode(actions) == first
    assert episode(actions, seed=4) != first


@pytest.mark.parametrize(
    ("algo", "hyperparameters"), [("sac", {"train_freq": 8}), ("ppo", {"n_steps": 8, "batch_size": 8})]
)
def test_state_dependent_noise_repeats_with_the_same_seed(
    tmp_path: Path, algo: str, hyperparameters: dict[str, Any]
) -> None:
    actions = actions_of(as_read(tmp_path, algo, use_sde=True, **hyperparameters))
    first = episode(actions)
    assert episode(actions) == first
    assert episode(actions, seed=4) != first


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("sde_sample_freq", "drawn_at"), [(-1, [0, 6, 12]), (4, [0, 4, 6, 10, 12]), (8, [0, 6, 12])])
def test_state_dependent_noise_is_resampled_at_the_steps_of_training(
    tmp_path: Path, sde_sample_freq: int, drawn_at: list[int], whole: bool
) -> None:
    policy = as_read(
        tmp_path, "sac", whole=whole, use_sde=True, train_freq=6, sde_sample_freq=sde_sample_freq, log_std_init=0.0
    )
    actions = episode(actions_of(policy), steps=14)
    changes = [0, *(step for step in range(1, 14) if actions[step] != actions[step - 1])]
    assert changes == drawn_at


def test_a_counterfactual_explores_independently_with_the_same_numbers(tmp_path: Path) -> None:
    actions = actions_of(as_read(tmp_path, "td3", action_noise="ornstein-uhlenbeck"))
    episode(actions)
    other = copy(actions)
    set_random_seed(9)
    expected = [considered(actions) for _ in range(4)]
    set_random_seed(9)
    assert [considered(other) for _ in range(4)] == expected
