"""Wraps a user's environment so that it behaves as Stable-Baselines3 expects, and reports where it does not.

Discrete values that do not start at 0 are converted for training. The module also describes the spaces of a
user's environment, and checks that they have not changed since. Imports Gymnasium, so only workers may import it.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.errors import EnvironmentFaulty, summarize_error
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms.numbering import Numbering, library_space
from rlviz.learning.environments.observed import FaultKind, as_flag, as_number, reader_of
from rlviz.learning.environments.observed import brief as brief_value
from rlviz.learning.environments.reward_components import COMPONENTS, describe_difference, differs, read_components
from rlviz.learning.environments.wrappers import Env, Outcome, Wrapper

CLOSE_SECONDS = 3.0
"""Seconds to wait for ``close`` to return."""

HUGE_REWARD = 1e6
"""Larger rewards cause a warning, because they dominate the loss."""

RESERVED = frozenset({"episode", "terminal_observation", "TimeLimit.truncated"})
"""Keys of an info dictionary that the library itself uses."""

_FINITE_REWARDS = "Rewards must be finite numbers: look at how step() computes them."
_FINITE_OBSERVATIONS = "Observations must be finite numbers: look at how they are computed."

_ADVICE = {
    FaultKind.REWARD_NAN: _FINITE_REWARDS,
    FaultKind.REWARD_INFINITE: _FINITE_REWARDS,
    FaultKind.REWARD_HUGE: "Networks learn badly from such numbers: divide the rewards, or normalise them.",
    FaultKind.OBSERVATION_NAN: _FINITE_OBSERVATIONS,
    FaultKind.OBSERVATION_INFINITE: _FINITE_OBSERVATIONS,
    FaultKind.OBSERVATION_OUTSIDE: "Make observation_space as wide as what the environment returns, or clip it.",
    FaultKind.COMPONENTS: "Return one number for each component, whose sum is the reward.",
    FaultKind.EXPRESSION: "Correct the expression in game.toml, for instance with A if CONDITION else B.",
    FaultKind.CLOSE: "Everything that was saved before it is complete.",
}


@dataclass(frozen=True)
class Fault:
    """Odd behaviour of an environment that does not end the episode.

    Args:
        what: Completes the sentence "The environment …".
        action: The action that led to it, in the environment's form; None at a reset.
        step: Step of the episode, from 1; 0 for the reset, None if unknown.
    """

    kind: FaultKind
    what: str
    action: str | None = None
    step: int | None = None

    def sentence(self, when: str = "") -> str:
        """Return the fault with a remedy, as a sentence. ``when``: "at step 127"."""
        return f"{self.words(when)} {_ADVICE[self.kind]}"

    def words(self, when: str = "") -> str:
        """Return what the environment did, when, and after which action."""
        if self.kind is FaultKind.CLOSE:
            return f"The environment {self.what}."
        parts = [when] if when else []
        if self.action is None:
            parts.append("when it was reset")
        else:
            parts += [f"in step {self.step} of its episode"] if self.step is not None else []
            parts.append(f"after action {self.action}")
        said = f"{', '.join(parts)}, the environment {self.what}."
        return said[0].upper() + said[1:]


Listener = Callable[[Fault], None]


class Conforming(Wrapper):
    """Wraps the user's environment directly: converts, checks, and reports odd behaviour to its listener.

    - Observations get the type and shape of their space if no value changes (float64 in a float32 space, lists, arrays
      with dimensions of length 1); a reward in an array becomes a number.
    - Actions get the type and shape of their space. They are copies, because the environment may change them.
    - Info entries with the library's own keys are removed, and reward components that are no numbers.
    - ``close`` returns within CLOSE_SECONDS and never raises.
    - A call of ``sys.exit`` raises EnvironmentFaulty.

    Raises EnvironmentFaulty if training is impossible. Problems that allow training are reported to ``listener``:
    numbers that are not finite, huge rewards, observations outside their space, reward components with another sum
    than the reward.

    It has no state for snapshots: ``rlviz.learning.environments.state`` skips it.
    """

    def __init__(self, env: Env, close_seconds: float = CLOSE_SECONDS) -> None:
        super().__init__(env)
        self.observation_space = _space_of(env, "observation_space")
        self.action_space = _space_of(env, "action_space")
        _check_reset(env)
        self.listener: Listener | None = None
        self._read = reader_of(self.observation_space)
        self._step: int | None = None
        self._close_seconds = close_seconds
        self.metadata = read_metadata(env)

    def forget_step(self) -> None:
        """Forget the step of the episode until the next reset, because the environment's state was restored."""
        self._step = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        given: dict[str, Any] = {}  # what is not given need not be among the parameters of the user's reset
        if seed is not None:
            given["seed"] = seed
        if options is not None:
            given["options"] = options
        self._step = 0
        try:
            found = self.env.reset(**given)
            if not (isinstance(found, tuple | list) and len(found) == 2):
                raise EnvironmentFaulty(  # noqa: TRY301  (reported with the method, like errors of the readers)
                    f"returned {brief_value(found)}; return an observation and a dict: observation, {{}}"
                )
            observation, problem = self._read(found[0])
            info = _clean(found[1])
        except (EnvironmentFaulty, SystemExit) as error:
            raise _add_context("reset", error) from error
        if problem is not None:
            self._report(problem.kind, f"returned {problem.what}", None)
        return observation, info

    def step(self, action: Any) -> Outcome:
        own = own_action(self.action_space, action)
        if self._step is not None:
            self._step += 1
        try:
            found = self.env.step(own)
            if not (isinstance(found, tuple | list) and len(found) == 5):
                raise EnvironmentFaulty(_wrong_outcome(found))  # noqa: TRY301
            observation, reward, terminated, truncated, info = found
            observation, problem = self._read(observation)
            if type(reward) is not float:
                reward = as_number(reward, "reward")
            if type(terminated) is not bool:
                terminated = as_flag(terminated, "terminated")
            if type(truncated) is not bool:
                truncated = as_flag(truncated, "truncated")
            info = _clean(info)
        except (EnvironmentFaulty, SystemExit) as error:
            raise _add_context("step", error, own) from error
        if problem is not None:
            self._report(problem.kind, f"returned {problem.what}", own)
        if not -HUGE_REWARD <= reward <= HUGE_REWARD:
            self._report(_kind_of_reward(reward), f"returned a reward of {reward:g}", own)
        if COMPONENTS in info:
            info = self._checked(info, reward, own)
        return observation, reward, terminated, truncated, info

    def render(self) -> Any:
        try:
            return self.env.render()
        except SystemExit as error:
            raise _add_context("render", error) from error

    def close(self) -> None:
        problem = close_within(self.env, self._close_seconds)
        if problem is not None:
            self._report(FaultKind.CLOSE, problem, None)

    def _checked(self, info: dict[str, Any], reward: float, action: Any) -> dict[str, Any]:
        """Return ``info`` with its reward components as numbers, or without them if they are none."""
        try:
            components = read_components(info[COMPONENTS])
        except EnvironmentFaulty as error:
            self._report(FaultKind.COMPONENTS, str(error), action)
            return {key: value for key, value in info.items() if key != COMPONENTS}
        if differs(components, reward):
            name = type(self.env.unwrapped).__name__
            self._report(FaultKind.COMPONENTS, describe_difference(components, reward, name), action)
        return {**info, COMPONENTS: components}

    def _report(self, kind: FaultKind, what: str, action: Any) -> None:
        fault = Fault(kind, what, None if action is None else brief_action(action), self._step)
        if self.listener is not None:
            self.listener(fault)
        elif kind is FaultKind.CLOSE:
            print(fault.sentence(), file=sys.stderr, flush=True)


def own_action(space: gymnasium.Space[Any], action: Any) -> Any:
    """Convert ``action`` to the form that ``space`` contains: an int, a NumPy integer, or an array of its type.

    An array is a copy. For a Box of integers, numbers are rounded.

    Raises:
        EnvironmentFaulty: A Discrete space does not contain the action: it belongs to another space.
    """
    if isinstance(space, spaces.Discrete):
        if type(action) is not int and not (isinstance(action, np.integer) and action.dtype == space.dtype):
            action = space.dtype.type(np.asarray(action).item())
        if not space.start <= action < space.start + space.n:
            raise EnvironmentFaulty(
                f"Action {action} is not in its action space, {space}. If its class was changed after the policy was "
                "trained, train again."
            )
        return action
    array = np.asarray(action)
    if isinstance(space, spaces.Box) and array.dtype.kind == "f" and space.dtype.kind in "iu":
        array = np.rint(array).clip(space.low.astype(np.float64), space.high.astype(np.float64))
    return np.array(array, dtype=space.dtype).reshape(space.shape or ())


def read_metadata(env: Env) -> dict[str, Any]:
    """Return the metadata of ``env`` as a dict that Gymnasium can use, with a valid ``render_fps`` or none."""
    found = getattr(env, "metadata", None)
    metadata = dict(found) if isinstance(found, Mapping) else {}
    if "render_fps" in metadata and (rate := as_rate(metadata.pop("render_fps"))) is not None:
        metadata["render_fps"] = rate
    return metadata


def as_rate(value: object) -> int | float | None:
    """Return ``value`` as frames per second, an int if possible, or None if it is not a rate."""
    try:
        rate = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    if not (np.isfinite(rate) and rate > 0):
        return None
    return int(rate) if rate == int(rate) else rate


def brief_action(action: Any) -> str:
    """Format an action for a message: ``2``, or ``[0.5, -1]``."""
    array = np.asarray(action)
    numbers = [
        f"{number:.4g}" if isinstance(number, float) else str(number) for number in array.reshape(-1)[:8].tolist()
    ]
    if not array.shape:
        return numbers[0]
    return f"[{', '.join(numbers)}{', …' if array.size > 8 else ''}]"


_HANGING: set[type] = set()
"""Environment classes whose ``close`` has timed out once. Later calls do not wait for it."""


def close_within(env: Env, seconds: float) -> str | None:
    """Close ``env`` in a separate thread, and wait at most ``seconds``.

    Returns:
        The problem, to follow "The environment"; None if it was closed.
    """
    problems: list[str] = []

    def close() -> None:
        try:
            env.close()
        except BaseException as error:
            said = "called sys.exit" if isinstance(error, SystemExit) else f"raised {summarize_error(error)}"
            problems.append(f"{said} in close()")

    thread = Thread(target=close, name="close-environment", daemon=True)
    thread.start()
    kind = type(env.unwrapped)
    thread.join(0 if kind in _HANGING else seconds)
    if thread.is_alive():
        _HANGING.add(kind)
        return f"did not return from close() within {seconds:g} seconds"
    return problems[0] if problems else None


def conforming_layer(env: Env) -> Conforming | None:
    """Return the layer of ``env`` that checks a user's environment, or None for other environments."""
    layer: Any = env
    while isinstance(layer, gymnasium.Wrapper):
        if isinstance(layer, Conforming):
            return layer
        layer = layer.env
    return None


class SplitReward(Wrapper):
    """Adds the reward components of one of Gymnasium's environments to the info of each step, and checks their sum.

    A subclass reads the terms of the reward from the environment's attributes, so it has no state for snapshots:
    ``rlviz.learning.environments.state`` skips it.
    """

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.listener: Listener | None = None
        self.inner: Any = self.unwrapped
        """The environment itself."""

    def before(self, action: Any) -> Any:
        """Return what ``split`` needs to know of the state before the step."""

    def split(self, before: Any, action: Any, terminated: bool) -> dict[str, float]:
        """Return the components of the reward of the step that was taken."""
        raise NotImplementedError

    def step(self, action: Any) -> Outcome:
        before = self.before(action)
        observation, reward, terminated, truncated, info = self.env.step(action)
        components = self.split(before, action, terminated)
        if self.listener is not None and differs(components, float(reward)):
            what = describe_difference(components, float(reward), type(self.inner).__name__)
            self.listener(Fault(FaultKind.COMPONENTS, what, brief_action(action)))
        info[COMPONENTS] = components
        return observation, float(reward), terminated, truncated, info


class ReportsFaults:
    """An environment of ours that reports odd behaviour itself."""

    listener: Listener | None = None


def listen(env: Env, listener: Listener | None) -> None:
    """Report odd behaviour of the environment to ``listener``, or to nothing if None."""
    layer: Any = env
    while isinstance(layer, gymnasium.Wrapper):
        if isinstance(layer, Conforming | SplitReward):
            layer.listener = listener
        layer = layer.env
    if isinstance(layer, ReportsFaults):
        layer.listener = listener


def _space_of(env: Env, name: str) -> gymnasium.Space[Any]:
    space = getattr(env, name, None)
    if not isinstance(space, gymnasium.Space):
        found = "is not set" if space is None else f"is {brief_value(space)}"
        raise EnvironmentFaulty(f"Its {name} {found}. Set it in __init__ to a space of gymnasium.spaces.")
    return space


def _check_reset(env: Env) -> None:
    """Raise EnvironmentFaulty if ``reset`` takes no seed, because no run could be repeated."""
    try:
        parameters = inspect.signature(env.reset).parameters
    except (TypeError, ValueError):
        return
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    if "seed" not in parameters and not takes_all:
        raise EnvironmentFaulty(
            "Its reset() takes no seed, as in old versions of Gym. Write reset(self, *, seed=None, options=None), and "
            "begin it with super().reset(seed=seed)."
        )


def _clean(info: Any) -> dict[str, Any]:
    """Return an info dictionary that the library can use; the user's own if nothing must be removed."""
    if info is None:
        return {}
    if not isinstance(info, Mapping):
        raise EnvironmentFaulty(f"returned {brief_value(info)} as its info; a dict is needed")
    success = info.get("is_success")
    is_odd = success is not None and not isinstance(success, bool | int | float | np.bool_ | np.number)
    if type(info) is dict and not is_odd and RESERVED.isdisjoint(info):
        return info
    left_out = RESERVED | {"is_success"} if is_odd else RESERVED
    return {key: value for key, value in info.items() if key not in left_out}


def _add_context(method: str, error: EnvironmentFaulty | SystemExit, action: Any = None) -> EnvironmentFaulty:
    """Add the method, and the action that led to it, to an error."""
    after = "" if action is None else f", after action {brief_action(action)}"
    if isinstance(error, EnvironmentFaulty):
        return EnvironmentFaulty(f"{method}() {error}{after}.")
    code = "" if error.code is None else error.code
    return EnvironmentFaulty(
        f"{method}() called sys.exit({code}){after}. An environment must not end its process; end the episode instead."
    )


def _wrong_outcome(found: Any) -> str:
    needed = "observation, reward, terminated, truncated, info"
    if isinstance(found, tuple | list) and len(found) == 4:
        return f"returned four values, as in old versions of Gym; return five: {needed}"
    count = f"{len(found)} values" if isinstance(found, tuple | list) else brief_value(found)
    return f"returned {count}; return five: {needed}"


def _kind_of_reward(reward: float) -> FaultKind:
    if np.isnan(reward):
        return FaultKind.REWARD_NAN
    return FaultKind.REWARD_INFINITE if np.isinf(reward) else FaultKind.REWARD_HUGE


class CountedFromZero(Wrapper):
    """Converts observations and actions to the library's numbering. Policies undo this when they play; see
    ``rlviz.learning.algorithms.policy``."""

    def __init__(self, env: Env, numbering: Numbering) -> None:
        super().__init__(env)
        self.agent_numbering = numbering
        self.observation_space = library_space(env.observation_space, is_action=False)
        self.action_space = library_space(env.action_space, is_action=True)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return self._seen(observation), info

    def step(self, action: Any) -> Outcome:
        own = self.agent_numbering.actions(np.asarray(action)[np.newaxis])[0]
        observation, reward, terminated, truncated, info = self.env.step(own)
        return self._seen(observation), float(reward), terminated, truncated, info

    def _seen(self, observation: Any) -> Any:
        return self.agent_numbering.observations(np.asarray(observation)[np.newaxis])[0]


def counted_from_zero(env: Env) -> Env:
    """Wrap ``env`` if the library cannot use its observations and actions as they are."""
    numbering = Numbering.from_spaces(env.observation_space, env.action_space)
    return env if numbering is None else CountedFromZero(env, numbering)


UNKNOWN = Space("Unknown")
"""Used for a space that was not described yet."""

MOST_COUNTED = 2**53 - 1
"""Largest number of elements of a space that are counted: integers in JSON are exact up to here."""

_KNOWN = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def describe_space(space: gymnasium.Space[Any], what: str) -> Space:
    """Describe a space. ``what`` is "observation" or "action". Raises EnvironmentFaulty if it cannot be used."""
    if not isinstance(space, _KNOWN):
        advice = ", or a Dict or Tuple of these" if what == "observation" else ""
        raise EnvironmentFaulty(
            f"Its {what} space is {type(space).__name__}. Use Box, Discrete, MultiDiscrete or MultiBinary{advice}."
        )
    if 0 in (space.shape or ()):
        raise EnvironmentFaulty(f"Its {what} space {space} has no numbers.")
    if what == "action" and isinstance(space, spaces.Box) and not np.isfinite([space.low, space.high]).all():
        raise EnvironmentFaulty(
            f"Its action space {space} has no bounds, which Stable-Baselines3 needs. Give it finite bounds, "
            "ideally -1 and 1."
        )
    kind = next(known.__name__ for known in _KNOWN if isinstance(space, known))
    counts = tuple(map(int, space.nvec.flat)) if isinstance(space, spaces.MultiDiscrete) else ()
    n = int(space.n) if isinstance(space, spaces.Discrete) else math.prod(counts) if counts else None
    return Space(
        kind,
        tuple(space.shape or ()),
        None if n is None else min(n, MOST_COUNTED),
        dtype=str(space.dtype),
        counts=counts,
        starts=_starts(space),
        is_bounded=_is_bounded(space),
    )


def check_spaces(custom: CustomEnvironment, env: gymnasium.Env[Any, Any]) -> None:
    """Raise EnvironmentFaulty if the spaces of ``env`` differ from the probed ones: the class has changed since."""
    for what, described, space in (
        ("observation", custom.observation_space, env.observation_space),
        ("action", custom.action_space, env.action_space),
    ):
        if described.kind == UNKNOWN.kind:
            continue
        now = describe_space(space, what)
        if _identity(now) != _identity(described):
            raise EnvironmentFaulty(
                f"Its {what} space was {_text(described)} and is now {_text(now)}: {custom.entry_point} was changed. "
                "Train a new run, or undo the change."
            )


def _identity(space: Space) -> tuple[object, ...]:
    """Return what a policy depends on."""
    return space.kind, space.shape, space.n, space.counts, space.dtype if space.kind == "Box" else ""


def _text(space: Space) -> str:
    if space.kind == "Discrete":
        return f"Discrete({space.n})"
    if space.kind == "MultiDiscrete":
        return f"MultiDiscrete({list(space.counts)})"
    return f"{space.kind}({' × '.join(map(str, space.shape)) or 'one number'}, {space.dtype})"


def _starts(space: gymnasium.Space[Any]) -> tuple[int, ...]:
    if isinstance(space, spaces.Discrete):
        starts: tuple[int, ...] = (int(space.start),)
    elif isinstance(space, spaces.MultiDiscrete):
        starts = tuple(int(start) for start in space.start.flat)
    else:
        return ()
    return starts if any(starts) else ()


def _is_bounded(space: gymnasium.Space[Any]) -> bool:
    if not isinstance(space, spaces.Box):
        return True
    return bool((np.isfinite(space.low) & np.isfinite(space.high) & (space.low < space.high)).all())
