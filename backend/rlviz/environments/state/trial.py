"""How the state of an environment that nobody here knows can be copied: found out by trying."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from rlviz.domain.environment import StateKept
from rlviz.environments.state.replay import replayed, same_numbers
from rlviz.environments.state.stack import capture_environment, restore_environment
from rlviz.environments.wrappers import Env

STEPS_BEFORE = (3, 40)
"""So far into training it is captured: early in an episode, and later, perhaps in another one."""

STEPS_BESIDE = 50
"""So many steps the restored twin is compared over."""

SECONDS = 10.0
"""An environment that has not shown itself by then is too slow for this."""

_KEEPERS: dict[StateKept, Callable[[Env], Env]] = {
    StateKept.ATTRIBUTES: lambda env: env,
    StateKept.REPLAY: lambda env: replayed(env, None),
}


_TRIED = {
    StateKept.ATTRIBUTES: "With its attributes copied",
    StateKept.REPLAY: "With the actions of its episode taken again",
}


class TooSlow(Exception):
    """The trial takes too long."""


def find_keeper(
    make: Callable[[], Env], monotonic: Callable[[], float] = time.monotonic
) -> tuple[StateKept, str | None]:
    """How to keep the state of the environments that ``make`` makes; if it cannot be, what each test found.

    Draws from the global generators.
    """
    until = monotonic() + SECONDS
    found = []
    for kept, keeper in _KEEPERS.items():
        try:
            problem = _problem_with(lambda keeper=keeper: keeper(make()), lambda: monotonic() > until)  # type: ignore[misc]
        except TooSlow:
            return StateKept.NOTHING, f"{SECONDS:g} seconds were not enough to find out how its state can be copied."
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem is None:
            return kept, None
        found.append(f"{_TRIED[kept]}: {problem}")
    return StateKept.NOTHING, " ".join(found)


def _problem_with(make: Callable[[], Env], is_late: Callable[[], bool]) -> str | None:
    """None if a restored twin did the same as the environment it was copied from."""
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
    """Observation, reward, whether it terminated and was truncated, of each step; copied: some change in place."""
    for action in actions:
        if is_late():
            raise TooSlow
        observation, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            observation, _ = env.reset()
        yield np.array(observation), float(reward), terminated, truncated
