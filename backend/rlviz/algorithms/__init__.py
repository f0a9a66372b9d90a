"""What each algorithm is called, what it can be told, and how it is built: one file and one line each.

Adding an algorithm: docs/how-to-add/algorithm.md.
"""

from rlviz.algorithms.base import Algorithm
from rlviz.domain.registry import Registry

ALGORITHMS: Registry[Algorithm] = Registry(
    "algorithm",
    {
        "ppo": "rlviz.algorithms.ppo:PPO",
        "dqn": "rlviz.algorithms.dqn:DQN",
    },
    pointer="/algo",
)
