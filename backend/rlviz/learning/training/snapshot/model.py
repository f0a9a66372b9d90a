"""Captures and restores a model of the library between two rollouts, without its environments and replay buffer.

A model is built from its configuration and then restored. The library's own ``load`` cannot do this: it seeds again,
drops the last observation and ignores schedules.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from functools import reduce
from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm

_ATTRIBUTES = (
    *("num_timesteps", "_num_timesteps_at_start", "_current_progress_remaining", "_episode_num"),
    *("_last_obs", "_last_original_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer"),
    *("_n_updates", "_n_calls", "exploration_rate", "recent_td_errors"),
)
"""Attributes of all algorithms; each model has some of them."""

_NOISE = ("exploration_mat", "exploration_matrices")
"""Attributes of a distribution with state-dependent noise (gSDE)."""

Tensors = dict[str, Any]


def capture_attributes(model: Any) -> dict[str, Any]:
    """Return the attributes, not yet copied."""
    return {
        "attributes": {name: getattr(model, name) for name in _ATTRIBUTES if hasattr(model, name)},
        "elapsed_ns": time.time_ns() - model.start_time,
        "action_noise": model.action_noise,
        "state_dependent_noise": [
            {name: getattr(distribution, name).detach().clone() for name in _NOISE if hasattr(distribution, name)}
            for distribution in _distributions(model)
        ],
    }


ENVIRONMENTS = ("_last_obs", "_last_original_obs", "_last_episode_starts")
"""Attributes that describe the environments' current states."""

LAST_EPISODES = ("ep_info_buffer", "ep_success_buffer")
"""Attributes with the last 100 episodes, which the library averages."""


def restore_attributes(model: Any, state: dict[str, Any], *, besides: Collection[str] = ()) -> None:
    """Restore all attributes except ``besides``."""
    vars(model).update({name: value for name, value in state["attributes"].items() if name not in besides})


def settle_attributes(model: Any, state: dict[str, Any], *, noise: bool = True) -> None:
    """Undo what the library changes when ``learn`` begins: the clock, the start of its count, and action noise.

    Args:
        noise: Whether to restore the noise; it starts fresh with new environments.
    """
    model._num_timesteps_at_start = state["attributes"]["_num_timesteps_at_start"]
    model.start_time = time.time_ns() - state["elapsed_ns"]
    if not noise:
        return
    if model.action_noise is not None and state["action_noise"] is not None:  # a fork may have other noise
        vars(model.action_noise).update(vars(state["action_noise"]))  # in place: the running rollout refers to it
    for distribution, matrices in zip(_distributions(model), state["state_dependent_noise"], strict=True):
        vars(distribution).update(matrices)


def capture_tensors(model: Any) -> Tensors:
    """Return copies of weights, buffers and optimizers, by the library's names."""
    states, variables = model._get_torch_save_params()
    return {
        "states": {name: copied(_named(model, name).state_dict()) for name in states or ("policy",)},
        "variables": {name: _named(model, name).detach().clone() for name in variables},
    }


def restore_tensors(model: Any, tensors: Tensors) -> None:
    """Restore weights and the moments of optimizers. Their settings (learning rate, epsilon, betas) stay as built.

    Raises:
        ValueError, KeyError, RuntimeError: The model has other networks or optimizers.
    """
    for name, state in tensors["states"].items():
        target = _named(model, name)
        if isinstance(target, torch.optim.Optimizer):
            groups = target.state_dict()["param_groups"]
            target.load_state_dict({**state, "param_groups": groups})
        else:
            target.load_state_dict(state)
    for name, value in tensors["variables"].items():
        _named(model, name).data.copy_(value)


def are_finite(tensors: Tensors) -> bool:
    """Return whether all weights and optimizer values are finite."""
    return all(bool(torch.isfinite(tensor).all()) for tensor in _tensors_in(tensors))


def _tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors_in(part)


def _named(model: Any, name: str) -> Any:
    return reduce(getattr, name.split("."), model)


def copied(value: Any) -> Any:
    """Return ``value`` with all tensors in it copied."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [copied(part) for part in value]
    return value


def _distributions(model: BaseAlgorithm) -> Iterator[Any]:
    """Return distributions that keep noise between two samplings."""
    policy: Any = model.policy
    for owner in (policy, getattr(policy, "actor", None)):
        distribution = getattr(owner, "action_dist", None)
        if distribution is not None and hasattr(distribution, _NOISE[0]):
            yield distribution
