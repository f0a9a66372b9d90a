"""An environment whose state cannot be copied, brought back by taking the actions of its episode again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rlviz.environments.state.stack import NotCapturable
from rlviz.environments.wrappers import Env, Wrapper


class ReplayedEpisode(Wrapper):
    """Notes the generator's state before each reset and every action since.

    That is the whole state of an environment whose reset begins everything anew but its generator, and that draws
    from no other one. Whether replaying led to the same place is checked by the last observation and the generator.

    ``renderer`` names the method of the environment that draws what is observed, if it observes pictures: it is left
    out for all actions but the last.
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
                f"{type(self.unwrapped).__name__} went another way when the {len(actions):,} actions of its "
                "episode were taken again."
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
    """Its state cannot be copied: where training goes on, its episode begins anew."""

    def capture_state(self) -> object:
        raise NotCapturable(f"Nothing that was tried copies the state of {type(self.unwrapped).__name__}.")

    def restore_state(self, state: Any) -> None:
        raise NotCapturable(f"Nothing that was tried copies the state of {type(self.unwrapped).__name__}.")


def without_state(env: Env, options: object) -> Env:
    return WithoutState(env)


def same_numbers(one: Any, other: Any) -> bool:
    """Whether two arrays or numbers are equal; one that is no number equals another that is none."""
    first, second = np.asarray(one), np.asarray(other)
    return np.array_equal(first, second, equal_nan=first.dtype.kind == second.dtype.kind == "f")


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    return np.array_equal(one, other)


def replayed(env: Env, options: object) -> Env:
    return ReplayedEpisode(env)


def replayed_unseen(env: Env, options: object) -> Env:
    """For an environment that draws what is observed with its method ``_render``."""
    return ReplayedEpisode(env, "_render")
