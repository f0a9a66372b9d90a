"""The registry of algorithms: one file and one line for each.

To add an algorithm, see docs/how-to-add/algorithm.md.
"""

from __future__ import annotations

from rlviz.domain.registry import Registry
from rlviz.learning.algorithms.base import Algorithm

ALGORITHMS: Registry[Algorithm] = Registry(
    "algorithm",
    {
        "ppo": "rlviz.learning.algorithms.ppo:PPO",
        "dqn": "rlviz.learning.algorithms.dqn:DQN",
        "a2c": "rlviz.learning.algorithms.a2c:A2C",
        "sac": "rlviz.learning.algorithms.sac:SAC",
        "td3": "rlviz.learning.algorithms.td3:TD3",
        "qrdqn": "rlviz.learning.algorithms.qrdqn:QRDQN",
        "trpo": "rlviz.learning.algorithms.trpo:TRPO",
        "q-learning": "rlviz.learning.algorithms.q_learning:Q_LEARNING",
    },
    pointer="/algo",
)
