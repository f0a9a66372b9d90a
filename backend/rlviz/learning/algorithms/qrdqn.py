"""Quantile Regression DQN (Dabney et al., 2017, https://arxiv.org/abs/1710.10044)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from rlviz.domain.experiments import IntRange, Suggested
from rlviz.learning.algorithms import off_policy
from rlviz.learning.algorithms.base import CONTRIB, VECTORS, Algorithm
from rlviz.learning.algorithms.fields import (
    BatchSize,
    ExplorationFraction,
    FinalEpsilon,
    Group,
    LearningRate,
    NetArch,
    Tau,
    TrainFreq,
    setting,
)
from rlviz.learning.algorithms.knobs import EXPLORATION_RATE, LEARNING_RATE
from rlviz.learning.algorithms.off_policy import DeepQHyperparameters
from rlviz.learning.algorithms.search_spaces import DEEP_Q, ZOO


class QRDQNHyperparameters(DeepQHyperparameters):
    defaults_of: ClassVar[str] = CONTRIB

    learning_rate: LearningRate = 5e-5
    batch_size: BatchSize = 32
    tau: Tau = 1.0
    train_freq: TrainFreq = 4
    exploration_fraction: ExplorationFraction = 0.005
    exploration_final_eps: FinalEpsilon = 0.01
    max_grad_norm: Annotated[
        float | None,
        setting(
            Group.LEARNING,
            "Maximum norm of a gradient; longer gradients are scaled down. Null: no limit.",
            gt=0,
            le=100,
        ),
    ] = None
    n_quantiles: Annotated[
        int, setting(Group.NETWORK, "Quantiles of the return learned for each action.", ge=2, le=500)
    ] = 200
    net_arch: NetArch = Field([64, 64])

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        arguments = super().model_arguments(action_size)
        arguments["policy_kwargs"]["n_quantiles"] = arguments.pop("n_quantiles")
        return arguments


QRDQN = Algorithm(
    id="qrdqn",
    name="QR-DQN",
    title="Quantile Regression DQN",
    summary="Learns the whole distribution of each action's return, not only its mean. Often more stable than DQN.",
    observation_spaces=VECTORS,
    action_spaces=("Discrete",),
    model_class="sb3_contrib:QRDQN",
    reader="rlviz.learning.algorithms.policy:read_quantile_network",
    scorer="rlviz.learning.algorithms.saliency:score_quantile_network",
    td_errors="rlviz.learning.algorithms.experience:compute_quantile_errors",
    hyperparameters=QRDQNHyperparameters,
    knobs=(LEARNING_RATE, EXPLORATION_RATE),
    search={**DEEP_Q, "n_quantiles": Suggested(IntRange(low=5, high=200), ZOO)},
    metrics=(*off_policy.METRICS, "rollout/exploration_rate", "train/loss"),
)
