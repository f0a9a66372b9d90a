"""The layers of an environment, captured and restored from the outermost to the base."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import gymnasium
from gymnasium import spaces

from rlviz.environments.conforming import Conforming, conforming_layer
from rlviz.environments.wrappers import Env

_BUILT = frozenset(
    {
        *("env", "spec", "_cached_spec", "metadata", "_metadata", "_saved_kwargs"),
        *("action_space", "_action_space", "observation_space", "_observation_space", "_reward_range"),
    }
)
"""Attributes that building the environment gives, and that training does not change."""


class NotCapturable(Exception):
    """The state of an environment cannot be written down; the message says what stands in the way."""


@runtime_checkable
class KeepsState(Protocol):
    """A layer that answers for itself and for every layer below it."""

    def capture_state(self) -> object:
        """What ``restore_state`` of a layer built the same way needs: plain data that changes no more."""

    def restore_state(self, state: Any) -> None:
        """Be as that layer was. Raises NotCapturable if it turns out that this is not possible."""


def layers_of(env: Env) -> list[Env]:
    """From the outermost wrapper to the environment itself, without Conforming, which has no state."""
    return [layer for layer in _all_layers(env) if not isinstance(layer, Conforming)]


def _all_layers(env: Env) -> list[Env]:
    found = [env]
    while isinstance(found[-1], gymnasium.Wrapper):
        found.append(found[-1].env)
    return found


def layer_names(env: Env) -> tuple[str, ...]:
    return tuple(f"{type(layer).__module__}.{type(layer).__qualname__}" for layer in layers_of(env))


def spaces_of(env: Env) -> Iterator[spaces.Space[Any]]:
    """The spaces of every layer and their parts, in an order that depends on how it is built alone."""
    conforming = conforming_layer(env)
    for layer in layers_of(env):
        # The user's own environment may replace its spaces; those that it was built with count.
        built = conforming if conforming is not None and layer is conforming.env else layer
        for space in (built.action_space, built.observation_space):
            yield from _with_parts(space)


def capture_environment(env: Env) -> bytes:
    """Its state as it is now, without that of its spaces. Raises NotCapturable."""
    file = io.BytesIO()
    try:
        _Pickler(file, env).dump(_capture(layers_of(env)))
    except NotCapturable:
        raise
    except Exception as error:
        raise NotCapturable(f"An attribute of {type(env.unwrapped).__name__} cannot be copied: {error}") from error
    return file.getvalue()


def restore_environment(env: Env, state: bytes) -> None:
    """Bring ``env``, built as the one that was captured, to that state. Raises NotCapturable."""
    values = _Unpickler(io.BytesIO(state), env).load()
    for layer, value in zip(layers_of(env), values, strict=False):
        if isinstance(layer, KeepsState):
            layer.restore_state(value)
        else:
            set_attributes(layer, value)
    if (conforming := conforming_layer(env)) is not None:
        conforming.forget_step()


def read_state(state: bytes) -> object:
    """What ``capture_environment`` gave, to be compared with another: plain values for what building gives."""
    return _Reader(io.BytesIO(state)).load()


def attributes(layer: Env) -> dict[str, Any]:
    return {name: value for name, value in vars(layer).items() if name not in _BUILT}


def set_attributes(layer: Env, values: Mapping[str, Any]) -> None:
    vars(layer).update(values)


def _capture(layers: Sequence[Env]) -> list[object]:
    states: list[object] = []
    for layer in layers:
        if isinstance(layer, KeepsState):
            return [*states, layer.capture_state()]
        states.append(attributes(layer))
    return states


def _with_parts(space: spaces.Space[Any]) -> Iterator[spaces.Space[Any]]:
    yield space
    if isinstance(space, spaces.Dict):
        for part in space.spaces.values():
            yield from _with_parts(part)
    elif isinstance(space, spaces.Tuple):
        for part in space.spaces:
            yield from _with_parts(part)


def _landmarks(env: Env) -> list[object]:
    """What building gives. Attributes that refer to it refer, restored, to the same part of the new environment."""
    return [*layers_of(env), *spaces_of(env)]


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, env: Env) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._places = {id(landmark): place for place, landmark in enumerate(_landmarks(env))}

    def persistent_id(self, value: object) -> int | None:
        return self._places.get(id(value))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, env: Env) -> None:
        super().__init__(file)
        self._landmarks = _landmarks(env)

    def persistent_load(self, place: int) -> object:
        return self._landmarks[place]


class _Reader(pickle.Unpickler):
    def persistent_load(self, place: int) -> object:
        return f"built part {place}"
