"""Checks what a user's environment returns against its own spaces: casts without loss, and refuses anything else.

Imports Gymnasium, so only workers may import it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rlviz.domain.errors import EnvironmentFaulty

Array = NDArray[Any]

TOLERANCE = 1e-6
"""How far, relative to a bound, an observation may exceed it without a report, because of rounding."""


class FaultKind(StrEnum):
    """A kind of odd behaviour of an environment."""

    REWARD_NAN = "reward is not a number"
    REWARD_INFINITE = "reward is infinite"
    REWARD_HUGE = "reward is huge"
    OBSERVATION_NAN = "observation is not a number"
    OBSERVATION_INFINITE = "observation is infinite"
    OBSERVATION_OUTSIDE = "observation is outside its space"
    COMPONENTS = "reward components are wrong"
    EXPRESSION = "an expression cannot be computed"
    CLOSE = "close() failed"

    @property
    def is_not_finite(self) -> bool:
        """Whether learning from it destroys the weights."""
        return self in _NOT_FINITE

    @property
    def may_ruin(self) -> bool:
        """Whether learning from it may destroy the weights: squares of huge numbers are infinite."""
        return self in _NOT_FINITE or self is FaultKind.REWARD_HUGE


_NOT_FINITE = frozenset(
    {
        FaultKind.REWARD_NAN,
        FaultKind.REWARD_INFINITE,
        FaultKind.OBSERVATION_NAN,
        FaultKind.OBSERVATION_INFINITE,
    }
)


class Problem(NamedTuple):
    """An observation that can be learned from, but should not be. ``what`` completes: "The environment returned …"."""

    kind: FaultKind
    what: str


class Observed(NamedTuple):
    """An observation with the type and shape of its space, and the problem with its values, if there is one."""

    observation: Any
    problem: Problem | None = None


Reader = Callable[[Any], Observed]
"""Raises EnvironmentFaulty for what cannot be learned from."""


def reader_of(space: gymnasium.Space[Any]) -> Reader:
    """Return a function that checks and casts elements of ``space``. Correct elements are returned unchanged."""
    match space:
        case spaces.Box():
            return _BoxReader(space)
        case spaces.Discrete():
            return _DiscreteReader(space)
        case spaces.MultiDiscrete():
            return _MultiDiscreteReader(space)
        case spaces.MultiBinary():
            return _MultiBinaryReader(space)
        case spaces.Dict():
            return _PartsReader({name: reader_of(part) for name, part in space.spaces.items()}, is_tuple=False)
        case spaces.Tuple():
            return _PartsReader(dict(enumerate(map(reader_of, space.spaces))), is_tuple=True)
    return Observed


class _BoxReader:
    def __init__(self, space: spaces.Box) -> None:
        self._dtype, self._shape = space.dtype, space.shape
        self._low, self._high = space.low, space.high
        if self._dtype == np.bool_:  # a bool has no values outside of its bounds
            self._holds_all = True
            return
        limits: Any = np.finfo(space.dtype) if self._is_real else np.iinfo(space.dtype)
        with np.errstate(all="ignore"):
            lowest, highest = _slackened(space.low, -1), _slackened(space.high, 1)
        # NaN and infinity are outside of these bounds too.
        self._lowest, self._highest = np.maximum(lowest, limits.min), np.minimum(highest, limits.max)
        self._holds_all = not self._is_real and bool(
            (self._lowest <= limits.min).all() and (self._highest >= limits.max).all()
        )

    def __call__(self, observation: Any) -> Observed:
        array = observation
        if type(array) is not np.ndarray or array.dtype != self._dtype or array.shape != self._shape:
            array = self._cast(observation)
        if self._holds_all or ((array >= self._lowest).all() and (array <= self._highest).all()):
            return Observed(array)
        return Observed(array, self._problem(array))

    @property
    def _is_real(self) -> bool:
        return bool(np.issubdtype(self._dtype, np.floating))

    def _cast(self, observation: Any) -> Array:
        array = _in_shape(observation, self._shape)
        if array.dtype == self._dtype:
            return array
        if self._is_real:
            with np.errstate(all="ignore"):
                return array.astype(self._dtype)
        _check_whole(array, self._dtype)
        return array.astype(self._dtype)

    def _problem(self, array: Array) -> Problem:
        rows = np.atleast_1d(array).reshape(-1)
        if np.isnan(rows).any():
            place = int(np.isnan(rows).argmax())
            return Problem(FaultKind.OBSERVATION_NAN, f"an observation whose number {place} is not a number (nan)")
        if np.isinf(rows).any():
            place = int(np.isinf(rows).argmax())
            return Problem(FaultKind.OBSERVATION_INFINITE, f"an observation whose number {place} is {rows[place]}")
        beyond = (rows < np.atleast_1d(self._lowest).reshape(-1)) | (rows > np.atleast_1d(self._highest).reshape(-1))
        place = int(beyond.argmax())
        low, high = (float(np.atleast_1d(bound).reshape(-1)[place]) for bound in (self._low, self._high))
        return Problem(
            FaultKind.OBSERVATION_OUTSIDE,
            f"an observation outside its space: number {place} is {rows[place]:g}, and its bounds are {low:g} and "
            f"{high:g}",
        )


class _DiscreteReader:
    def __init__(self, space: spaces.Discrete) -> None:
        self._first, self._last = int(space.start), int(space.start) + int(space.n) - 1

    def __call__(self, observation: Any) -> Observed:
        value = observation
        if type(value) is not int and not isinstance(value, np.integer):
            array = _in_shape(observation, ())
            _check_whole(array, np.dtype(np.int64))
            value = int(array)
        if not self._first <= value <= self._last:
            raise EnvironmentFaulty(f"returned {value}, but its observation space is {self._first} to {self._last}")
        return Observed(value)


class _MultiDiscreteReader:
    def __init__(self, space: spaces.MultiDiscrete) -> None:
        self._dtype, self._shape = space.dtype, space.shape
        self._first = space.start.astype(np.int64)
        self._last = self._first + space.nvec.astype(np.int64) - 1

    def __call__(self, observation: Any) -> Observed:
        array = observation
        if type(array) is not np.ndarray or array.dtype != self._dtype or array.shape != self._shape:
            array = _in_shape(observation, self._shape)
            _check_whole(array, self._dtype)
            array = array.astype(self._dtype)
        if not ((array >= self._first).all() and (array <= self._last).all()):
            place = int(((array < self._first) | (array > self._last)).argmax())
            raise EnvironmentFaulty(
                f"returned an observation outside its observation space: number {place} is "
                f"{array.flat[place]}, not within {self._first.flat[place]} to {self._last.flat[place]}"
            )
        return Observed(array)


class _MultiBinaryReader:
    def __init__(self, space: spaces.MultiBinary) -> None:
        self._dtype, self._shape = space.dtype, space.shape

    def __call__(self, observation: Any) -> Observed:
        array = observation
        if type(array) is not np.ndarray or array.dtype != self._dtype or array.shape != self._shape:
            array = _in_shape(observation, self._shape)
            _check_whole(array, self._dtype)
            array = array.astype(self._dtype)
        if ((array == 0) | (array == 1)).all():
            return Observed(array)
        found = f"an observation outside its space: one of its bits is {array[(array != 0) & (array != 1)].flat[0]}"
        return Observed(array, Problem(FaultKind.OBSERVATION_OUTSIDE, found))


class _PartsReader:
    """Reads a Dict, or a Tuple, whose parts are named by their indices."""

    def __init__(self, readers: Mapping[Any, Reader], *, is_tuple: bool) -> None:
        self._readers, self._is_tuple = readers, is_tuple

    def __call__(self, observation: Any) -> Observed:
        self._check(observation)
        parts, problem = {}, None
        for name, read in self._readers.items():
            try:
                part, found = read(observation[name])
            except EnvironmentFaulty as error:
                raise EnvironmentFaulty(f"{error}, in part {name!r}") from error
            parts[name] = part
            if found is not None and problem is None:
                problem = Problem(found.kind, f"{found.what}, in part {name!r}")
        return Observed(tuple(parts.values()) if self._is_tuple else parts, problem)

    def _check(self, observation: Any) -> None:
        if self._is_tuple:
            if not isinstance(observation, Sequence) or len(observation) != len(self._readers):
                raise EnvironmentFaulty(f"returned {brief(observation)}; a tuple of {len(self._readers)} is needed")
            return
        if not isinstance(observation, Mapping):
            raise EnvironmentFaulty(f"returned {brief(observation)}; a dict is needed")
        missing = [name for name in self._readers if name not in observation]
        if missing:
            raise EnvironmentFaulty(f"returned an observation without its part {missing[0]!r}")


def as_number(value: Any, what: str) -> float:
    """Convert ``value``, a number or an array of one element, to a float. Raises EnvironmentFaulty for others.

    ``what`` names the value: "reward".
    """
    try:
        array = _in_shape(value, ())
    except EnvironmentFaulty:
        raise EnvironmentFaulty(f"returned {brief(value)} as its {what}; one number is needed") from None
    return float(array)


def as_flag(value: Any, what: str) -> bool:
    """Convert ``value`` to a bool; None, 0 and 1 are accepted. Raises EnvironmentFaulty for text and arrays."""
    if value is None or isinstance(value, bool | np.bool_ | int | np.number):
        return bool(value)
    try:
        return bool(_in_shape(value, ()))
    except EnvironmentFaulty:
        raise EnvironmentFaulty(f"returned {brief(value)} as {what}; True or False is needed") from None


def brief(value: object) -> str:
    """Describe a value for a message; for an array, its type and shape."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} {_shape_text(value.shape)}"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _shape_text(shape: tuple[int, ...]) -> str:
    return f"of shape {' × '.join(map(str, shape))}" if shape else "without dimensions"


def _in_shape(value: Any, shape: tuple[int, ...]) -> Array:
    """Convert ``value`` to an array of that shape. Dimensions of length 1 may be missing or superfluous."""
    if hasattr(value, "detach"):  # NumPy cannot read a torch tensor whose gradient is recorded
        value = value.detach()
    try:
        array = np.asarray(value)
    except Exception as error:
        raise EnvironmentFaulty(f"returned {brief(value)}, which is not an array ({error})") from error
    if array.dtype.kind not in "biuf":
        raise EnvironmentFaulty(f"returned {brief(value)}; {_needed(shape)} is needed")
    if array.shape == shape:
        return array
    if array.size and _without_ones(array.shape) == _without_ones(shape):
        return array.reshape(shape)
    raise EnvironmentFaulty(f"returned {brief(array)}; its observation space needs {_needed(shape)}")


def _needed(shape: tuple[int, ...]) -> str:
    return f"an array of numbers {_shape_text(shape)}" if shape else "a number"


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(length for length in shape if length != 1)


def _check_whole(array: Array, dtype: np.dtype[Any]) -> None:
    """Raise EnvironmentFaulty unless all numbers in ``array`` fit into this type of integers or bools."""
    least, most = (0, 1) if dtype == np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    with np.errstate(all="ignore"):
        if array.dtype.kind == "f" and not (np.isfinite(array) & (np.rint(array) == array)).all():
            raise EnvironmentFaulty(
                f"returned numbers with fractions, which do not fit its observation space: its type is {dtype}"
            )
        if array.dtype.kind != "b" and not ((array >= least) & (array <= most)).all():
            raise EnvironmentFaulty(
                f"returned numbers from {array.min():g} to {array.max():g}, which do not fit its observation "
                f"space: its type is {dtype}"
            )


def _slackened(bounds: Array, sign: int) -> Array:
    """Move the bounds of a Box of real numbers outwards by the tolerance."""
    if not np.issubdtype(bounds.dtype, np.floating):
        return bounds
    moved = bounds + sign * TOLERANCE * np.maximum(np.abs(bounds), 1)
    return np.where(np.isfinite(bounds), moved, bounds).astype(bounds.dtype)
