"""Shared settings and checks of on-policy algorithms, which learn from fresh rollouts and then discard them."""

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
    rollout_buffer,
    vec_normalize,
)
from rlviz.learning.algorithms.fields import (
    ACTIVATION_CLASSES,
    Activation,
    EnvironmentCount,
    GaeLambda,
    Gamma,
    LearningRate,
    LearningRateSchedule,
    LogStdInit,
    NetArch,
    NormalizeAdvantage,
    NormalizeObservations,
    NormalizeRewards,
    RolloutSteps,
    SdeSampleFreq,
    UseSde,
    scheduled,
)

METRICS = (
    "train/learning_rate",
    "train/n_updates",
    "train/explained_variance",
    "train/value_loss",
    "train/std",
    "time/iterations",
)
"""Metrics that every on-policy algorithm logs; ``train/std`` only for continuous actions."""

_NOT_AN_ARGUMENT = {
    *SWITCHES,
    "n_envs",
    "net_arch",
    "activation",
    "log_std_init",
    "learning_rate",
    "learning_rate_schedule",
}


class OnPolicyHyperparameters(Hyperparameters):
    """Hyperparameters of on-policy algorithms. The library has no default for environments and their wrappers."""

    own_defaults: ClassVar[dict[str, str]] = {
        **dict.fromkeys(SWITCHES, HERE),
        "n_envs": HERE,
        "learning_rate_schedule": HERE,
    }
    rollout_factors: ClassVar[tuple[str, ...]] = ("n_steps", "n_envs")

    learning_rate: LearningRate = 3e-4
    learning_rate_schedule: LearningRateSchedule = "constant"
    n_envs: EnvironmentCount = 1
    n_steps: RolloutSteps = 2048
    normalize_observations: NormalizeObservations = False
    normalize_rewards: NormalizeRewards = False
    gamma: Gamma = 0.99
    gae_lambda: GaeLambda = 0.95
    normalize_advantage: NormalizeAdvantage = True
    use_sde: UseSde = False
    sde_sample_freq: SdeSampleFreq = -1
    log_std_init: LogStdInit = 0.0
    net_arch: NetArch = Field([64, 64])
    activation: Activation = "tanh"

    @property
    def environments(self) -> int:
        return self.n_envs

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        return {
            **self.model_dump(exclude=_NOT_AN_ARGUMENT),
            "learning_rate": scheduled(self.learning_rate, self.learning_rate_schedule),
            "policy_kwargs": {
                "net_arch": list(self.net_arch),
                "activation_fn": ACTIVATION_CLASSES[self.activation],
                "log_std_init": self.log_std_init,
            },
        }

    def memory(self, observation: Layout, action: Layout) -> MemoryNeed:
        return rollout_buffer(self.n_steps, self.n_envs, observation, action)

    def normalization(self) -> dict[str, Any] | None:
        return vec_normalize(self.normalize_observations, self.normalize_rewards, self.gamma)

    def problems_with(self, observation: Space, action: Space) -> list[FieldError]:
        found = check_scale(self.normalize_observations, observation)
        if self.use_sde and action.kind != "Box":
            found.append(
                FieldError(
                    "/hyperparameters/use_sde",
                    f"State-dependent noise needs continuous actions (Box); these are {action.kind}. Switch it off.",
                )
            )
        return found

    def batch_problems(self, batch_size: int) -> list[FieldError]:
        """Return an error if a minibatch of ``batch_size`` does not fit into a rollout."""
        rollout = self.n_steps * self.n_envs
        if batch_size <= rollout:
            return []
        return [
            FieldError(
                "/hyperparameters/batch_size",
                f"A batch of {batch_size} does not fit into a rollout of n_steps × n_envs = {rollout} "
                f"transitions. Use at most {rollout}.",
            )
        ]
