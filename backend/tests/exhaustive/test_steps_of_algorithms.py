"""Steps of each algorithm's rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import make_run, rows


def train(root: Path, algo: str, steps: int, **hyperparameters: Any) -> RunFolder:
    folder = make_run(root, algo=algo, total_timesteps=steps, hyperparameters=hyperparameters)
    assert train_run(folder)
    return folder


def points(folder: RunFolder, name: str) -> list[tuple[int, float]]:
    return [(row["step"], row["values"][name]) for row in rows(folder) if name in row["values"]]


def steps(folder: RunFolder, name: str) -> list[int]:
    return [step for step, _ in points(folder, name)]


@pytest.mark.parametrize("algo", ALGORITHMS.names())
def test_steps_never_go_back_and_no_value_is_written_twice_at_one(tmp_path: Path, algo: str) -> None:
    folder = train(tmp_path, algo, 512)
    assert [row["step"] for row in rows(folder)] == sorted(row["step"] for row in rows(folder))
    for name in {name for row in rows(folder) for name in row["values"] if not name.startswith("episode/")}:
        assert len(steps(folder, name)) == len(set(steps(folder, name))), name
