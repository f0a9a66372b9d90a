"""Which environments there are. One file a family, one line here for each environment.

Adding a family: docs/how-to-add/environment.md.
"""

from rlviz.domain.registry import Registry
from rlviz.environments.base import Environment

ENVIRONMENTS: Registry[Environment] = Registry(
    "environment",
    {
        "CartPole-v1": "rlviz.environments.classic_control:CARTPOLE",
        "Acrobot-v1": "rlviz.environments.classic_control:ACROBOT",
    },
    pointer="/env_id",
)
