"""Shared settings and checks of off-policy algorithms, which learn from a replay buffer of past transitions."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from rlviz.domain.errors import FieldError
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms.base import (
    HERE,
    SWITCHES,
    Hyperparameters,
    Layout,
    MemoryNeed,
    check_scale,
    replay_buffer,
    vec_normalize,
)
from rlviz.learning.algorithms.fields import (
    ACTIVATION_CLASSES,
    Activation,
    BatchSize,
    BufferSize,
    EnvironmentCount,
    ExplorationFraction,
    FinalEpsilon,
    Gamma,
    GradientSteps,
    InitialEpsilon,
    LearningRate,
    LearningRateSchedule,
    LearningStarts,
    NetArch,
    NormalizeObservations,
    NormalizeRewards,
    OptimizeMemory,
    ReturnSteps,
    TargetUpdateInterval,
    Tau,
    TrainFreq,
    scheduled,
)

METRICS = ("train/learning_rate", "train/n_updates", "time/episodes")
"""Metrics that every off-policy algorithm logs."""

_NOT_AN_ARGUMENT = {
    *SWITCHES,
    "n_envs",
    "net_arch",
    "activation",
    "learning_rate",
    "learning_rate_schedule",
}


class OffPolicyHyperparameters(Hyperparameters):
    """Hyperparameters of off-policy algorithms. The library has no default for environments and their wrappers."""

    own_defaults: ClassVar[dict[str, str]] = {
        **dict.fromkeys(SWITCHES, HERE),
        "n_envs": HERE,
        "learning_rate_schedule": HERE,
    }
    rollout_factors: ClassVar[tuple[str, ...]] = ("train_freq", "n_envs")

    learning_rate: LearningRate = 3e-4
    learning_rate_schedule: LearningRateSchedule = "constant"
    n_envs: EnvironmentCount = 1
    normalize_observations: NormalizeObservations = False
    normalize_rewards: NormalizeRewards = False
    buffer_size: BufferSize = 1_000_000
    optimize_memory_usage: OptimizeMemory = False
    learning_starts: LearningStarts = 100
    batch_size: BatchSize = 256
    tau: Tau = 0.005
    gamma: Gamma = 0.99
    n_steps: ReturnSteps = 1
    train_freq: TrainFreq = 1
    gradient_steps: GradientSteps = 1
    net_arch: NetArch = Field([256, 256])
    activation: Activation = "relu"

    @property
    def environments(self) -> int:
        return self.n_envs

    @property
    def first_update(self) -> int:
        return max(self.learning_starts, self.rollout_steps)

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        # The library refuses both at once: github.com/DLR-RM/stable-baselines3/issues/934
        buffer = {"replay_buffer_kwargs": {"handle_timeout_termination": False}} if self.optimize_memory_usage else {}
        return {
            **self.model_dump(exclude=_NOT_AN_ARGUMENT),
            **buffer,
            "learning_rate": scheduled(self.learning_rate, self.learning_rate_schedule),
            "policy_kwargs": {
                "net_arch": list(self.net_arch),
                "activation_fn": ACTIVATION_CLASSES[self.activation],
            },
        }

    def memory(self, observation: Layout, action: Layout) -> MemoryNeed:
        return replay_buffer(self.buffer_size, observation, action, store_once=self.optimize_memory_usage)

    def normalization(self) -> dict[str, Any] | None:
        return vec_normalize(self.normalize_observations, self.normalize_rewards, self.gamma)

    def problems_with(self, observation: Space, action: Space) -> list[FieldError]:
        return check_scale(self.normalize_observations, observation)

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
        if self.n_steps > 1 and self.optimize_memory_usage:
            found.append(
                FieldError(
                    "/hyperparameters/n_steps",
                    "n-step returns need a replay buffer that stores next observations as well, and "
                    "optimize_memory_usage leaves them out. Use 1, or switch optimize_memory_usage off.",
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


class DeepQHyperparameters(OffPolicyHyperparameters):
    """Algorithms that act epsilon-greedily on action values."""

    target_update_interval: TargetUpdateInterval = 10_000
    exploration_fraction: ExplorationFraction = 0.1
    exploration_initial_eps: InitialEpsilon = 1.0
    exploration_final_eps: FinalEpsilon = 0.05

    def problems(self, total_timesteps: int) -> list[FieldError]:
        return super().problems(total_timesteps) + epsilon_problems(
            self.exploration_initial_eps, self.exploration_final_eps
        )


def epsilon_problems(initial: float, final: float) -> list[FieldError]:
    """Return an error if epsilon would increase; it may fall or stay constant."""
    if final <= initial:
        return []
    return [
        FieldError(
            "/hyperparameters/exploration_final_eps",
            f"Epsilon would rise from {initial} to {final}. Use at most {initial}.",
        )
    ]
