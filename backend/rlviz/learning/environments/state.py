"""Captures the state of an environment, with all its wrappers, and restores it in another one built the same way.

There are three ways: copying attributes, the Atari emulator's own state, and, where the state cannot be copied, taking
the episode's actions again. For unknown environments the way is found by trying.
"""

from __future__ import annotations

import io
import pickle
import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import deepcopy
from typing import Any, Protocol, runtime_checkable

import gymnasium
import numpy as np
from gymnasium import spaces

from rlviz.domain.environment import StateKept
from rlviz.learning.environments.conforming import Conforming, SplitReward, conforming_layer
from rlviz.learning.environments.wrappers import Env, Wrapper

_BUILT = frozenset(
    {
        *("env", "spec", "_cached_spec", "metadata", "_metadata", "_saved_kwargs"),
        *("action_space", "_action_space", "observation_space", "_observation_space", "_reward_range"),
    }
)
"""Attributes that are set when the environment is built, and that training does not change."""

TIME_LIMIT = frozenset({"_elapsed_steps"})
"""Attributes in which the library's wrapper counts the steps up to the time limit."""


class NotCapturable(Exception):
    """The state of an environment cannot be captured; the message says why."""


@runtime_checkable
class KeepsState(Protocol):
    """A layer that captures its own state and that of all layers below it."""

    def capture_state(self) -> object:
        """Return plain data that does not change, for ``restore_state`` of a layer built the same way."""

    def restore_state(self, state: Any) -> None:
        """Restore the state of that layer. Raises NotCapturable if that turns out to be impossible."""


def layers_of(env: Env) -> list[Env]:
    """Return the layers from the outermost wrapper to the environment, without those that have no state."""
    return [layer for layer in _all_layers(env) if not isinstance(layer, Conforming | SplitReward)]


def _all_layers(env: Env) -> list[Env]:
    found = [env]
    while isinstance(found[-1], gymnasium.Wrapper):
        found.append(found[-1].env)
    return found


def layer_names(env: Env) -> tuple[str, ...]:
    return tuple(f"{type(layer).__module__}.{type(layer).__qualname__}" for layer in layers_of(env))


def spaces_of(env: Env) -> Iterator[spaces.Space[Any]]:
    """Yield the spaces of every layer and their parts, in an order that depends only on how the layers are built."""
    conforming = conforming_layer(env)
    for layer in layers_of(env):
        # A user's environment may replace its spaces; use those that it was built with.
        built = conforming if conforming is not None and layer is conforming.env else layer
        for space in (built.action_space, built.observation_space):
            yield from _with_parts(space)


def capture_environment(env: Env, *, without: Collection[str] = (), canonical: bool = False) -> bytes:
    """Capture the environment's current state, without that of its spaces. Raises NotCapturable.

    Args:
        env: The environment with all its wrappers.
        without: Names of attributes to leave out in every layer; ``restore_environment`` then does not change them.
        canonical: Whether equal states have equal bytes. Otherwise they also depend on which parts are one object,
            which a restored state may change. The state must not contain itself.
    """
    file = io.BytesIO()
    pickler = _Pickler(file, env)
    pickler.fast = canonical
    try:
        pickler.dump(_capture(layers_of(env), without))
    except NotCapturable:
        raise
    except Exception as error:
        raise NotCapturable(f"An attribute of {type(env.unwrapped).__name__} cannot be copied: {error}") from error
    return file.getvalue()


def restore_environment(env: Env, state: bytes) -> None:
    """Restore a captured state in ``env``, which was built the same way. Raises NotCapturable."""
    values = _Unpickler(io.BytesIO(state), env).load()
    for layer, value in zip(layers_of(env), values, strict=False):
        if isinstance(layer, KeepsState):
            layer.restore_state(value)
        else:
            set_attributes(layer, value)
    if (conforming := conforming_layer(env)) is not None:
        conforming.forget_step()


def begin_time_limit(env: Env, seed: int) -> None:
    """Let the time limit count from the current state on, where that state can be captured. ``seed`` is that of a reset
    in between, which leaves nothing else behind."""
    try:
        state = capture_environment(env, without=TIME_LIMIT)
    except NotCapturable:
        return
    env.reset(seed=seed)
    restore_environment(env, state)


def restore_in_other(env: Env, twin: Env, state: bytes, seed: int) -> None:
    """Restore in ``env`` a state that was captured in an environment built like ``twin``.

    ``env`` may have other wrappers, such as one that draws, and attributes of drawing. Both are reset with ``seed``, so
    that they are in the same state; whatever the state changes in ``twin`` is then changed in ``env``. Raises
    NotCapturable.
    """
    env.reset(seed=seed)
    twin.reset(seed=seed)
    before = _pickled_attributes(twin)
    restore_environment(twin, state)
    others = layers_of(env)
    for layer, then, now in zip(layers_of(twin), before, _pickled_attributes(twin), strict=True):
        other = next((one for one in others if type(one) is type(layer)), None)
        changed = {name for name, value in now.items() if then.get(name) != value}
        if isinstance(layer, KeepsState):
            if not isinstance(other, KeepsState):
                raise NotCapturable(f"{type(env.unwrapped).__name__} has no {type(layer).__name__} here.")
            other.restore_state(layer.capture_state())
        elif other is not None:
            set_attributes(other, deepcopy({name: vars(layer)[name] for name in changed}))


def _pickled_attributes(env: Env) -> list[dict[str, bytes]]:
    """Return the attributes of each layer, to find those that change; none of a layer that captures its own state."""
    found = []
    for layer in layers_of(env):
        values = {} if isinstance(layer, KeepsState) else attributes(layer)
        found.append({name: _pickled(value, env) for name, value in values.items()})
    return found


def _pickled(value: object, env: Env) -> bytes:
    file = io.BytesIO()
    try:
        _Pickler(file, env).dump(value)
    except Exception as error:
        raise NotCapturable(f"An attribute of {type(env.unwrapped).__name__} cannot be copied: {error}") from error
    return file.getvalue()


def read_state(state: bytes) -> object:
    """Read the result of ``capture_environment`` for a comparison; parts set at building become plain values."""
    return _Reader(io.BytesIO(state)).load()


def attributes(layer: Env) -> dict[str, Any]:
    return {name: value for name, value in vars(layer).items() if name not in _BUILT}


def set_attributes(layer: Env, values: Mapping[str, Any]) -> None:
    vars(layer).update(values)


def _capture(layers: Sequence[Env], without: Collection[str]) -> list[object]:
    states: list[object] = []
    for layer in layers:
        if isinstance(layer, KeepsState):
            return [*states, layer.capture_state()]
        states.append({name: value for name, value in attributes(layer).items() if name not in without})
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
    """Return the parts that are set at building. Restored references to them point to the new environment's parts."""
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


class ReplayedEpisode(Wrapper):
    """Stores the generator's state at each reset, and every action since.

    That is the complete state of an environment whose reset replaces everything but its generator, and that uses no
    other generator. The last observation and the generator show whether a replay led to the same state.

    ``renderer`` is the method that draws the observations, if they are images; it is only called for the last action.
    """

    def __init__(self, env: Env, renderer: str | None = None) -> None:
        super().__init__(env)
        self._renderer = renderer
        self._begun: tuple[Any, int | None, dict[str, Any] | None] | None = None
        self._actions: list[Any] = []
        self._observation: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        generator = self.unwrapped.np_random.bit_generator.state if seed is None else None
        self._begun, self._actions = (generator, seed, options), []
        found = self.env.reset(seed=seed, options=options)
        self._observation = found[0]
        return found

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._actions.append(action.copy() if isinstance(action, np.ndarray) else action)
        outcome = self.env.step(action)
        self._observation = outcome[0]
        return outcome  # type: ignore[return-value]

    def capture_state(self) -> object:
        if self._begun is None:
            return None
        return self._begun, np.array(self._actions), np.array(self._observation), self._generator_state()

    def restore_state(self, state: Any) -> None:
        if state is None:
            return
        (generator, seed, options), actions, observation, generator_after = state
        if generator is not None:
            self.unwrapped.np_random.bit_generator.state = generator
        with self._without_pictures(bool(len(actions))):
            self.reset(seed=seed, options=options)
            for action in actions[:-1]:
                self.step(action)
        for action in actions[-1:]:
            self.step(action)
        if not same_numbers(self._observation, observation) or not _equal(self._generator_state(), generator_after):
            raise NotCapturable(
                f"{type(self.unwrapped).__name__} reached another state when the {len(actions):,} actions of its "
                "episode were replayed."
            )

    def _generator_state(self) -> Any:
        return self.unwrapped.np_random.bit_generator.state

    @contextmanager
    def _without_pictures(self, left_out: bool) -> Iterator[None]:
        if self._renderer is None or not left_out:
            yield
            return
        space: Any = self.unwrapped.observation_space
        # Shadows the method of the class.
        setattr(self.unwrapped, self._renderer, lambda *_arguments: np.zeros(space.shape, space.dtype))
        try:
            yield
        finally:
            delattr(self.unwrapped, self._renderer)


class WithoutState(Wrapper):
    """An environment whose state cannot be captured; a resumed run starts a new episode."""

    def capture_state(self) -> object:
        raise NotCapturable(f"No method can copy the state of {type(self.unwrapped).__name__}.")

    def restore_state(self, state: Any) -> None:
        raise NotCapturable(f"No method can copy the state of {type(self.unwrapped).__name__}.")


def wrap_without_state(env: Env, options: object) -> Env:
    return WithoutState(env)


def same_numbers(one: Any, other: Any) -> bool:
    """Return whether two arrays or numbers are equal, where NaN equals NaN."""
    first, second = np.asarray(one), np.asarray(other)
    return np.array_equal(first, second, equal_nan=first.dtype.kind == second.dtype.kind == "f")


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    return np.array_equal(one, other)


def wrap_replayed(env: Env, options: object) -> Env:
    return ReplayedEpisode(env)


def wrap_replayed_unseen(env: Env, options: object) -> Env:
    """Wrap an environment that draws its observations with the method ``_render``."""
    return ReplayedEpisode(env, "_render")


STEPS_BEFORE = (3, 40)
"""Steps after which the state is captured: early in an episode, and later, perhaps in another one."""

STEPS_BESIDE = 50
"""Steps over which the restored environment is compared with the original."""

SECONDS = 10.0
"""Time limit of the test; a slower environment counts as not capturable."""

_KEEPERS: dict[StateKept, Callable[[Env], Env]] = {
    StateKept.ATTRIBUTES: lambda env: env,
    StateKept.REPLAY: lambda env: wrap_replayed(env, None),
}


_TRIED = {
    StateKept.ATTRIBUTES: "With its attributes copied",
    StateKept.REPLAY: "With the actions of its episode replayed",
}


class TooSlow(Exception):
    """The test takes too long."""


def find_keeper(
    make: Callable[[], Env], monotonic: Callable[[], float] = time.monotonic
) -> tuple[StateKept, str | None]:
    """Find how to capture the state of environments made by ``make``, or else why each way fails.

    Draws from the global generators.
    """
    until = monotonic() + SECONDS
    found = []
    for kept, keeper in _KEEPERS.items():
        try:
            problem = _problem_with(lambda keeper=keeper: keeper(make()), lambda: monotonic() > until)  # type: ignore[misc]
        except TooSlow:
            return StateKept.NOTHING, f"{SECONDS:g} seconds were not enough to find a way to copy its state."
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem is None:
            return kept, None
        found.append(f"{_TRIED[kept]}: {problem}")
    return StateKept.NOTHING, " ".join(found)


def _problem_with(make: Callable[[], Env], is_late: Callable[[], bool]) -> str | None:
    """Return None if a restored copy behaves like the original environment, else the problem."""
    for steps in STEPS_BEFORE:
        with closing(make()) as env, closing(make()) as twin:
            random.seed(0)
            np.random.seed(0)
            env.action_space.seed(0)
            env.reset(seed=0)
            actions = [env.action_space.sample() for _ in range(steps + STEPS_BESIDE)]
            for _ in _outcomes(env, actions[:steps], is_late):
                pass
            state, generators = capture_environment(env), (random.getstate(), np.random.get_state())
            ours = list(_outcomes(env, actions[steps:], is_late))
            restore_environment(twin, state)
            random.setstate(generators[0])
            np.random.set_state(generators[1])
            for number, (one, other) in enumerate(zip(ours, _outcomes(twin, actions[steps:], is_late), strict=True), 1):
                for what, mine, its in zip(("observation", "reward", "end", "time limit"), one, other, strict=True):
                    if not same_numbers(mine, its):
                        return f"its {what} differed from that of a restored twin after {number} steps."
    return None


def _outcomes(env: Env, actions: Sequence[Any], is_late: Callable[[], bool]) -> Iterator[tuple[Any, ...]]:
    """Yield copies of observation, reward, terminated and truncated of each step."""
    for action in actions:
        if is_late():
            raise TooSlow
        observation, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            observation, _ = env.reset()
        yield np.array(observation), float(reward), terminated, truncated
