"""Advantage Actor-Critic (Mnih et al., 2016, https://arxiv.org/abs/1602.01783), all environments in step."""

from __future__ import annotations

from typing import Annotated

from rlviz.domain.experiments import Choice, Suggested
from rlviz.learning.algorithms import on_policy
from rlviz.learning.algorithms.base import HERE, VECTORS, Algorithm
from rlviz.learning.algorithms.fields import (
    EntropyWeight,
    GaeLambda,
    Group,
    LearningRate,
    MaxGradNorm,
    NormalizeAdvantage,
    RolloutSteps,
    ValueWeight,
    setting,
)
from rlviz.learning.algorithms.knobs import ENTROPY, LEARNING_RATE
from rlviz.learning.algorithms.on_policy import OnPolicyHyperparameters
from rlviz.learning.algorithms.search_spaces import ENTROPY as ENTROPY_RANGE
from rlviz.learning.algorithms.search_spaces import ON_POLICY


class A2CHyperparameters(OnPolicyHyperparameters):
    learning_rate: LearningRate = 7e-4
    n_steps: RolloutSteps = 5
    gae_lambda: GaeLambda = 1.0
    normalize_advantage: NormalizeAdvantage = False
    vf_coef: ValueWeight = 0.5
    max_grad_norm: MaxGradNorm = 0.5
    use_rms_prop: Annotated[
        bool, setting(Group.LEARNING, "Use the optimizer RMSprop, as in the paper, instead of Adam.")
    ] = True
    rms_prop_eps: Annotated[
        float, setting(Group.LEARNING, "RMSprop's epsilon, which prevents division by zero.", gt=0, le=1)
    ] = 1e-5
    ent_coef: EntropyWeight = 0.0


A2C = Algorithm(
    id="a2c",
    name="A2C",
    title="Advantage Actor-Critic",
    summary="Many small updates from very short rollouts. The simplest actor-critic: quick to run, noisier than PPO.",
    observation_spaces=VECTORS,
    action_spaces=VECTORS,
    model_class="stable_baselines3:A2C",
    reader="rlviz.learning.algorithms.policy:read_actor_critic",
    scorer="rlviz.learning.algorithms.saliency:score_actor_critic",
    imitates=True,
    hyperparameters=A2CHyperparameters,
    knobs=(LEARNING_RATE, ENTROPY),
    search={
        **ON_POLICY,
        "ent_coef": ENTROPY_RANGE,
        "n_steps": Suggested(Choice(choices=[5, 8, 16, 32, 64, 128]), f"{HERE}: around the library's 5"),
    },
    metrics=(*on_policy.METRICS, "train/policy_loss", "train/entropy_loss"),
)
