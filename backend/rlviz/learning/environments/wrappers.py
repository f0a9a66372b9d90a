"""Environment wrappers. Imports Gymnasium: only workers import this.

Dict and Tuple observations as numbers in a row, named by their parts.

QuickFrames: pictures that pygame draws, in less time. Only workers import this.

Wrappers that make Box2D episodes, and pictures of them, depend on seed and actions alone.

Wrappers for games with picture observations. Only workers import this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import Box2D
import cv2
import gymnasium
import numpy as np
import pygame
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation
from numpy.typing import NDArray
from pygame import surfarray
from stable_baselines3.common.atari_wrappers import (
    ClipRewardEnv,
    EpisodicLifeEnv,
    FireResetEnv,
    MaxAndSkipEnv,
    NoopResetEnv,
    StickyActionEnv,
    WarpFrame,
)

from rlviz.learning.environments.atari import FRAME_SKIP, FRAME_STACK, SIDE, AtariOptions
from rlviz.learning.environments.box2d import CarRacingOptions
from rlviz.stats.pictures import is_picture

Env = gymnasium.Env[Any, Any]
Outcome = tuple[Any, float, bool, bool, dict[str, Any]]
Wrapper = gymnasium.Wrapper[Any, Any, Any, Any]


class FrameSkip(Wrapper):
    """Repeats each action ``skip`` times and sums the rewards; fewer times at the end of an episode."""

    def __init__(self, env: Env, skip: int) -> None:
        super().__init__(env)
        self._skip = skip

    def step(self, action: Any) -> Outcome:
        total = 0.0
        for _ in range(self._skip):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return observation, total, terminated, truncated, info


class StackedPictures(Wrapper):
    """Stacks the last ``count`` grey pictures, oldest first, as channels: (count, height, width).

    After a reset all of them are the first.
    """

    def __init__(self, env: Env, count: int) -> None:
        super().__init__(env)
        height, width = (env.observation_space.shape or ())[:2]
        self._frames = np.zeros((count, height, width), np.uint8)
        self.observation_space = spaces.Box(0, 255, self._frames.shape, np.uint8)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        self._frames[:] = observation.reshape(self._frames.shape[1:])
        return self._frames.copy(), info

    def step(self, action: Any) -> Outcome:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._frames[:-1] = self._frames[1:]
        self._frames[-1] = observation.reshape(self._frames.shape[1:])
        return self._frames.copy(), float(reward), terminated, truncated, info


class NumberedTuple(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Encodes a tuple of discrete observations as one number: its index among all tuples."""

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        assert isinstance(env.observation_space, spaces.Tuple)
        self._sizes = [int(part.n) for part in env.observation_space if isinstance(part, spaces.Discrete)]
        self.observation_space = spaces.Discrete(int(np.prod(self._sizes)))

    def observation(self, observation: Any) -> int:
        return int(np.ravel_multi_index([int(part) for part in observation], self._sizes))


def numbered(env: Env, options: object) -> Env:
    return NumberedTuple(env)


class RawOutcome(Wrapper):
    """Records rewards and ends as they were before the wrappers above changed them."""

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.reward, self.terminated, self.truncated = 0.0, False, False

    @property
    def over(self) -> bool:
        return self.terminated or self.truncated

    def clear(self) -> None:
        self.reward, self.terminated, self.truncated = 0.0, False, False

    def step(self, action: Any) -> Outcome:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.reward += float(reward)
        self.terminated, self.truncated = self.terminated or terminated, self.truncated or truncated
        return observation, float(reward), terminated, truncated, info


class WholeEpisodes(Wrapper):
    """Observations with all wrappers, but rewards and ends of the environment itself.

    Where a wrapper ends an episode early (a life was lost), it is reset as in training, and the episode goes on.
    """

    def __init__(self, env: Env, raw: RawOutcome) -> None:
        super().__init__(env)
        self._raw = raw

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if self.env.has_wrapper_attr("was_real_done"):  # EpisodicLifeEnv would continue the current game
            self.env.set_wrapper_attr("was_real_done", True)
        found = self.env.reset(seed=seed, options=options)
        self._raw.clear()
        return found

    def step(self, action: Any) -> Outcome:
        observation, _, terminated, truncated, info = self.env.step(action)
        if (terminated or truncated) and not self._raw.over:
            observation, info = self.env.reset()
        raw = self._raw
        outcome = (observation, raw.reward, raw.terminated, raw.truncated, info)
        raw.reward = 0.0
        return outcome


_COMPOSED = (spaces.Dict, spaces.Tuple)
_COUNTED = (spaces.Discrete, spaces.MultiDiscrete)


class NotFlattenable(ValueError):
    """A part of the observations cannot be numbers in a row; the message names it, and says what to do."""


def flattened(env: Env) -> Env:
    """``env`` with its Dict or Tuple observations as one array, as Gymnasium's ``FlattenObservation`` makes it: each
    part's numbers one after the other, in the order of the space, and a counted part as one number for each of its
    values, of which one is 1. Other environments as they are. Raises NotFlattenable."""
    if not isinstance(env.observation_space, _COMPOSED):
        return env
    _check(env.observation_space)
    return FlattenObservation(env)


def names_of(space: gymnasium.Space[Any]) -> tuple[str, ...]:
    """A name for each number of a flattened Dict or Tuple; none for other spaces: ``speed 1``, ``place/row = 2``."""
    return tuple(_names(space, "")) if isinstance(space, _COMPOSED) else ()


def _parts(space: gymnasium.Space[Any], path: str) -> Iterator[tuple[str, gymnasium.Space[Any]]]:
    parts = space.spaces.items() if isinstance(space, spaces.Dict) else enumerate(space)  # type: ignore[arg-type]
    for name, part in parts:
        yield f"{path}/{name}" if path else str(name), part


def _names(space: gymnasium.Space[Any], path: str) -> Iterator[str]:
    if isinstance(space, _COMPOSED):
        for name, part in _parts(space, path):
            yield from _names(part, name)
    elif isinstance(space, spaces.Discrete):
        yield from (f"{path} = {space.start + value}" for value in range(space.n))
    elif isinstance(space, spaces.MultiDiscrete):
        for place, (count, start) in enumerate(zip(space.nvec.flat, space.start.flat, strict=True)):
            yield from (f"{path} {place} = {start + value}" for value in range(count))
    else:
        size = spaces.flatdim(space)
        yield from ([path] if size == 1 else (f"{path} {place}" for place in range(size)))


def _check(space: gymnasium.Space[Any], path: str = "") -> None:
    for name, part in _parts(space, path):
        if isinstance(part, _COMPOSED):
            _check(part, name)
        elif not isinstance(part, (spaces.Box, spaces.MultiBinary, *_COUNTED)):
            raise NotFlattenable(
                f"The part {name!r} of its observations is {type(part).__name__}; Box, Discrete, MultiDiscrete and "
                "MultiBinary can be learned from here. Leave it out, or describe it in numbers."
            )
        elif isinstance(part, spaces.Box) and is_picture(part.shape, part.dtype):
            raise NotFlattenable(
                f"The part {name!r} of its observations is a picture, which cannot be learned from together with other "
                "parts here. Leave it out, or let the picture alone be the observation."
            )


_MASKS = (0xFF0000, 0xFF00, 0xFF)
"""Of red, green and blue in a pixel of pygame's usual surfaces: bytes of blue, green, red and nothing in memory."""


class QuickFrames(Wrapper):
    """The same pictures, in a third of the time.

    Gymnasium's environments take a finished picture from pygame by ``np.array(surfarray.pixels3d(surface))``, which
    copies byte by byte and takes longer than drawing. While this wrapper renders, OpenCV copies in its place. The
    environment must only read what ``pixels3d`` gives it, as Gymnasium's do: it is no reference to the surface.
    """

    def render(self) -> Any:
        usual = surfarray.pixels3d

        def quick(surface: pygame.Surface) -> Any:
            return _Pixels(surface) if _is_usual(surface) else usual(surface)

        surfarray.pixels3d = quick
        try:
            return self.env.render()
        finally:
            surfarray.pixels3d = usual


@dataclass(frozen=True)
class _Pixels:
    """Of a surface: ``np.array`` makes an array of it, (width, height, 3), which lies in memory row by row."""

    surface: pygame.Surface

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NDArray[np.uint8]:
        width, height = self.surface.get_size()
        buffer: Any = self.surface.get_buffer()
        rows = np.frombuffer(buffer, np.uint8).reshape(height, self.surface.get_pitch())
        pixels = rows[:, : 4 * width].reshape(height, width, 4)
        picture = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2RGB), np.uint8)
        return picture.transpose(1, 0, 2)


def _is_usual(surface: pygame.Surface) -> bool:
    return surface.get_bytesize() == 4 and surface.get_masks()[:3] == _MASKS


class NewWorld(Wrapper):
    """Makes a new Box2D world at each reset, as Gymnasium does for LunarLander only.

    BipedalWalker and CarRacing empty their world and fill it again. What the solver keeps of earlier bodies, such as
    the order of its lists, changes the last digits, so that the same seed and actions would give other episodes.
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        inner: Any = self.unwrapped
        inner._destroy()  # while the world of its bodies exists
        inner.world = Box2D.b2World(gravity=inner.world.gravity)
        return self.env.reset(seed=seed, options=options)


def new_world(env: Env, options: object) -> Env:
    return NewWorld(env)


PARTICLE_AGES_BY = 0.15
"""What LunarLander's drawing takes from the time that each particle of exhaust is still seen."""


class AgingExhaust(Wrapper):
    """LunarLander's exhaust ages, and goes, with each step. Its own does with each picture that is drawn, so that a
    picture would depend on how many were drawn before. What has gone too late changes how the rest falls."""

    def step(self, action: Any) -> Any:
        result = self.env.step(action)
        for particle in self._particles:
            particle.ttl -= PARTICLE_AGES_BY
        self._lander._clean_particles(False)
        return result

    def render(self) -> Any:
        seen = [(particle, particle.ttl) for particle in self._particles]
        for particle, left in seen:
            particle.ttl = left + PARTICLE_AGES_BY  # which drawing takes
        picture = self.env.render()
        for particle, left in seen:
            particle.ttl = left
        return picture

    @property
    def _lander(self) -> Any:
        return self.unwrapped

    @property
    def _particles(self) -> Any:
        return self._lander.particles


def aging_exhaust(env: Env, options: object) -> Env:
    """Where no pictures are drawn there is no exhaust."""
    return env if env.render_mode is None else AgingExhaust(env)


def atari_steps(env: Env, options: AtariOptions) -> Env:
    """First half of Stable-Baselines3's AtariWrapper: sticky actions, no-ops at the start, and four frames a step."""
    if options.sticky_actions > 0:
        env = StickyActionEnv(env, options.sticky_actions)
    return MaxAndSkipEnv(NoopResetEnv(env, noop_max=30), skip=FRAME_SKIP)


def atari_view(env: Env, options: AtariOptions) -> Env:
    """Second half: lives as episodes, fire to start, grey pictures of 84 × 84, clipped rewards; then frame stacking."""
    if options.life_loss_ends_episode:
        env = EpisodicLifeEnv(env)
    meanings: list[str] = env.get_wrapper_attr("get_action_meanings")()
    if "FIRE" in meanings:
        env = FireResetEnv(env)
    env = StackedPictures(WarpFrame(env, width=SIDE, height=SIDE), FRAME_STACK)
    return ClipRewardEnv(env) if options.clip_reward else env


def car_racing_steps(env: Env, options: CarRacingOptions) -> Any:
    return FrameSkip(NewWorld(env), options.frame_skip)


def car_racing_view(env: Env, options: CarRacingOptions) -> Any:
    side = options.picture_size
    return StackedPictures(WarpFrame(env, width=side, height=side), options.frame_stack)
