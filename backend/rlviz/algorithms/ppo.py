"""Proximal Policy Optimization (Schulman et al., 2017, https://arxiv.org/abs/1707.06347)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from rlviz.algorithms.base import (
    ACTIVATION_CLASSES,
    Activation,
    Algorithm,
    Hyperparameters,
    NetArch,
    Schedule,
    scheduled,
)
from rlviz.domain.errors import FieldError


class PPOHyperparameters(Hyperparameters):
    learning_rate: float = Field(3e-4, gt=0, le=1, description="Step size of the Adam optimizer.")
    learning_rate_schedule: Schedule = Field("constant", description="Constant, or falling linearly to zero.")
    n_envs: int = Field(1, ge=1, le=64, description="Environments stepped side by side.")
    n_steps: int = Field(2048, ge=2, le=65_536, description="Steps collected per environment before each update.")
    batch_size: int = Field(64, ge=2, le=65_536, description="Transitions in a minibatch.")
    n_epochs: int = Field(10, ge=1, le=100, description="Passes over the collected data in each update.")
    gamma: float = Field(0.99, ge=0, le=1, description="Discount factor.")
    gae_lambda: float = Field(0.95, ge=0, le=1, description="Bias against variance in the advantage estimate.")
    clip_range: float = Field(0.2, gt=0, le=1, description="How far the policy may move in one update.")
    clip_range_schedule: Schedule = Field("constant", description="Constant, or falling linearly to zero.")
    normalize_advantage: bool = Field(True, description="Scale advantages to zero mean and unit variance.")
    ent_coef: float = Field(0.0, ge=0, le=1, description="Weight of the entropy bonus, which keeps exploring.")
    vf_coef: float = Field(0.5, ge=0, le=10, description="Weight of the value loss.")
    max_grad_norm: float = Field(0.5, gt=0, le=100, description="Gradients longer than this are shortened.")
    target_kl: float | None = Field(None, gt=0, le=10, description="End an update early beyond this divergence.")
    net_arch: NetArch = Field([64, 64])
    activation: Activation = Field("tanh", description="Non-linearity between layers.")

    @property
    def environments(self) -> int:
        return self.n_envs

    def model_arguments(self) -> dict[str, Any]:
        same = {"n_steps", "batch_size", "n_epochs", "gamma", "gae_lambda", "normalize_advantage"}
        same |= {"ent_coef", "vf_coef", "max_grad_norm", "target_kl"}
        return {
            **self.model_dump(include=same),
            "learning_rate": scheduled(self.learning_rate, self.learning_rate_schedule),
            "clip_range": scheduled(self.clip_range, self.clip_range_schedule),
            "policy_kwargs": {
                "net_arch": list(self.net_arch),
                "activation_fn": ACTIVATION_CLASSES[self.activation],
            },
        }

    def problems(self, total_timesteps: int) -> list[FieldError]:
        rollout = self.n_steps * self.n_envs
        if self.batch_size > rollout:
            return [
                FieldError(
                    "/hyperparameters/batch_size",
                    f"A batch of {self.batch_size} does not fit into a rollout of n_steps × n_envs = {rollout} "
                    f"transitions. Use at most {rollout}.",
                )
            ]
        return []


PPO = Algorithm(
    id="ppo",
    name="PPO",
    title="Proximal Policy Optimization",
    summary="Learns a policy from fresh experience, in small clipped steps. Steady and hard to break.",
    action_spaces=("Discrete", "Box", "MultiDiscrete", "MultiBinary"),
    model_class="stable_baselines3:PPO",
    hyperparameters=PPOHyperparameters,
)
