"""The generators of random numbers that training draws from, besides those within environments."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.environments.state import spaces_of
from rlviz.training.snapshot.environments import environments_of


def capture_generators(model: BaseAlgorithm) -> dict[str, Any]:
    """The global ones and those of every space."""
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state().numpy().copy(),
        "spaces": [_state(space) for space in _spaces(model)],
    }


def restore_generators(model: BaseAlgorithm, states: dict[str, Any]) -> None:
    """Set them in place: the model's action space stays the environment's."""
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    torch.set_rng_state(torch.from_numpy(states["torch"]))
    for space, state in zip(_spaces(model), states["spaces"], strict=True):
        if state is not None:
            space.np_random.bit_generator.state = state


def _state(space: spaces.Space[Any]) -> Any:
    """None for one that nobody has drawn from."""
    return space._np_random.bit_generator.state if space._np_random is not None else None


def _spaces(model: BaseAlgorithm) -> list[spaces.Space[Any]]:
    """Each once, in an order that depends on how the model is built alone."""
    found: list[spaces.Space[Any]] = [model.action_space, model.observation_space]
    for env in environments_of(model):
        found.extend(spaces_of(env))
    return list(_unique(found))


def _unique(found: Iterable[spaces.Space[Any]]) -> Iterator[spaces.Space[Any]]:
    known: set[int] = set()
    for space in found:
        if id(space) not in known:
            known.add(id(space))
            yield space
