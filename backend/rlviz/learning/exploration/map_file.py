"""Writes ``map.json`` while a run trains, and keeps the path of its newest evaluated policy."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any

from rlviz.domain.errors import RunFolderError
from rlviz.domain.visits import EvaluatedPath, VisitFrame, VisitMap
from rlviz.learning.environments.cells import World, read_cell
from rlviz.learning.environments.wrappers import Env, Outcome, Wrapper
from rlviz.learning.exploration.bonuses import Exploring
from rlviz.rundir.files import atomic_write
from rlviz.rundir.folder import RunFolder

EVERY_SECONDS = 0.2
LARGEST_SHARE = 0.05
"""Largest share of the time that writing maps may take: a large world is written less often."""
LONGEST_PATH = 5_000
"""Most cells of a path; the rest of a longer episode is left out."""


class MapFile:
    """Replaces ``map.json`` up to five times a second while there are new visits. ``write_due`` is for the watcher."""

    def __init__(
        self, folder: RunFolder, exploring: Exploring, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._folder, self._exploring, self._monotonic = folder, exploring, monotonic
        self._due_at = float("-inf")
        self._written: tuple[int, EvaluatedPath | None] | None = None
        self._writing = Lock()

    def write_due(self) -> None:
        if self._monotonic() >= self._due_at:
            begun = self._monotonic()
            self._write(durable=False)
            self._due_at = begun + max(EVERY_SECONDS, (self._monotonic() - begun) / LARGEST_SHARE)

    def close(self) -> None:
        """Write what is new since, so that it survives a crash of the machine."""
        self._write(durable=True)

    def _write(self, *, durable: bool) -> None:
        now = self._exploring.step_count, self._exploring.path
        if now == self._written and not durable:
            return
        content = describe_visits(self._exploring)
        if content is None:
            return
        with self._writing, suppress(OSError, RunFolderError):  # the next one is tried, and training needs none
            with atomic_write(self._folder.map_path, self._folder.path, durable=durable) as file:
                file.write(content.model_dump_json().encode())
            self._written = now


def describe_visits(exploring: Exploring) -> VisitMap | None:
    """Return the map as it is now; None if visits are not counted."""
    visits = exploring.visits
    if visits is None:
        return None
    archive = exploring.archived_cells
    return VisitMap(
        step=exploring.step_count,
        visits=visits.steps.tolist(),
        episodes=visits.episodes.tolist(),
        frames=[VisitFrame(step=step, visits=steps.tolist()) for step, steps in tuple(visits.frames)],
        path=exploring.path,
        archive=list(archive),
        archive_weights=list(archive.values()),
    )


class PathKeeper:
    """Keeps the path of the first episode of each evaluation, for the map."""

    def __init__(self, world: World, exploring: Exploring) -> None:
        self._world, self._exploring = world, exploring
        self._watched: _WatchedPath | None = None

    def watch(self, env: Env) -> Env:
        """Return ``env``, watched if it is the first one: the one that plays the first episode."""
        if self._watched is not None:
            return env
        self._watched = _WatchedPath(env, self._world)
        return self._watched

    def begin(self) -> None:
        """Record the next episode."""
        if self._watched is not None:
            self._watched.is_due = True

    def finish(self, step: int) -> None:
        """Keep the recorded path as that of the policy of ``step``."""
        if self._watched is not None and self._watched.cells:
            self._exploring.path = EvaluatedPath(step=step, cells=list(self._watched.cells))


class _WatchedPath(Wrapper):
    """Records the cells of one episode once ``is_due`` is set."""

    def __init__(self, env: Env, world: World) -> None:
        super().__init__(env)
        self._world = world
        self.is_due = True
        self._records = False
        self.cells: list[int] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        found = self.env.reset(seed=seed, options=options)
        self._records, self.is_due = self.is_due, False
        if self._records:
            self.cells = []
            self._record()
        return found

    def step(self, action: Any) -> Outcome:
        outcome = self.env.step(action)
        if self._records:
            self._record()
        return outcome  # type: ignore[return-value]

    def _record(self) -> None:
        cell = read_cell(self._world, self.env)
        if cell is not None and self.cells[-1:] != [cell] and len(self.cells) < LONGEST_PATH:
            self.cells.append(cell)
