"""Counts visits to cells, and rewards the first visit in an episode, less the more episodes have been there.

Episodes from the archive are counted separately. Otherwise they would reduce the reward for places that the policy has
not learned to reach from the environment's own start.
"""

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

    A *place* is a cell in a stage of progress: its id is ``stage * cells + cell``. Without stages, places are cells.

    Args:
        cells: Number of cells of the world.
        environments: Number of environments that are played together.
        stages: Number of stages of progress.
    """

    def __init__(self, cells: int, environments: int, stages: int = 1) -> None:
        self._cells = cells
        self.steps: NDArray[np.int64] = np.zeros(cells, np.int64)
        """Steps that ended in each cell, and episodes that began there."""
        self.episodes: NDArray[np.int64] = np.zeros(cells, np.int64)
        """Episodes that visited each cell."""
        self.seen: list[set[int]] = [set() for _ in range(environments)]
        """Cells visited in the current episode of each environment."""
        self.place_steps: NDArray[np.int64] = np.zeros(cells * stages, np.int64)
        """Steps that ended in each place, and episodes that began there."""
        self._place_episodes: NDArray[np.int64] = np.zeros(cells * stages, np.int64)
        """Episodes from the environment's own start that visited each place."""
        self._archived_episodes: NDArray[np.int64] = np.zeros(cells * stages, np.int64)
        """Episodes from the archive that visited each place."""
        self._seen_places: list[set[int]] = [set() for _ in range(environments)]
        self.frames: list[tuple[int, NDArray[np.int64]]] = []
        """Earlier values of ``steps``, each with its environment step."""
        self._every = FIRST_FRAME
        self.total = 0
        """Number of cells that have been visited."""

    def place_of(self, cell: int, stage: int) -> int:
        return stage * self._cells + cell

    def parts_of(self, place: int) -> tuple[int, int]:
        """Return the cell and the stage of a place."""
        stage, cell = divmod(place, self._cells)
        return cell, stage

    def places_in(self, cell: int) -> range:
        """Return the places of a cell, one for each stage."""
        return range(cell, len(self.place_steps), self._cells)

    def begin_episode(self, index: int, cell: int | None, stage: int = 0, *, archived: bool = False) -> None:
        self.seen[index], self._seen_places[index] = set(), set()
        self.visit(index, cell, stage, archived=archived)

    def visit(self, index: int, cell: int | None, stage: int = 0, *, archived: bool = False) -> int:
        """Count a visit.

        Args:
            index: Index of the environment.
            cell: The cell; None is not counted.
            stage: The stage of progress.
            archived: Whether the episode began in the archive.

        Returns:
            How many episodes of the same kind have been in the place, or 0 if this one had been there before.
        """
        if cell is None:
            return 0
        place = self.place_of(cell, stage)
        self.steps[cell] += 1
        self.place_steps[place] += 1
        if place in self._seen_places[index]:
            return 0
        self._seen_places[index].add(place)
        episodes = self._archived_episodes if archived else self._place_episodes
        episodes[place] += 1
        if cell not in self.seen[index]:
            self.seen[index].add(cell)
            self.episodes[cell] += 1
            self.total += int(self.episodes[cell]) == 1
        return int(episodes[place])

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
            "places": (self.place_steps.copy(), self._place_episodes.copy(), list(map(sorted, self._seen_places))),
            "archived": self._archived_episodes.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. A fork may have another number of environments: their episodes begin unseen."""
        self.steps, self.episodes = state["steps"].copy(), state["episodes"].copy()
        self.seen = _refilled(map(set, state["seen"]), len(self.seen))
        self.frames, self._every = list(state["frames"]), state["every"]
        self.total = int(np.count_nonzero(self.episodes))
        # Snapshots of before stages have none. Their places are the cells of the first stage.
        steps, episodes, seen = state.get("places", (self.steps, self.episodes, state["seen"]))
        self.place_steps, self._place_episodes = _of_size(steps, self.place_steps), _of_size(episodes, self.place_steps)
        self._seen_places = _refilled(map(set, seen), len(self._seen_places))
        # Before episodes from the archive were counted separately, both kinds had one count.
        self._archived_episodes = _of_size(state.get("archived", episodes), self.place_steps)


def _refilled(sets: Iterable[set[int]], count: int) -> list[set[int]]:
    found = list(sets)
    return found if len(found) == count else [set() for _ in range(count)]


def _of_size(counts: NDArray[np.int64], old: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``counts`` with zeros behind, as long as ``old``."""
    return np.pad(counts, (0, len(old) - len(counts)))


def coverage_bonus(weight: float, episodes: int) -> float:
    """Return the reward for the first visit of an episode to a place: ``weight / √episodes``.

    Counts that decay by their square root are the bonus of model-based interval estimation (Strehl and Littman, 2008).

    Args:
        weight: Reward of the first visit of all.
        episodes: Episodes of the same kind that have visited the place, this one included; 0 after their first visit.
    """
    return weight / math.sqrt(episodes) if episodes else 0.0
