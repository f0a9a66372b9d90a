"""Computes saliency maps: which pixels of an observation a policy's choice depends on.

A map is the gradient of a score with respect to the image. Each kind of policy has a function
``(model, seen, actions) -> (kind, score)``, where ``seen`` (n, …) is the networks' input, ``actions`` (n, …) are the
predicted ones, and the score (n,) is differentiable with respect to ``seen``. Imports torch and Stable-Baselines3, so
only workers may import it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.preprocessing import preprocess_obs

from rlviz.domain.clips import Score
from rlviz.domain.registry import load
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.stats.pictures import PictureLayout, salience

Scorer = Callable[[Any, torch.Tensor, Any], tuple[Score, torch.Tensor]]


def score_actor_critic(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    """Score the logit of the chosen action, the sum of several choices' logits, or the value for continuous actions.

    The logarithm of the probability would not do: it hardly changes once a policy is certain of its action.
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
    return Score.LOGIT, (logits * (2 * chosen - 1)).sum(dim=1)  # MultiBinary: a higher logit makes a one more likely


def score_q_network(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    return Score.Q, _of_action(model, model.q_net(seen), actions)


def score_quantile_network(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    """Score Q(s, a), the mean of the quantiles."""
    return Score.Q, _of_action(model, model.quantile_net(seen).mean(dim=1), actions)


def score_critics(model: Any, seen: torch.Tensor, actions: Any) -> tuple[Score, torch.Tensor]:
    """Score the smallest of the critics' values for the fixed action."""
    scaled = torch.as_tensor(model.policy.scale_action(np.asarray(actions)), dtype=torch.float32, device=seen.device)
    return Score.Q, torch.cat(model.critic(seen, scaled), dim=1).min(dim=1).values


def _scaled(model: Any, seen: torch.Tensor) -> torch.Tensor:
    """Scale images to 0 … 1, as the input of the feature extractor."""
    scaled = preprocess_obs(seen, model.observation_space, normalize_images=model.policy.normalize_images)
    assert isinstance(scaled, torch.Tensor)
    return scaled


def _of_action(model: Any, q_values: torch.Tensor, actions: Any) -> torch.Tensor:
    places = np.asarray(actions).reshape(-1, 1) - int(model.action_space.start)
    return _gather(q_values, torch.as_tensor(places, device=q_values.device)).flatten()


def _gather(values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return torch.gather(values, 1, places.long())


@dataclass(frozen=True, eq=False)
class Saliency:
    """``maps``: shape (pictures, height, width), from 0 to 1, one for each picture in the observation."""

    score: Score
    maps: NDArray[np.float64]


def saliency(policy: TrainedPolicy, observation: NDArray[Any], action: Any) -> Saliency | None:
    """Compute how much the score of ``action``, which the policy chose, depends on each pixel of ``observation``.

    Changes no weights and draws no random numbers. Returns None if the algorithm has no score, or if the observation
    is not an image.
    """
    layout = PictureLayout.from_shape(observation.shape)
    if policy.scorer is None or layout is None:
        return None
    scorer: Scorer = load(policy.scorer)
    policy.model.policy.set_training_mode(False)
    tensor: Any = policy.model.policy.obs_to_tensor(observation[np.newaxis])[0]
    seen = tensor.float().requires_grad_()
    with torch.enable_grad():
        score, number = scorer(policy.model, seen, policy.places(np.asarray(action)[np.newaxis]))
        (gradient,) = torch.autograd.grad(number.sum(), seen, allow_unused=True)
    found = np.zeros(seen.shape[1:]) if gradient is None else gradient[0].cpu().numpy()
    if found.shape != observation.shape:  # the library moves the channels to the front
        found = np.moveaxis(found, 0, -1)
    return Saliency(score, salience(layout.split(found)))
