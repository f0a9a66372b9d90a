"""Reads what an algorithm last learned from (rollouts, TD errors, actions) for the anatomy of an update.

Training is not changed: random generators that are used are restored. Imports torch and Stable-Baselines3, so only
workers may import it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import obs_as_tensor

SAMPLES = 512
"""Number of samples from a rollout or a replay buffer: enough for a histogram, and quick to evaluate."""

Array = NDArray[Any]
TdErrors = Callable[[Any], Array | None]


@dataclass(frozen=True, eq=False)
class Rollout:
    """A sample of a rollout, taken before the update that learns from it. All arrays have shape (n, …)."""

    observations: Any
    actions: Array
    advantages: Array
    log_probabilities: Array

    @classmethod
    def from_model(cls, model: BaseAlgorithm) -> Rollout | None:
        """Sample the rollout that ``model`` has just collected; None if it learns from a replay buffer or a table."""
        if not isinstance(model, OnPolicyAlgorithm):
            return None
        buffer: Any = model.rollout_buffer
        picked = _spread(buffer.advantages.size)
        at, env = np.divmod(picked, buffer.n_envs)
        observations: Any = buffer.observations
        return cls(
            {name: np.array(part[at, env]) for name, part in observations.items()}
            if isinstance(observations, dict)
            else np.array(observations[at, env]),
            np.array(buffer.actions[at, env]),
            np.array(buffer.advantages[at, env]),
            np.array(buffer.log_probs[at, env]),
        )

    def ratios(self, model: BaseAlgorithm) -> Array:
        """Return the probability ratio of each action, current policy over the policy that took it; shape (n,)."""
        policy: Any = model.policy
        observations = obs_as_tensor(self.observations, model.device)
        actions = torch.as_tensor(self.actions, dtype=torch.float32, device=model.device)  # as the library samples them
        if isinstance(policy.action_space, spaces.Discrete):
            actions = actions.long().flatten()
        with keep_generators(), torch.no_grad():
            _, log_probabilities, _ = policy.evaluate_actions(observations, actions)
        return np.asarray(np.exp(log_probabilities.cpu().numpy() - self.log_probabilities))


def recent_actions(model: BaseAlgorithm, rollout: Rollout | None) -> Array | None:
    """Return the newest actions in the environment's units, shape (n, components), or None if none are kept."""
    if rollout is not None:
        return rollout.actions.reshape(len(rollout.actions), -1)
    if kept := getattr(model, "recent_actions", None):  # tabular Q-learning, which has no buffer
        return np.array(kept).reshape(-1, 1)
    if not isinstance(model, OffPolicyAlgorithm) or model.replay_buffer is None:
        return None
    buffer: Any = model.replay_buffer
    size = buffer.buffer_size if buffer.full else buffer.pos
    newest = (buffer.pos - 1 - np.arange(min(size, max(1, SAMPLES // buffer.n_envs)))) % buffer.buffer_size
    actions: Array = buffer.actions[newest].reshape(-1, buffer.action_dim)
    if isinstance(space := model.action_space, spaces.Box):
        actions = np.asarray(model.policy.unscale_action(actions.reshape(-1, *space.shape)))
    return actions.reshape(len(actions), -1)


@contextmanager
def keep_generators() -> Iterator[None]:
    """Restore the global generators of Python, NumPy and torch at the end of the block."""
    restore = capture_generators()
    try:
        yield
    finally:
        restore()


def capture_generators() -> Callable[[], None]:
    """Capture the states of the global generators of Python, NumPy and torch; return a function that restores them."""
    python, numpy, tensor = random.getstate(), np.random.get_state(), torch.random.get_rng_state()

    def restore() -> None:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.random.set_rng_state(tensor)

    return restore


# Temporal-difference errors, one function for each kind of learner: ``(model) -> (n,)``


def compute_q_network_errors(model: Any) -> Array:
    """TD errors of the Q-network (Mnih et al., 2015), as ``DQN.train`` computes them."""
    with _sampled(model) as batch:
        following = model.q_net_target(batch.next_observations).max(dim=1, keepdim=True).values
        estimates = model.q_net(batch.observations).gather(1, batch.actions.long())
        return _errors(model, batch, following, estimates)


def compute_quantile_errors(model: Any) -> Array:
    """TD errors of the mean over the quantiles (Dabney et al., 2018), as ``QRDQN.train`` computes them."""
    with _sampled(model) as batch:
        following = model.quantile_net_target(batch.next_observations).mean(dim=1).max(dim=1, keepdim=True).values
        estimates = model.quantile_net(batch.observations).mean(dim=1).gather(1, batch.actions.long())
        return _errors(model, batch, following, estimates)


def compute_soft_critic_errors(model: Any) -> Array:
    """TD errors of the smaller critic with the entropy bonus (Haarnoja et al., 2018), as in ``SAC.train``."""
    with _sampled(model) as batch:
        actions, log_probabilities = model.actor.action_log_prob(batch.next_observations)
        automatic = model.log_ent_coef is not None
        temperature = model.log_ent_coef.exp() if automatic else model.ent_coef_tensor
        following = _least(model.critic_target(batch.next_observations, actions))
        following = following - temperature * log_probabilities.reshape(-1, 1)
        return _errors(model, batch, following, _least(model.critic(batch.observations, batch.actions)))


def compute_twin_critic_errors(model: Any) -> Array:
    """TD errors of the smaller critic, without target policy smoothing (Fujimoto et al., 2018)."""
    with _sampled(model) as batch:
        actions = model.actor_target(batch.next_observations)
        following = _least(model.critic_target(batch.next_observations, actions))
        return _errors(model, batch, following, _least(model.critic(batch.observations, batch.actions)))


def compute_table_errors(model: Any) -> Array | None:
    """TD errors of the steps since metrics were last logged."""
    return np.array(model.recent_td_errors) if model.recent_td_errors else None


@contextmanager
def _sampled(model: Any) -> Iterator[Any]:
    """Draw a minibatch as the algorithm does."""
    with keep_generators(), torch.no_grad():
        yield model.replay_buffer.sample(SAMPLES, env=model.get_vec_normalize_env())


def _errors(model: Any, batch: Any, following: torch.Tensor, estimates: torch.Tensor) -> Array:
    discounts = batch.discounts if batch.discounts is not None else model.gamma
    targets = batch.rewards + (1 - batch.dones) * discounts * following
    return np.asarray((targets - estimates).flatten().cpu().numpy())


def _least(values: tuple[torch.Tensor, ...]) -> torch.Tensor:
    return torch.cat(values, dim=1).min(dim=1, keepdim=True).values


def _spread(size: int) -> NDArray[np.intp]:
    """Return SAMPLES evenly spaced indices below ``size``, without drawing random numbers."""
    return np.unique(np.linspace(0, size - 1, min(size, SAMPLES)).astype(np.intp))
