"""Converts between an environment's own values and those that Stable-Baselines3 expects.

The library counts values of Discrete and MultiDiscrete spaces from 0, expects MultiDiscrete values and actions in one
row, and a Box with at least one dimension. Environments may start at another number, use several rows, or return plain
numbers. SAC and TD3 scale actions to between -1 and 1 in the type of their space, which would lose integers, so the
library sees floats. Records, sessions and exports hold the environment's own values. Imports Gymnasium, so only workers
may import it.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from typing import IO, Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

MEMBER = "numbering.json"
"""The member of a policy's zip archive that holds its numbering. Stable-Baselines3 ignores it."""

ATTRIBUTE = "agent_numbering"
"""The attribute by which the outermost layer of a training environment offers its numbering."""


@dataclass(frozen=True)
class Counted:
    """Converts the values of one space.

    Args:
        starts: The smallest value of each number, row by row.
        shape: The shape of one element.
        is_single: Whether an element is a single real number; the library expects a row of one.
        is_whole: Whether the environment expects integers where the library returns real numbers.
    """

    starts: tuple[int, ...]
    shape: tuple[int, ...]
    is_single: bool = False
    is_whole: bool = False

    @classmethod
    def from_space(cls, space: spaces.Space[Any], *, is_action: bool) -> Self | None:
        """Describe ``space``; None if the library accepts its elements unchanged."""
        shape = tuple(space.shape or ())
        if isinstance(space, spaces.Discrete):
            starts: tuple[int, ...] = (int(space.start),)
        elif isinstance(space, spaces.MultiDiscrete):
            starts = tuple(int(start) for start in space.start.flat)
        elif isinstance(space, spaces.MultiBinary) and is_action:
            starts = (0,) * int(np.prod(shape))
        elif isinstance(space, spaces.Box):
            is_whole = is_action and space.dtype.kind in "iu"
            is_taken = not is_whole and (len(shape) == 1 or (bool(shape) and not is_action))
            return None if is_taken else cls((0,), shape, is_single=not shape, is_whole=is_whole)
        else:
            return None
        return cls(starts, shape) if any(starts) or len(shape) > 1 else None

    def to_library(self, values: Any) -> NDArray[Any]:
        """Convert values of the environment, shape (n, *shape), to the library's: (n, numbers), or (n,) if Discrete."""
        array = np.asarray(values, dtype=np.float32 if self.is_whole else None)
        rows: NDArray[Any] = array.reshape(len(array), -1)
        if any(self.starts):
            rows = rows - np.array(self.starts)
        return rows if self.shape or self.is_single else rows[:, 0]

    def to_environment(self, values: Any) -> NDArray[Any]:
        """Convert values of the library to the environment's. Real numbers are rounded if it expects integers."""
        array = np.rint(values) if self.is_whole else np.asarray(values)
        rows: NDArray[Any] = array.reshape(len(array), -1)
        if any(self.starts):
            rows = rows + np.array(self.starts)
        return rows.reshape(len(array), *self.shape)


@dataclass(frozen=True)
class Numbering:
    """The numbering of an environment's observations and actions; None for those that need no conversion."""

    observation: Counted | None
    action: Counted | None

    @classmethod
    def from_spaces(cls, observation: spaces.Space[Any], action: spaces.Space[Any]) -> Self | None:
        """Return the numbering that an environment with these spaces needs; None if it needs none."""
        found = cls(Counted.from_space(observation, is_action=False), Counted.from_space(action, is_action=True))
        return None if found == cls(None, None) else found

    @classmethod
    def from_model(cls, model: Any) -> Self | None:
        """Return the numbering of the environments that a model trains in."""
        environments = model.get_env()
        if environments is None or not environments.has_attr(ATTRIBUTE):
            return None
        found: Self | None = environments.get_attr(ATTRIBUTE, indices=[0])[0]
        return found

    @classmethod
    def read(cls, file: IO[bytes]) -> Self | None:
        """Read the numbering of a saved policy; None if it has none."""
        with zipfile.ZipFile(file) as archive:
            if MEMBER not in archive.namelist():
                return None
            found = json.loads(archive.read(MEMBER))
        return cls(*(_counted(found[part]) for part in ("observation", "action")))

    def write(self, file: IO[bytes]) -> None:
        """Add the numbering to the policy saved in ``file``."""
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(
                MEMBER, json.dumps({part: counted and vars(counted) for part, counted in vars(self).items()})
            )

    def observations(self, values: Any) -> Any:
        """Convert a batch of the environment's observations to the library's."""
        return values if self.observation is None else self.observation.to_library(values)

    def actions(self, values: Any) -> Any:
        """Convert a batch of the library's actions to the environment's."""
        return values if self.action is None else self.action.to_environment(values)

    def places(self, actions: Any) -> Any:
        """Convert a batch of the environment's actions to the library's."""
        return actions if self.action is None else self.action.to_library(actions)


def library_space(space: spaces.Space[Any], *, is_action: bool) -> spaces.Space[Any]:
    """Return the space that the library sees instead of ``space``, or ``space`` itself if it needs no conversion."""
    counted = Counted.from_space(space, is_action=is_action)
    if counted is None:
        return space
    if isinstance(space, spaces.Discrete):
        return spaces.Discrete(int(space.n))
    if isinstance(space, spaces.MultiDiscrete):
        return spaces.MultiDiscrete(space.nvec.reshape(-1).astype(np.int64))
    if isinstance(space, spaces.Box):
        kind = np.float32 if counted.is_whole else space.dtype.type
        return spaces.Box(space.low.reshape(-1).astype(kind), space.high.reshape(-1).astype(kind), dtype=kind)
    return spaces.MultiBinary(len(counted.starts))


def _counted(found: dict[str, Any] | None) -> Counted | None:
    return (
        None
        if found is None
        else Counted(tuple(found["starts"]), tuple(found["shape"]), found["is_single"], found["is_whole"])
    )
