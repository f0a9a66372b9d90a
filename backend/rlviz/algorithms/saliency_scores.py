"""What a saliency map is of, one function for each kind of policy: ``(model, seen, actions) -> (kind, score)``.

``seen`` (n, …) is a tensor of what the networks get, ``actions`` (n, …) are as the policy predicted them, and the score
(n,) can be differentiated with respect to ``seen``. Imports torch and Stable-Baselines3: only workers import this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.preprocessing import preprocess_obs

from rlviz.domain.saliency import Score

Scorer = Callable[[Any, torch.Tensor, Any], tuple[Score, torch.Tensor]]


def actor_critic(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    """The logit of the chosen action, the sum of several choices' logits, or the value where actions are continuous.

    Not the logarithm of its probability: that hardly moves any more where a policy is sure of what it does.
    """
    policy, space = model.policy, model.action_space
    if isinstance(space, spaces.Box):
        return Score.VALUE, policy.predict_values(seen).flatten()
    features = policy.pi_features_extractor(_scaled(model, seen))
    logits = policy.action_net(policy.mlp_extractor.forward_actor(features))
    chosen = torch.as_tensor(np.asarray(actions), device=logits.device).reshape(len(logits), -1)
    match space:
        case spaces.Discrete():
            return Score.LOGIT, _gather(logits, chosen - int(space.start)).flatten()
        case spaces.MultiDiscrete():
            parts = torch.split(logits, space.nvec.tolist(), dim=1)
            picked = [_gather(part, chosen[:, place : place + 1]) for place, part in enumerate(parts)]
            return Score.LOGIT, torch.cat(picked, dim=1).sum(dim=1)
    return Score.LOGIT, (logits * (2 * chosen - 1)).sum(dim=1)  # MultiBinary: a logit speaks for a one


def q_network(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    return Score.Q, _of_action(model, model.q_net(seen), actions)


def quantile_network(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    """Q(s, a) is the mean of the quantiles."""
    return Score.Q, _of_action(model, model.quantile_net(seen).mean(dim=1), actions)


def critics(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    """The least of the critics' values; the action is held."""
    scaled = torch.as_tensor(model.policy.scale_action(np.asarray(actions)), dtype=torch.float32, device=seen.device)
    return Score.Q, torch.cat(model.critic(seen, scaled), dim=1).min(dim=1).values


def _scaled(model: Any, seen: torch.Tensor) -> torch.Tensor:
    """What the feature extractor gets: pictures scaled to 0 … 1."""
    scaled = preprocess_obs(seen, model.observation_space, normalize_images=model.policy.normalize_images)
    assert isinstance(scaled, torch.Tensor)
    return scaled


def _of_action(model: Any, q_values: torch.Tensor, actions: Any) -> torch.Tensor:
    places = np.asarray(actions).reshape(-1, 1) - int(model.action_space.start)
    return _gather(q_values, torch.as_tensor(places, device=q_values.device)).flatten()


def _gather(values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return torch.gather(values, 1, places.long())
