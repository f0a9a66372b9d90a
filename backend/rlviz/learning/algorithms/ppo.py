"""Proximal Policy Optimization (Schulman et al., 2017, https://arxiv.org/abs/1707.06347)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from rlviz.domain.errors import FieldError
from rlviz.domain.experiments import Choice, Suggested
from rlviz.learning.algorithms import on_policy
from rlviz.learning.algorithms.base import HERE, VECTORS, Algorithm
from rlviz.learning.algorithms.fields import (
    EntropyWeight,
    Group,
    MaxGradNorm,
    Minibatch,
    Schedule,
    ValueWeight,
    scheduled,
    setting,
)
from rlviz.learning.algorithms.knobs import CLIP_RANGE, ENTROPY, LEARNING_RATE
from rlviz.learning.algorithms.on_policy import OnPolicyHyperparameters
from rlviz.learning.algorithms.search_spaces import ENTROPY as ENTROPY_RANGE
from rlviz.learning.algorithms.search_spaces import ON_POLICY, ROLLOUT, ZOO


class PPOHyperparameters(OnPolicyHyperparameters):
    own_defaults: ClassVar[dict[str, str]] = {**OnPolicyHyperparameters.own_defaults, "clip_range_schedule": HERE}

    batch_size: Minibatch = 64
    n_epochs: Annotated[
        int, setting(Group.LEARNING, "Passes over the collected data in each update.", ge=1, le=100)
    ] = 10
    clip_range: Annotated[
        float, setting(Group.LEARNING, "Clip range of the probability ratio: 1 ± this value.", gt=0, le=1)
    ] = 0.2
    clip_range_schedule: Annotated[Schedule, setting(Group.LEARNING, "Constant, or falling linearly to zero.")] = (
        "constant"
    )
    target_kl: Annotated[
        float | None,
        setting(
            Group.LEARNING,
            "End an update early if the KL divergence exceeds 1.5 times this value. Null: never.",
            gt=0,
            le=10,
        ),
    ] = None
    vf_coef: ValueWeight = 0.5
    max_grad_norm: MaxGradNorm = 0.5
    ent_coef: EntropyWeight = 0.0

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        arguments = super().model_arguments(action_size)
        arguments["clip_range"] = scheduled(self.clip_range, arguments.pop("clip_range_schedule"))
        return arguments

    def problems(self, total_timesteps: int) -> list[FieldError]:
        return self.batch_problems(self.batch_size)


PPO = Algorithm(
    id="ppo",
    name="PPO",
    title="Proximal Policy Optimization",
    summary="Learns a policy from new experience, in small clipped steps. Stable and robust to the choice of "
    "hyperparameters.",
    observation_spaces=VECTORS,
    action_spaces=VECTORS,
    model_class="stable_baselines3:PPO",
    reader="rlviz.learning.algorithms.policy:read_actor_critic",
    scorer="rlviz.learning.algorithms.saliency:score_actor_critic",
    imitates=True,
    hyperparameters=PPOHyperparameters,
    knobs=(LEARNING_RATE, CLIP_RANGE, ENTROPY),
    search={
        **ON_POLICY,
        **ROLLOUT,
        "ent_coef": ENTROPY_RANGE,
        "clip_range": Suggested(Choice(choices=[0.1, 0.2, 0.3, 0.4]), ZOO),
        "n_epochs": Suggested(Choice(choices=[1, 5, 10, 20]), ZOO),
    },
    metrics=(
        *on_policy.METRICS,
        "train/loss",
        "train/policy_gradient_loss",
        "train/entropy_loss",
        "train/approx_kl",
        "train/clip_fraction",
        "train/clip_range",
    ),
)
