"""Counts visits to cells, and rewards the first visit in an episode, less the more episodes have been there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

FRAMES = 16
"""Most earlier maps that are kept."""
FIRST_FRAME = 1_000
"""Environment steps between two of them at first; they double whenever FRAMES are kept."""


class Visits:
    """How often each cell was visited since training began, and now and then what the map looked like.

    Args:
        cells: Number of cells of the world.
        environments: Number of environments that are played together.
    """

    def __init__(self, cells: int, environments: int) -> None:
        self.steps: NDArray[np.int64] = np.zeros(cells, np.int64)
        """Steps that ended in each cell, and episodes that began there."""
        self.episodes: NDArray[np.int64] = np.zeros(cells, np.int64)
        """Episodes that visited each cell."""
        self.seen: list[set[int]] = [set() for _ in range(environments)]
        """Cells visited in the current episode of each environment."""
        self.frames: list[tuple[int, NDArray[np.int64]]] = []
        """Earlier values of ``steps``, each with its environment step."""
        self._every = FIRST_FRAME
        self.total = 0
        """Number of cells that have been visited."""

    def begin_episode(self, index: int, cell: int | None) -> None:
        self.seen[index] = set()
        self.visit(index, cell)

    def visit(self, index: int, cell: int | None) -> int:
        """Count a visit. Returns how many episodes have been in the cell if it is the episode's first visit, else 0."""
        if cell is None:
            return 0
        self.steps[cell] += 1
        if cell in self.seen[index]:
            return 0
        self.seen[index].add(cell)
        self.episodes[cell] += 1
        found = int(self.episodes[cell])
        self.total += found == 1
        return found

    def keep_frame(self, step: int) -> None:
        """Keep a copy of the counts if one is due at ``step``."""
        if step < (self.frames[-1][0] if self.frames else 0) + self._every:
            return
        self.frames.append((step, self.steps.copy()))
        if len(self.frames) == FRAMES:
            self.frames = self.frames[1::2]
            self._every *= 2

    def state(self) -> dict[str, Any]:
        return {
            "steps": self.steps.copy(),
            "episodes": self.episodes.copy(),
            "seen": [sorted(cells) for cells in self.seen],
            "frames": list(self.frames),
            "every": self._every,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. A fork may have another number of environments: their episodes begin unseen."""
        self.steps, self.episodes = state["steps"].copy(), state["episodes"].copy()
        self.seen = _refilled(map(set, state["seen"]), len(self.seen))
        self.frames, self._every = list(state["frames"]), state["every"]
        self.total = int(np.count_nonzero(self.episodes))


def _refilled(sets: Iterable[set[int]], count: int) -> list[set[int]]:
    found = list(sets)
    return found if len(found) == count else [set() for _ in range(count)]


def coverage_bonus(weight: float, episodes: int) -> float:
    """Return the reward for the first visit of an episode to a cell: ``weight / √episodes``.

    Counts that decay by their square root are the bonus of model-based interval estimation (Strehl and Littman, 2008).

    Args:
        weight: Reward of the first visit of all.
        episodes: Episodes that have visited the cell, this one included; 0 if this is not the episode's first visit.
    """
    return weight / math.sqrt(episodes) if episodes else 0.0
