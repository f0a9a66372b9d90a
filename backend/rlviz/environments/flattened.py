"""Dict and Tuple observations as numbers in a row, named by their parts.

Imports Gymnasium: only workers import this.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation

from rlviz.analysis.pictures import is_picture

Env = gymnasium.Env[Any, Any]

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
