"""Soft Actor-Critic (Haarnoja et al., 2018, https://arxiv.org/abs/1801.01290; 2019, https://arxiv.org/abs/1812.05905)."""

from __future__ import annotations

from typing import Annotated, Any

from rlviz.domain.experiments import Choice, FloatRange, Suggested
from rlviz.domain.metrics import ChartPlace, MetricDefinition, MetricGroup
from rlviz.learning.algorithms import off_policy
from rlviz.learning.algorithms.base import HERE, VECTORS, Algorithm
from rlviz.learning.algorithms.fields import Group, LogStdInit, SdeSampleFreq, UseSde, setting
from rlviz.learning.algorithms.knobs import FIXED_TEMPERATURE, LEARNING_RATE
from rlviz.learning.algorithms.off_policy import OffPolicyHyperparameters
from rlviz.learning.algorithms.search_spaces import OFF_POLICY, TAU, ZOO


class SACHyperparameters(OffPolicyHyperparameters):
    target_update_interval: Annotated[
        int,
        setting(
            Group.LEARNING,
            "Gradient steps between two updates of the target network.",
            ge=1,
            le=1_000_000,
        ),
    ] = 1
    ent_coef: Annotated[
        float | None,
        setting(
            Group.EXPLORATION,
            "Weight of the entropy bonus. Higher values keep the policy exploring. Null: tuned during training.",
            ge=0,
            le=10,
        ),
    ] = None
    use_sde: UseSde = False
    sde_sample_freq: SdeSampleFreq = -1
    log_std_init: LogStdInit = -3.0

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        arguments = super().model_arguments(action_size)
        arguments["ent_coef"] = "auto" if self.ent_coef is None else self.ent_coef
        arguments["policy_kwargs"]["log_std_init"] = arguments.pop("log_std_init")
        return arguments


SAC = Algorithm(
    id="sac",
    name="SAC",
    title="Soft Actor-Critic",
    summary="Maximises reward and randomness together, from a replay buffer. The first choice for continuous actions.",
    observation_spaces=VECTORS,
    action_spaces=("Box",),
    needs_bounds=True,
    model_class="stable_baselines3:SAC",
    reader="rlviz.learning.algorithms.policy:read_squashed_actor",
    scorer="rlviz.learning.algorithms.saliency:score_critics",
    td_errors="rlviz.learning.algorithms.experience:compute_soft_critic_errors",
    entropy_bonus=True,
    hyperparameters=SACHyperparameters,
    knobs=(LEARNING_RATE, FIXED_TEMPERATURE),
    search={
        **OFF_POLICY,
        "tau": TAU,
        "use_sde": Suggested(Choice(choices=[False, True]), f"{HERE}: RL Zoo's script has it as an option"),
        "log_std_init": Suggested(FloatRange(low=-4.0, high=1.0, when={"use_sde": [True]}), ZOO),
    },
    metrics=(
        *off_policy.METRICS,
        "train/actor_loss",
        "train/critic_loss",
        "train/ent_coef",
        "train/ent_coef_loss",
    ),
    definitions=(
        MetricDefinition(
            name="train/ent_coef",
            label="Entropy coefficient",
            help="The weight of entropy against reward. Tuned during training if ent_coef is null: it usually "
            "falls; endless growth means that the policy cannot stay as random as its target entropy.",
            group=MetricGroup.EXPLORATION,
            place=ChartPlace.HEADLINE,
            log_scale=True,
            minimum=0,
        ),
        MetricDefinition(
            name="train/ent_coef_loss",
            label="Entropy coefficient loss",
            help="The loss of tuning the entropy coefficient: near 0 the policy is as random as its target entropy.",
            group=MetricGroup.EXPLORATION,
        ),
    ),
)
