"""Deep Q-Network (Mnih et al., 2015, https://www.nature.com/articles/nature14236)."""

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


class DQNHyperparameters(Hyperparameters):
    learning_rate: float = Field(1e-4, gt=0, le=1, description="Step size of the Adam optimizer.")
    learning_rate_schedule: Schedule = Field("constant", description="Constant, or falling linearly to zero.")
    buffer_size: int = Field(100_000, ge=100, le=1_000_000, description="Transitions the replay buffer holds.")
    learning_starts: int = Field(1_000, ge=0, le=1_000_000, description="Steps collected before learning begins.")
    batch_size: int = Field(64, ge=1, le=8_192, description="Transitions drawn for each gradient step.")
    tau: float = Field(1.0, gt=0, le=1, description="Share of the online network copied into the target network.")
    gamma: float = Field(0.99, ge=0, le=1, description="Discount factor.")
    train_freq: int = Field(4, ge=1, le=10_000, description="Environment steps between rounds of learning.")
    gradient_steps: int = Field(
        1,
        ge=-1,
        le=10_000,
        description="Gradient steps a round; -1: as many as environment steps were taken.",
    )
    target_update_interval: int = Field(
        1_000, ge=1, le=1_000_000, description="Environment steps between copies into the target network."
    )
    exploration_fraction: float = Field(
        0.1, gt=0, le=1, description="Share of training over which epsilon falls to its final value."
    )
    exploration_initial_eps: float = Field(
        1.0, ge=0, le=1, description="Epsilon at the start: share of random actions."
    )
    exploration_final_eps: float = Field(0.05, ge=0, le=1, description="Epsilon after the fall.")
    max_grad_norm: float = Field(10.0, gt=0, le=100, description="Gradients longer than this are shortened.")
    net_arch: NetArch = Field([64, 64])
    activation: Activation = Field("relu", description="Non-linearity between layers.")

    @property
    def environments(self) -> int:
        return 1

    def model_arguments(self) -> dict[str, Any]:
        return {
            **self.model_dump(exclude={"net_arch", "activation", "learning_rate_schedule"}),
            "learning_rate": scheduled(self.learning_rate, self.learning_rate_schedule),
            "policy_kwargs": {
                "net_arch": list(self.net_arch),
                "activation_fn": ACTIVATION_CLASSES[self.activation],
            },
        }

    def problems(self, total_timesteps: int) -> list[FieldError]:
        found = []
        if self.learning_starts >= total_timesteps:
            found.append(
                FieldError(
                    "/hyperparameters/learning_starts",
                    f"Learning would start at step {self.learning_starts}, after training ends at {total_timesteps}. "
                    f"Use less than {total_timesteps}.",
                )
            )
        if self.batch_size > self.buffer_size:
            found.append(
                FieldError(
                    "/hyperparameters/batch_size",
                    f"A batch of {self.batch_size} is larger than the replay buffer of {self.buffer_size}. "
                    f"Use at most {self.buffer_size}.",
                )
            )
        if self.exploration_final_eps > self.exploration_initial_eps:
            found.append(
                FieldError(
                    "/hyperparameters/exploration_final_eps",
                    f"Epsilon would rise from {self.exploration_initial_eps} to {self.exploration_final_eps}. "
                    f"Use at most {self.exploration_initial_eps}.",
                )
            )
        if self.gradient_steps == 0:
            found.append(
                FieldError(
                    "/hyperparameters/gradient_steps",
                    "With 0 gradient steps nothing is learned. Use 1 or more, or -1.",
                )
            )
        return found


DQN = Algorithm(
    id="dqn",
    name="DQN",
    title="Deep Q-Network",
    summary="Learns the value of each action from replayed experience. Frugal with steps, more temperamental.",
    action_spaces=("Discrete",),
    model_class="stable_baselines3:DQN",
    hyperparameters=DQNHyperparameters,
)
