"""Small models of the library that train quickly."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import sb3_contrib
import stable_baselines3
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm

_ON_POLICY = {"n_steps": 16, "policy_kwargs": {"net_arch": [4]}}
_OFF_POLICY = {"learning_starts": 4, "batch_size": 4, "buffer_size": 100, "policy_kwargs": {"net_arch": [4]}}

_SMALL: dict[str, tuple[Any, dict[str, Any]]] = {
    "ppo": (stable_baselines3.PPO, {**_ON_POLICY, "batch_size": 16, "n_epochs": 1}),
    "a2c": (stable_baselines3.A2C, _ON_POLICY),
    "trpo": (sb3_contrib.TRPO, {**_ON_POLICY, "batch_size": 16, "n_critic_updates": 1}),
    "dqn": (stable_baselines3.DQN, _OFF_POLICY),
    "qrdqn": (sb3_contrib.QRDQN, {**_OFF_POLICY, "policy_kwargs": {"net_arch": [4], "n_quantiles": 3}}),
    "sac": (stable_baselines3.SAC, _OFF_POLICY),
    "td3": (stable_baselines3.TD3, _OFF_POLICY),
}


def small_model(kind: str, env: Any, **changes: Any) -> BaseAlgorithm:
    """Return a seeded model of algorithm ``kind`` with a small network and buffer; ``changes`` override its arguments.

    ``env``: an environment, or its id.
    """
    model_class, arguments = _SMALL[kind]
    is_dict = isinstance(getattr(env, "observation_space", None), spaces.Dict)
    policy = "MultiInputPolicy" if is_dict else "MlpPolicy"
    given = {"seed": 1, "device": "cpu", **deepcopy(arguments), **changes}  # the library changes them
    model: BaseAlgorithm = model_class(policy, env, **given)
    return model
