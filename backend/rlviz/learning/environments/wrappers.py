"""Defines environment wrappers, and flattens Dict and Tuple observations. Only workers may import it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation

from rlviz.learning.environments.cells import CELL, STAGE, World, read_cell, read_stage
from rlviz.learning.environments.reward_components import COMPONENTS
from rlviz.stats.pictures import is_picture

Env = gymnasium.Env[Any, Any]
Outcome = tuple[Any, float, bool, bool, dict[str, Any]]
Wrapper = gymnasium.Wrapper[Any, Any, Any, Any]


class FrameSkip(Wrapper):
    """Repeats each action ``skip`` times, or fewer at an episode's end, and sums the rewards and their components."""

    def __init__(self, env: Env, skip: int) -> None:
        super().__init__(env)
        self._skip = skip

    def step(self, action: Any) -> Outcome:
        total, components = 0.0, dict[str, float]()
        for _ in range(self._skip):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            for name, value in info.get(COMPONENTS, {}).items():
                components[name] = components.get(name, 0.0) + value
            if terminated or truncated:
                break
        if components:
            info[COMPONENTS] = components
        return observation, total, terminated, truncated, info


class StackedPictures(Wrapper):
    """Stacks the last ``count`` grey pictures, oldest first, as channels: (count, height, width).

    After a reset, all of them are the first picture.
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


def wrap_numbered(env: Env, options: object) -> Env:
    return NumberedTuple(env)


class NamedCell(Wrapper):
    """Puts the id of the environment's cell into ``info[CELL]`` after each reset and step, and the stage of progress
    into ``info[STAGE]``."""

    def __init__(self, env: Env, world: World) -> None:
        super().__init__(env)
        self._world = world

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, {**info, **self._place()}

    def step(self, action: Any) -> Outcome:
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, {**info, **self._place()}  # type: ignore[return-value]

    def _place(self) -> dict[str, int | None]:
        return {CELL: read_cell(self._world, self.env), STAGE: read_stage(self._world, self.env)}


class RawOutcome(Wrapper):
    """Records rewards and ends before the wrappers above change them."""

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
    """Returns observations of all wrappers, but rewards and ends of the environment itself.

    If a wrapper ends an episode early (a lost life), it is reset as in training, and the episode continues.
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
    """A part of the observations cannot be flattened to numbers; the message names it and says what to do."""


def flatten_observations(env: Env) -> Env:
    """Flatten Dict or Tuple observations of ``env`` to one array, as Gymnasium's ``FlattenObservation`` does.

    The parts follow each other in the order of the space; a part of counted values is one-hot encoded. Other
    environments are returned unchanged. Raises NotFlattenable.
    """
    if not isinstance(env.observation_space, _COMPOSED):
        return env
    _check(env.observation_space)
    return FlattenObservation(env)


def names_of(space: gymnasium.Space[Any]) -> tuple[str, ...]:
    """Return a name for each number of a flattened Dict or Tuple, such as ``speed 1`` or ``place/row = 2``.

    Returns none for other spaces.
    """
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
                "MultiBinary are supported. Leave it out, or describe it in numbers."
            )
        elif isinstance(part, spaces.Box) and is_picture(part.shape, part.dtype):
            raise NotFlattenable(
                f"The part {name!r} of its observations is a picture, which cannot be combined with other parts. Leave "
                "it out, or make the picture the only observation."
            )
