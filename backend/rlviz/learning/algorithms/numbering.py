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
    """The values of one space. ``starts``: the least value of each number, row by row; ``shape``: of one element.
    ``is_single``: they are single real numbers, which the library takes as rows of one. ``is_whole``: they are whole
    numbers for which the library gives real ones."""

    starts: tuple[int, ...]
    shape: tuple[int, ...]
    is_single: bool = False
    is_whole: bool = False

    @classmethod
    def of(cls, space: spaces.Space[Any], *, is_action: bool) -> Self | None:
        """None for a space whose elements the library takes as they are."""
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
        """Values of the environment, shape (n, *shape), as the library counts them: (n, numbers), or (n,) of a Discrete
        space."""
        array = np.asarray(values, dtype=np.float32 if self.is_whole else None)
        rows: NDArray[Any] = array.reshape(len(array), -1)
        if any(self.starts):
            rows = rows - np.array(self.starts)
        return rows if self.shape or self.is_single else rows[:, 0]

    def to_environment(self, values: Any) -> NDArray[Any]:
        """The other way round. Real numbers are rounded where the environment's are whole."""
        array = np.rint(values) if self.is_whole else np.asarray(values)
        rows: NDArray[Any] = array.reshape(len(array), -1)
        if any(self.starts):
            rows = rows + np.array(self.starts)
        return rows.reshape(len(array), *self.shape)


@dataclass(frozen=True)
class Numbering:
    """Of an environment's observations and actions. None: the library takes them as they are."""

    observation: Counted | None
    action: Counted | None

    @classmethod
    def of_spaces(cls, observation: spaces.Space[Any], action: spaces.Space[Any]) -> Self | None:
        """The numbering that an environment with these spaces needs; None if it needs none."""
        found = cls(Counted.of(observation, is_action=False), Counted.of(action, is_action=True))
        return None if found == cls(None, None) else found

    @classmethod
    def of_model(cls, model: Any) -> Self | None:
        """The numbering of the environments that a model trains in."""
        environments = model.get_env()
        if environments is None or not environments.has_attr(ATTRIBUTE):
            return None
        found: Self | None = environments.get_attr(ATTRIBUTE, indices=[0])[0]
        return found

    @classmethod
    def read(cls, file: IO[bytes]) -> Self | None:
        """The numbering of a saved policy; None if it has none."""
        with zipfile.ZipFile(file) as archive:
            if MEMBER not in archive.namelist():
                return None
            found = json.loads(archive.read(MEMBER))
        return cls(*(_counted(found[part]) for part in ("observation", "action")))

    def write(self, file: IO[bytes]) -> None:
        """Add it to the policy that was saved in ``file``."""
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(
                MEMBER, json.dumps({part: counted and vars(counted) for part, counted in vars(self).items()})
            )

    def observations(self, values: Any) -> Any:
        """A batch of the environment's observations as the library takes them."""
        return values if self.observation is None else self.observation.to_library(values)

    def actions(self, values: Any) -> Any:
        """A batch of the library's actions as the environment takes them."""
        return values if self.action is None else self.action.to_environment(values)

    def places(self, actions: Any) -> Any:
        """A batch of the environment's actions as the library counts them."""
        return actions if self.action is None else self.action.to_library(actions)


def library_space(space: spaces.Space[Any], *, is_action: bool) -> spaces.Space[Any]:
    """The space in which the library sees the elements of ``space``; ``space`` itself if it takes them as they are."""
    counted = Counted.of(space, is_action=is_action)
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
