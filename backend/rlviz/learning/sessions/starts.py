"""Begins episodes of a session in a cell: within a recorded episode, or in a state from the archive of a snapshot.

From there on, the environment draws random numbers from the seed of the session's episode, so episodes differ where the
environment is random; otherwise a greedy policy repeats itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gymnasium.utils.seeding import np_random

from rlviz.domain.errors import NoOtherFuture, NothingToPlay
from rlviz.learning.environments.cells import CELL
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.make import make_training_environments
from rlviz.learning.environments.state import NotCapturable, begin_time_limit, restore_in_other
from rlviz.learning.exploration.archive import read_archived
from rlviz.learning.exploration.bonuses import task_of
from rlviz.learning.playing.futures import RecordedEpisode, read_episode
from rlviz.learning.playing.rollout import Env, Episode, Start
from rlviz.learning.records.reader import StepFile
from rlviz.learning.sessions.folder import ArchivedStart, RecordedStart
from rlviz.learning.training.snapshot.capture import read_archive
from rlviz.rundir.folder import RunFolder


def make_start(folder: RunFolder, plan: RecordedStart | ArchivedStart, alive: Callable[[], None]) -> Start:
    """Return where the episodes of a session of the run in ``folder`` begin. ``alive`` is called while it is reached.

    Raises NothingToPlay, and the errors of reading step records or a snapshot.
    """
    return _recorded(folder, plan, alive) if isinstance(plan, RecordedStart) else _archived(folder, plan)


class ReplayedStart:
    """A step of a recorded episode, reached by taking its actions from its seed."""

    def __init__(self, recorded: RecordedEpisode, index: int, alive: Callable[[], None]) -> None:
        self._recorded, self._index, self._alive = recorded, index, alive

    def restore_in(self, env: Env, seed: int) -> tuple[Any, dict[str, Any]]:
        """Replay the episode in ``env``. Raises NothingToPlay if the environment does not repeat it."""
        episode = Episode(env, 0, self._recorded.seed)
        step = episode.begin()
        for action in self._recorded.actions(self._index):
            self._check(self._recorded.differing_column(step))
            self._alive()
            step = episode.take_action(action)
        self._check(self._recorded.differing_column(step))
        begin_time_limit(env, seed)
        _seed_environment(env, seed)
        return step.observation, {CELL: step.cell}

    def _check(self, column: str | None) -> None:
        if column is not None:
            raise NothingToPlay(
                f"The environment did not repeat the recorded episode that leads to this cell: its {column} differed. "
                "Record another episode with an evaluation."
            )


class RestoredStart:
    """A state that the archive of a training run has captured.

    Args:
        state: The captured environment.
        observation: What the agent saw there.
        twin: An environment built as that of training, in which the state is restored first.
        cell: The cell.
    """

    def __init__(self, state: bytes, observation: Any, twin: Env, cell: int) -> None:
        self._state, self._observation, self._twin, self._cell = state, observation, twin, cell

    def restore_in(self, env: Env, seed: int) -> tuple[Any, dict[str, Any]]:
        """Restore the state in ``env``. Raises NothingToPlay if that is not possible here."""
        try:
            restore_in_other(env, self._twin, self._state, seed)
        except NotCapturable as error:
            raise NothingToPlay(f"The state of this cell cannot be restored. {error}") from error
        _seed_environment(env, seed)
        return self._observation, {CELL: self._cell}


def _recorded(folder: RunFolder, plan: RecordedStart, alive: Callable[[], None]) -> ReplayedStart:
    path = folder.evaluations.steps_path(plan.evaluation_id)
    try:
        with StepFile(path, folder.path) as file:
            return ReplayedStart(read_episode(file, plan.episode), plan.index, alive)
    except (FileNotFoundError, NoOtherFuture) as error:
        raise NothingToPlay(
            "The recorded episode that leads to this cell has been deleted meanwhile. Choose the cell again."
        ) from error


def _archived(folder: RunFolder, plan: ArchivedStart) -> RestoredStart:
    config = folder.read_config()
    exploration = read_archive(folder, plan.snapshot).state["counters"].get("exploration", {})
    world, found = find_environment(config).world, None
    if world is not None and exploration.get("task") == task_of(config, world.stages):
        found = read_archived(exploration["archive"], plan.cell, world.cells)
    if found is None:
        raise NothingToPlay(
            f"The archive of snapshot {plan.snapshot} has no state of this cell. Take a new snapshot, then try again."
        )
    twin: Env = make_training_environments(config, 1).envs[0]  # type: ignore[attr-defined]
    return RestoredStart(*found, twin, plan.cell)


def _seed_environment(env: Env, seed: int) -> None:
    env.unwrapped.np_random, _ = np_random(seed)
