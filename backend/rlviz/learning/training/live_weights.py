"""Writes files that viewers read during training: the newest weights, and the table of Q-learning.

Weights are only written while a viewer holds the lease, to ``live_weights_path`` of the run folder; the table goes to
``q_table.json``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from threading import Lock
from typing import Any

import numpy as np
import orjson
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import DummyVecEnv

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.learning.algorithms.policy import save_weights
from rlviz.learning.algorithms.tabular import QLearning
from rlviz.learning.environments.custom import find_environment
from rlviz.rundir.files import atomic_write, write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import LeaseWatch

LOOK_SECONDS = 0.25
"""How often the lease is read; a new viewer waits about that long."""

EVERY_SECONDS = 1.0
LARGEST_SHARE = 0.02
"""At most this share of training time: weights that take long to copy are copied less often."""


class LiveWeights:
    """Writes the newest weights while a viewer holds the lease.

    The training thread calls ``copy_weights`` from ``next_step`` on; ``write_due`` lowers it when weights are due.
    """

    def __init__(self, folder: RunFolder, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._lease = LeaseWatch(folder.lease_path, monotonic=monotonic)
        self._look_at = self._due_at = float("-inf")
        self._waiting: bytes | None = None
        self._writing = Lock()
        self.next_step = math.inf

    def write_due(self) -> None:
        """Write the copied weights, and decide whether newer ones are due. For the watcher's thread."""
        self._write()
        now = self._monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        if now >= self._due_at and self._lease.is_held():
            self.next_step = 0

    def copy_weights(self, model: BaseAlgorithm) -> None:
        """Copy the current weights into memory. For the training thread, which does not wait for the disk."""
        begun = self._monotonic()
        self._due_at, self.next_step = begun + EVERY_SECONDS, math.inf
        file = BytesIO()
        save_weights(model, file)
        spent = self._monotonic() - begun
        self._due_at = begun + max(EVERY_SECONDS, spent / LARGEST_SHARE)
        self._waiting = file.getvalue()

    def close(self) -> None:
        """Delete the weights: training has ended and the final model is saved."""
        with self._writing, suppress(OSError):
            self._waiting = None
            self._folder.live_weights_path.unlink(missing_ok=True)

    def _write(self) -> None:
        """Write the copied weights. A failure is ignored, and the file need not survive a crash of the host."""
        if self._waiting is None:
            return
        with self._writing, suppress(OSError, RunFolderError):
            waiting, self._waiting = self._waiting, None
            if waiting is not None:
                with atomic_write(self._folder.live_weights_path, self._folder.path, durable=False) as file:
                    file.write(waiting)


def write_q_table(folder: RunFolder, config: RunConfig, model: BaseAlgorithm) -> None:
    """Replace ``q_table.json`` by the current table. Raises OSError.

    ``shape`` and ``map`` are null unless the states are the squares of a grid, row by row.
    """
    assert isinstance(model, QLearning)
    policy = model.policy
    squares = grid(_environment(model))
    states, actions = policy.table.shape
    table = {
        "env_id": config.env_id,
        "step": model.num_timesteps,
        "states": states,
        "actions": _labels(config, actions),
        "shape": list(squares.shape) if squares is not None and squares.size == states else None,
        "map": ["".join(row) for row in squares] if squares is not None and squares.size == states else None,
        "q": policy.table.numpy(),
        "visits": policy.visits.numpy(),
        "terminal": policy.terminal.numpy().tolist(),
    }
    write_atomically(folder.q_table_path, orjson.dumps(table, option=orjson.OPT_SERIALIZE_NUMPY))


def grid(env: Any) -> np.ndarray[Any, np.dtype[np.str_]] | None:
    """Return a letter for each square of a grid world, or None for other environments.

    S is the start, G the goal, F free, H a hole, C the cliff.
    """
    squares = getattr(env, "desc", None)
    if squares is not None:
        return np.asarray(squares).astype("U1")
    cliff = getattr(env, "_cliff", None)
    if cliff is None:
        return None
    found = np.where(np.asarray(cliff), "C", "F")
    found[-1, 0], found[-1, -1] = "S", "G"
    return found


def _labels(config: RunConfig, actions: int) -> list[str]:
    space = find_environment(config).action_space
    start = space.starts[0] if space.starts else 0
    return list(space.labels) or [str(start + place) for place in range(actions)]


def _environment(model: BaseAlgorithm) -> Any:
    environments = model.get_env()
    assert environments is not None
    inner = environments.unwrapped
    return inner.envs[0].unwrapped if isinstance(inner, DummyVecEnv) else None
