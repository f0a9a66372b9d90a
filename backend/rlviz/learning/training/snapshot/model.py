"""What a model of the library is between two rollouts, but for its environments and its replay buffer.

A model is built from its configuration and then brought to this state. The library's own ``load`` is no way to it: it
seeds anew, drops the last observation and ignores schedules.
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
"""Of whatever algorithm; each has some of them."""

_NOISE = ("exploration_mat", "exploration_matrices")
"""Of a distribution whose noise depends on the state (gSDE)."""

Tensors = dict[str, Any]


def capture_attributes(model: Any) -> dict[str, Any]:
    """Not copied yet."""
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
"""Attributes that say where the environments are."""

LAST_EPISODES = ("ep_info_buffer", "ep_success_buffer")
"""Attributes that the library's means over 100 episodes are taken of."""


def restore_attributes(model: Any, state: dict[str, Any], *, besides: Collection[str] = ()) -> None:
    """All but ``besides``."""
    vars(model).update({name: value for name, value in state["attributes"].items() if name not in besides})


def settle_attributes(model: Any, state: dict[str, Any], *, noise: bool = True) -> None:
    """Undo what the library changes while ``learn`` begins: the clock, where its count began, and the ``noise`` of
    actions, unless that begins anew with its environments."""
    model._num_timesteps_at_start = state["attributes"]["_num_timesteps_at_start"]
    model.start_time = time.time_ns() - state["elapsed_ns"]
    if not noise:
        return
    if model.action_noise is not None and state["action_noise"] is not None:  # a fork may have begun with another
        vars(model.action_noise).update(vars(state["action_noise"]))  # in place: a rollout under way holds on to it
    for distribution, matrices in zip(_distributions(model), state["state_dependent_noise"], strict=True):
        vars(distribution).update(matrices)


def capture_tensors(model: Any) -> Tensors:
    """Weights, buffers and optimizers as copies, by the names that the library saves them by."""
    states, variables = model._get_torch_save_params()
    return {
        "states": {name: copied(_named(model, name).state_dict()) for name in states or ("policy",)},
        "variables": {name: _named(model, name).detach().clone() for name in variables},
    }


def restore_tensors(model: Any, tensors: Tensors) -> None:
    """Optimizers keep what they were built with (learning rate, epsilon, betas); their moments are restored.

    Raises ValueError, KeyError or RuntimeError if the networks or optimizers are others.
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
    """Whether all weights, and what optimizers keep of them, are."""
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
    """``value`` with every tensor in it copied."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [copied(part) for part in value]
    return value


def _distributions(model: BaseAlgorithm) -> Iterator[Any]:
    """Those with a noise of their own between two samplings."""
    policy: Any = model.policy
    for owner in (policy, getattr(policy, "actor", None)):
        distribution = getattr(owner, "action_dist", None)
        if distribution is not None and hasattr(distribution, _NOISE[0]):
            yield distribution
