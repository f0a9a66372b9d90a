"""The table of Q-learning as a file that can be drawn: ``q_table.json``."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import DummyVecEnv

from rlviz.algorithms.tabular import QLearning
from rlviz.domain.config import RunConfig
from rlviz.environments.custom import environment_of
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.folder import RunFolder


def write_q_table(folder: RunFolder, config: RunConfig, model: BaseAlgorithm) -> None:
    """Replace the file by what the table says now. Raises OSError.

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
    """A letter for each square of a grid world: S start, G goal, F free, H hole, C cliff. None for other worlds."""
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
    space = environment_of(config).action_space
    start = space.starts[0] if space.starts else 0
    return list(space.labels) or [str(start + place) for place in range(actions)]


def _environment(model: BaseAlgorithm) -> Any:
    environments = model.get_env()
    assert environments is not None
    inner = environments.unwrapped
    return inner.envs[0].unwrapped if isinstance(inner, DummyVecEnv) else None
