"""Deep Q-Network (Mnih et al., 2015, https://www.nature.com/articles/nature14236)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from rlviz.learning.algorithms import off_policy
from rlviz.learning.algorithms.base import HERE, VECTORS, Algorithm
from rlviz.learning.algorithms.fields import (
    BatchSize,
    BufferSize,
    LearningRate,
    LearningStarts,
    MaxGradNorm,
    NetArch,
    TargetUpdateInterval,
    Tau,
    TrainFreq,
)
from rlviz.learning.algorithms.knobs import EXPLORATION_RATE, LEARNING_RATE
from rlviz.learning.algorithms.off_policy import DeepQHyperparameters
from rlviz.learning.algorithms.search_spaces import DEEP_Q

_SMALLER = f"{HERE}: the library's are for Atari, these for small problems"


class DQNHyperparameters(DeepQHyperparameters):
    own_defaults: ClassVar[dict[str, str]] = {
        **DeepQHyperparameters.own_defaults,
        "buffer_size": _SMALLER,
        "learning_starts": _SMALLER,
        "batch_size": _SMALLER,
        "target_update_interval": _SMALLER,
    }

    learning_rate: LearningRate = 1e-4
    buffer_size: BufferSize = 100_000
    learning_starts: LearningStarts = 1_000
    batch_size: BatchSize = 64
    tau: Tau = 1.0
    train_freq: TrainFreq = 4
    target_update_interval: TargetUpdateInterval = 1_000
    max_grad_norm: MaxGradNorm = 10.0
    net_arch: NetArch = Field([64, 64])


DQN = Algorithm(
    id="dqn",
    name="DQN",
    title="Deep Q-Network",
    summary="Learns the value of each action from a replay buffer. Needs few steps, but is less stable.",
    observation_spaces=VECTORS,
    action_spaces=("Discrete",),
    model_class="stable_baselines3:DQN",
    reader="rlviz.learning.algorithms.policy:read_q_network",
    scorer="rlviz.learning.algorithms.saliency:score_q_network",
    td_errors="rlviz.learning.algorithms.experience:compute_q_network_errors",
    hyperparameters=DQNHyperparameters,
    knobs=(LEARNING_RATE, EXPLORATION_RATE),
    search=DEEP_Q,
    metrics=(*off_policy.METRICS, "rollout/exploration_rate", "train/loss"),
)
