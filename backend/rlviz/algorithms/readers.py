"""Reading policies: one function for each kind of algorithm, ``(model, observations, actions) -> Reading``.

Observations (n, …) are as the model was trained on, actions (n, …) as it predicted them. No generator is drawn from.
Imports torch and Stable-Baselines3: only workers import this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.distributions import (
    BernoulliDistribution,
    CategoricalDistribution,
    MultiCategoricalDistribution,
)

from rlviz.algorithms.reading import Numbers, Reading

Reader = Callable[[Any, Any, Any], Reading]


def actor_critic(model: Any, observations: Any, actions: Any) -> Reading:
    """Value, and probabilities or mean and deviation."""
    seen = _as_tensor(model, observations)
    with torch.no_grad():
        value = _numbers(model.policy.predict_values(seen).flatten())
        distribution = model.policy.get_distribution(seen)
    inner = distribution.distribution
    if isinstance(distribution, MultiCategoricalDistribution):
        return Reading(value=value, probabilities=_numbers(torch.cat([part.probs for part in inner], dim=1)))
    if isinstance(distribution, CategoricalDistribution | BernoulliDistribution):
        return Reading(value=value, probabilities=_numbers(inner.probs))
    return Reading(value=value, mean=_numbers(inner.mean), deviation=_numbers(inner.stddev))


def q_network(model: Any, observations: Any, actions: Any) -> Reading:
    with torch.no_grad():
        q_values = _numbers(model.q_net(_as_tensor(model, observations)))
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions))


def quantile_network(model: Any, observations: Any, actions: Any) -> Reading:
    with torch.no_grad():
        quantiles = _numbers(model.quantile_net(_as_tensor(model, observations)))
    q_values = quantiles.mean(axis=1)
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions), quantiles=quantiles)


def squashed_actor(model: Any, observations: Any, actions: Any) -> Reading:
    seen = _as_tensor(model, observations)
    with torch.no_grad():
        mean, log_std, noise = model.actor.get_action_dist_params(seen)
        inner = model.actor.action_dist.proba_distribution(mean, log_std, **noise).distribution
    return Reading(
        mean=_numbers(inner.mean),
        deviation=_numbers(inner.stddev),
        squashed=True,
        action_value=_least(model, seen, actions),
    )


def deterministic_actor(model: Any, observations: Any, actions: Any) -> Reading:
    """The mean is the action without noise; there is no standard deviation."""
    seen = _as_tensor(model, observations)
    with torch.no_grad():
        mean = model.policy.unscale_action(_numbers(model.actor(seen)))
    return Reading(mean=mean, action_value=_least(model, seen, actions))


def table(model: Any, observations: Any, actions: Any) -> Reading:
    q_values = model.policy.table.numpy()[model.policy.states(observations)]
    return Reading(q_values=q_values, action_value=_taken(model, q_values, actions))


def _as_tensor(model: Any, observations: Any) -> Any:
    model.policy.set_training_mode(False)
    return model.policy.obs_to_tensor(observations)[0]


def _numbers(tensor: torch.Tensor) -> Numbers:
    """A copy, since the networks' tensors are changed in place."""
    return np.array(tensor.cpu().numpy())


def _taken(model: Any, q_values: Numbers, actions: Any) -> Numbers:
    places = np.asarray(actions).reshape(-1) - model.action_space.start
    return np.asarray(q_values[np.arange(len(q_values)), places])


def _least(model: Any, seen: Any, actions: Any) -> Numbers:
    """The minimum of the critics' values, which both algorithms learn from. Critics take actions scaled to −1 … 1."""
    scaled = torch.as_tensor(model.policy.scale_action(np.asarray(actions)), dtype=torch.float32, device=model.device)
    with torch.no_grad():
        return _numbers(torch.cat(model.critic(seen, scaled), dim=1).min(dim=1).values)
