"""Splits the rewards of Gymnasium's environments into the terms of their sources. Only workers may import it.

Each class repeats the formula of ``step`` in the named file of Gymnasium 1, from the same attributes.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from rlviz.learning.environments.conforming import SplitReward

END = 100.0
"""The reward of LunarLander, BipedalWalker and CarRacing at a bad or good end, which replaces all other terms."""


class LunarLanderReward(SplitReward):
    """``envs/box2d/lunar_lander.py``: a difference of potentials, fuel, and the end."""

    def before(self, action: Any) -> Any:
        return self.inner.prev_shaping

    def split(self, before: Any, action: Any, terminated: bool) -> dict[str, float]:
        if terminated:
            rests = not self.inner.lander.awake
            ends = {"landing": END * rests, "crash": -END * (not rests)}
            return {"approach": 0.0, "main_engine": 0.0, "side_engine": 0.0, **ends}
        main, side = self._powers(action)
        return {
            "approach": float(self.inner.prev_shaping - before),
            "main_engine": -0.30 * main,
            "side_engine": -0.03 * side,
            "landing": 0.0,
            "crash": 0.0,
        }

    def _powers(self, action: Any) -> tuple[float, float]:
        if not self.inner.continuous:
            return float(action == 2), float(action in (1, 3))
        main, side = map(float, np.clip(action, -1, 1))
        return (0.5 * (main + 1) if main > 0 else 0.0), (max(abs(side), 0.5) if abs(side) > 0.5 else 0.0)


class BipedalWalkerReward(SplitReward):
    """``envs/box2d/bipedal_walker.py``: progress and posture (differences of potentials), torque, and a fall."""

    def before(self, action: Any) -> Any:
        return self.inner.prev_shaping, abs(self.inner.hull.angle)

    def split(self, before: Any, action: Any, terminated: bool) -> dict[str, float]:
        hull, (shaping, tilt) = self.inner.hull, before
        if self.inner.game_over or hull.position[0] < 0:
            return {"progress": 0.0, "posture": 0.0, "torque": 0.0, "fall": -END}
        posture = -5.0 * (abs(hull.angle) - tilt)
        return {
            "progress": float(self.inner.prev_shaping - shaping - posture),
            "posture": float(posture),
            "torque": -0.028 * float(np.clip(np.abs(action), 0, 1).sum()),
            "fall": 0.0,
        }


class CarRacingReward(SplitReward):
    """``envs/box2d/car_racing.py``: tiles visited, time, and leaving the field."""

    def before(self, action: Any) -> Any:
        # Tiles that the car touches during the reset are rewarded in the first step.
        return self.inner.reward - self.inner.prev_reward, self.inner.tile_visited_count

    def split(self, before: Any, action: Any, terminated: bool) -> dict[str, float]:
        waiting, visited = before
        x, y = self.inner.car.hull.position
        if max(abs(x), abs(y)) > _FIELD:
            return {"tiles": 0.0, "time": 0.0, "off_track": -END}
        tiles = waiting + (self.inner.tile_visited_count - visited) * 1000.0 / len(self.inner.track)
        return {"tiles": float(tiles), "time": -0.1, "off_track": 0.0}


_FIELD = 2000 / 6.0
"""PLAYFIELD: half the width of the field."""


class PendulumReward(SplitReward):
    """``envs/classic_control/pendulum.py``: angle, speed and torque before the step."""

    def before(self, action: Any) -> Any:
        return self.inner.state

    def split(self, before: Any, action: Any, terminated: bool) -> dict[str, float]:
        angle, speed = map(float, before)
        limit = self.inner.max_torque
        torque = min(max(float(action[0]), -limit), limit)
        return {
            "angle": -((((angle + pi) % (2 * pi)) - pi) ** 2),
            "speed": -0.1 * speed**2,
            "torque": -0.001 * torque**2,
        }


class MountainCarContinuousReward(SplitReward):
    """``envs/classic_control/continuous_mountain_car.py``: the goal, and the force."""

    def split(self, before: Any, action: Any, terminated: bool) -> dict[str, float]:
        return {"goal": END * terminated, "force": -0.1 * float(action[0]) ** 2}
