"""The registry of environments: one file for each family, one line for each environment.

To add a family, see docs/how-to-add/environment.md.
"""

from __future__ import annotations

from rlviz.domain.registry import Registry
from rlviz.learning.environments.base import Environment

ENVIRONMENTS: Registry[Environment] = Registry(
    "environment",
    {
        "CartPole-v1": "rlviz.learning.environments.classic_control:CARTPOLE",
        "Acrobot-v1": "rlviz.learning.environments.classic_control:ACROBOT",
        "MountainCar-v0": "rlviz.learning.environments.classic_control:MOUNTAIN_CAR",
        "MountainCarContinuous-v0": "rlviz.learning.environments.classic_control:MOUNTAIN_CAR_CONTINUOUS",
        "Pendulum-v1": "rlviz.learning.environments.classic_control:PENDULUM",
        "FrozenLake-v1": "rlviz.learning.environments.toy_text:FROZEN_LAKE",
        "CliffWalking-v1": "rlviz.learning.environments.toy_text:CLIFF_WALKING",
        "Taxi-v4": "rlviz.learning.environments.toy_text:TAXI",
        "Blackjack-v1": "rlviz.learning.environments.toy_text:BLACKJACK",
        "LunarLander-v3": "rlviz.learning.environments.box2d:LUNAR_LANDER",
        "BipedalWalker-v3": "rlviz.learning.environments.box2d:BIPEDAL_WALKER",
        "CarRacing-v3": "rlviz.learning.environments.box2d:CAR_RACING",
        "ALE/Pong-v5": "rlviz.learning.environments.atari:PONG",
        "ALE/Breakout-v5": "rlviz.learning.environments.atari:BREAKOUT",
        "GameBoy/Lamplighter-v0": "rlviz.learning.environments.gameboy.family:LAMPLIGHTER",
    },
    pointer="/env_id",
)
