"""Defines how an environment is played before its still is rendered, and saves a frame as a still."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from gymnasium.envs.box2d.lunar_lander import heuristic
from PIL import Image

from rlviz.learning.environments.stills import WIDTH
from rlviz.learning.environments.wrappers import Env

QUALITY = 80
_FEW_COLOURS = 16


def save(picture: Image.Image, target: Path | BinaryIO) -> None:
    """Save ``picture`` as WebP, WIDTH pixels wide. Low-resolution pixels stay sharp.

    An enlarged picture of few colours is smaller without loss.
    """
    height = round(picture.height * WIDTH / picture.width)
    enlarged = picture.width < WIDTH
    sampling = Image.Resampling.NEAREST if enlarged else Image.Resampling.LANCZOS
    lossless = enlarged and picture.getcolors(_FEW_COLOURS) is not None
    picture.resize((WIDTH, height), sampling).save(target, "WEBP", quality=QUALITY, method=6, lossless=lossless)


Act = Callable[[Env, Any, int], Any]
"""Chooses the action from environment, observation and step number, from 0."""


def at_random(env: Env, _observation: Any, _step: int) -> Any:
    return env.action_space.sample()


def in_order(*actions: int) -> Act:
    return lambda _env, _observation, step: actions[step % len(actions)]


def held(*action: float) -> Act:
    return lambda _env, _observation, _step: np.array(action, np.float32)


def swing(env: Env, observation: Any, _step: int) -> Any:
    """Push the mountain car in the direction in which it moves."""
    forwards = observation[1] >= 0
    return np.array([1.0 if forwards else -1.0], np.float32) if env.action_space.shape else (2 if forwards else 0)


def land(env: Env, observation: Any, _step: int) -> Any:
    return heuristic(env.unwrapped, observation)  # type: ignore[no-untyped-call]


def stride(_env: Env, _observation: Any, step: int) -> Any:
    return np.array([np.sin(step / 6), -np.cos(step / 6), -np.sin(step / 6), np.cos(step / 6)], np.float32)


def follow_the_ball(env: Env, _observation: Any, step: int) -> Any:
    """Play Breakout by the positions of ball and paddle in the console's memory, with a serve now and then."""
    memory = env.get_wrapper_attr("ale").getRAM()
    ball, paddle = int(memory[99]), int(memory[72])
    if step % 20 == 0:
        return 1
    return 2 if ball > paddle + 8 else 3 if ball < paddle + 4 else 0


@dataclass(frozen=True)
class Scene:
    """Take ``steps`` actions chosen by ``act`` after a reset with ``seed``; an episode that ends is reset."""

    seed: int = 1
    steps: int = 40
    act: Act = at_random


SCENES: Mapping[str, Scene] = {
    "CartPole-v1": Scene(seed=3, steps=14),
    "Acrobot-v1": Scene(steps=60, act=in_order(0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2)),
    "MountainCar-v0": Scene(steps=116, act=swing),
    "MountainCarContinuous-v0": Scene(steps=98, act=swing),
    "Pendulum-v1": Scene(seed=8, steps=4),
    "FrozenLake-v1": Scene(seed=5, steps=9, act=in_order(1, 2)),
    "CliffWalking-v1": Scene(steps=6, act=in_order(0, 1, 1, 1, 1, 1)),
    "Taxi-v4": Scene(seed=5, steps=2, act=in_order(1)),
    "Blackjack-v1": Scene(seed=11, steps=0),
    "LunarLander-v3": Scene(seed=4, steps=110, act=land),
    "BipedalWalker-v3": Scene(seed=2, steps=45, act=stride),
    "CarRacing-v3": Scene(steps=45, act=held(0.0, 0.2, 0.0)),
    "ALE/Pong-v5": Scene(seed=2, steps=50),
    "ALE/Breakout-v5": Scene(steps=260, act=follow_the_ball),
    "GameBoy/Lamplighter-v0": Scene(seed=2, steps=40, act=in_order(*[2] * 12, *[3] * 3, 0)),
}
"""Scenes of environments in which random actions show too little."""
