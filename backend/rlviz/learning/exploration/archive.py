"""Keeps a state of the environment for each visited cell, from which later episodes of training may begin.

A place is a cell in a stage of progress (see ``Visits``).

This is the first phase of Go-Explore (Ecoffet et al., 2021), beside ordinary training: return to a cell that has seldom
been visited, then explore from there. The agent need not find the way there again in each episode.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from rlviz.domain.visits import archive_weights
from rlviz.learning.environments.state import TIME_LIMIT, NotCapturable, capture_environment, restore_environment
from rlviz.learning.environments.wrappers import Env
from rlviz.learning.exploration.memory import ARCHIVE_BYTES

REPLACE_EVERY = 200
"""Steps of an environment between two better ways to known cells that are saved. A state of the Game Boy takes as long
to save as 50 steps, and better ways are found all the time. A new cell and a new highest return are always saved."""

_LEVEL = 1

_LEFT_OUT = frozenset(
    {
        *("rewards", "needs_reset", "episode_returns", "episode_lengths", "episode_times", "total_steps", "t_start"),
        *("P", "initial_state_distrib", "_world", "_np_random"),
        *TIME_LIMIT,
    }
)
"""Attributes that are not part of an archived state: the library's Monitor counts from the start of the archived
episode on; tables of toy text and our description of cells never change; the generator continues, so that two episodes
from the same cell differ; and the time limit starts again: the way to a cell may have taken nearly all of it."""


@dataclass(frozen=True)
class Archived:
    """A state of the environment in a place.

    Attributes:
        blob: The compressed state and the observation.
        gained: Return of the environment from the start of the episode to the state.
        steps: Steps from the start of the episode to the state.
    """

    blob: bytes
    gained: float
    steps: int


class Archive:
    """The states of visited places, with the best way to each that was found.

    Args:
        environments: Number of environments that are played together.
        probability: Probability that an episode begins in the archive.
        seed: Seed of the generator that chooses places; it is used for nothing else.
        most_bytes: Limit on the bytes of all states; the places that are chosen least often are dropped.
        only: The only places that are kept, those of one cell; None: all visited places.
    """

    def __init__(
        self,
        environments: int,
        probability: float,
        seed: int,
        most_bytes: int = ARCHIVE_BYTES,
        *,
        only: Container[int] | None = None,
    ) -> None:
        self._probability, self._most_bytes, self._only = probability, most_bytes, only
        self._generator = np.random.default_rng(seed)
        self._states: dict[int, Archived] = {}
        self._bytes = 0
        self._highest = -math.inf
        """The highest return from the start of an episode to a state that was kept."""
        self.gained = np.zeros(environments)
        """Return of each current episode, from the start of the environment's own episode on."""
        self.steps = np.zeros(environments, np.int64)
        """Steps of each current episode, from the start of the environment's own episode on."""
        self.began_here = np.zeros(environments, bool)
        """Whether each current episode began in the archive."""
        self._replaced = np.full(environments, REPLACE_EVERY, np.int64)
        """Steps since each environment last replaced a state."""

    @property
    def places(self) -> list[int]:
        """The ids of the archived places, in order."""
        return sorted(self._states)

    @property
    def bytes(self) -> int:
        """Bytes of all states."""
        return self._bytes

    def add_step(self, rewards: NDArray[Any]) -> None:
        """Count a step of each environment, with its own ``rewards``."""
        self.gained += rewards
        self.steps += 1
        self._replaced += 1

    def begin_episode(self, index: int) -> None:
        """Note that the environment at ``index`` begins an episode at its own start."""
        self.gained[index], self.steps[index], self.began_here[index] = 0.0, 0, False

    def offer(self, index: int, place: int, env: Env, observation: Any, visits: NDArray[np.int64]) -> None:
        """Keep the state of ``env`` if its place is new, or if the way there is better than the one known.

        Args:
            index: Index of the environment.
            place: The place that it is in, within an episode.
            env: The environment between two steps.
            observation: What the agent sees there.
            visits: Visits to each place.
        """
        if self._only is not None and place not in self._only:
            return
        known, gained, steps = self._states.get(place), float(self.gained[index]), int(self.steps[index])
        if known is not None:
            if not _is_better(gained, steps, known):
                return
            if self._replaced[index] < REPLACE_EVERY and gained <= self._highest:
                return
            self._replaced[index] = 0
        elif self._is_full and visits[place] >= visits[max(self._states, key=visits.__getitem__)]:
            return  # it would be dropped at once
        state = capture_environment(env, without=_LEFT_OUT, canonical=True), np.array(observation)
        blob = zstandard.ZstdCompressor(_LEVEL).compress(pickle.dumps(state, pickle.HIGHEST_PROTOCOL))
        self._bytes += len(blob) - (len(known.blob) if known is not None else 0)
        self._states[place] = Archived(blob, gained, steps)
        self._highest = max(self._highest, gained)
        while self._bytes > self._most_bytes:
            self._drop(self._least_valuable(visits))

    def choose(self, visits: NDArray[np.int64]) -> int | None:
        """Return the place in which the next episode begins; None: at the environment's own start."""
        if not self._states or self._generator.random() >= self._probability:
            return None
        places = self.places
        bounds = np.cumsum(archive_weights(visits[places]))
        index = int(np.searchsorted(bounds, self._generator.random() * bounds[-1], side="right"))
        return places[min(index, len(places) - 1)]

    def restore_place(self, index: int, place: int, env: Env) -> Any:
        """Begin the episode of the environment at ``index`` in ``place``. Returns what the agent sees there.

        Raises:
            NotCapturable: The state cannot be restored, for example because another PyBoy saved it. It is dropped, and
                the environment must be reset.
        """
        found = self._states[place]
        state, observation = pickle.loads(zstandard.ZstdDecompressor().decompress(found.blob))
        generator = env.unwrapped.np_random.bit_generator.state
        try:
            restore_environment(env, state)
        except NotCapturable:
            self._drop(place)
            raise
        env.unwrapped.np_random.bit_generator.state = generator
        self.gained[index], self.steps[index], self.began_here[index] = found.gained, found.steps, True
        return observation

    @property
    def _is_full(self) -> bool:
        """Whether another state of the usual size exceeds the limit."""
        return bool(self._states) and self._bytes * (1 + 1 / len(self._states)) > self._most_bytes

    def _least_valuable(self, visits: NDArray[np.int64]) -> int:
        places = self.places
        return places[int(np.argmin(archive_weights(visits[places])))]

    def _drop(self, place: int) -> None:
        self._bytes -= len(self._states.pop(place).blob)

    def state(self) -> dict[str, Any]:
        return {
            "generator": self._generator.bit_generator.state,
            "states": [(place, one.blob, one.gained, one.steps) for place, one in sorted(self._states.items())],
            "gained": self.gained.copy(),
            "steps": self.steps.copy(),
            "began_here": self.began_here.copy(),
            "replaced": self._replaced.copy(),
            "highest": self._highest,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state`` with its places. A fork may keep only those of one cell."""
        self.restore_episodes(state)
        self._generator.bit_generator.state = state["generator"]
        self._states = {
            place: Archived(blob, gained, steps)
            for place, blob, gained, steps in state["states"]
            if self._only is None or place in self._only
        }
        self._highest = state["highest"]
        self._bytes = sum(len(one.blob) for one in self._states.values())

    def restore_episodes(self, state: dict[str, Any]) -> None:
        """Continue within the episodes of ``state``, but without its places. A fork may have another number of
        environments, which all begin at their own start."""
        if len(state["steps"]) == len(self.steps):
            self.gained, self.steps = state["gained"].copy(), state["steps"].copy()
            self.began_here, self._replaced = state["began_here"].copy(), state["replaced"].copy()
        else:
            for index in range(len(self.steps)):
                self.begin_episode(index)

    def join_episodes(self, rewards: list[list[float]]) -> None:
        """Continue within episodes that began at the environment's own start, when there was no archive.

        Args:
            rewards: For each environment, its own rewards since the start of its episode.
        """
        self.gained = np.array([sum(one) for one in rewards], dtype=float)
        self.steps = np.array([len(one) for one in rewards], np.int64)
        self.began_here[:] = False


def read_archived(state: Mapping[str, Any], cell: int, cells: int) -> tuple[bytes, Any] | None:
    """Return the captured environment and the observation of the best way to ``cell``, in any stage of progress.

    None if there is no state of the cell. The environment was captured without ``_LEFT_OUT``.

    Args:
        state: What ``Archive.state`` returned.
        cell: The cell.
        cells: Number of cells of the world.
    """
    ways = [(gained, -steps, blob) for place, blob, gained, steps in state["states"] if place % cells == cell]
    if not ways:
        return None
    *_, blob = max(ways, key=lambda way: way[:2])
    found: tuple[bytes, Any] = pickle.loads(zstandard.ZstdDecompressor().decompress(blob))
    return found


def _is_better(gained: float, steps: int, known: Archived) -> bool:
    """Return whether a way to a place replaces the known one: a higher return, or the same one on a shorter path."""
    if abs(gained - known.gained) > 1e-9 * max(1.0, abs(gained)):
        return gained > known.gained
    return steps < known.steps
