"""The registry of algorithms: one file and one line for each. Adding an algorithm: docs/how-to-add/algorithm.md."""

from rlviz.algorithms.base import Algorithm
from rlviz.domain.registry import Registry

ALGORITHMS: Registry[Algorithm] = Registry(
    "algorithm",
    {
        "ppo": "rlviz.algorithms.ppo:PPO",
        "dqn": "rlviz.algorithms.dqn:DQN",
        "a2c": "rlviz.algorithms.a2c:A2C",
        "sac": "rlviz.algorithms.sac:SAC",
        "td3": "rlviz.algorithms.td3:TD3",
        "qrdqn": "rlviz.algorithms.qrdqn:QRDQN",
        "trpo": "rlviz.algorithms.trpo:TRPO",
        "q-learning": "rlviz.algorithms.q_learning:Q_LEARNING",
    },
    pointer="/algo",
)
