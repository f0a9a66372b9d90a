"""Journal rows of reward components, also after a resume."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.learning.records.reader import StepFile
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import snapshots_of
from tests.support.resuming import cut, logged
from tests.support.training import make_run, rows, snapshots


def test_a_lander_run_journals_the_components_of_each_return(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path / "runs",
        env_id="LunarLander-v3",
        total_timesteps=384,
        evaluation=EvaluationPlan(every_steps=256, episodes=1, stop_after=None),
        snapshots=snapshots(every_steps=200, keep=5),
    )
    assert train_run(folder)
    episodes = [row["values"] for row in rows(folder) if "episode/reward" in row["values"]]
    assert episodes
    for values in episodes:
        parts = {name: value for name, value in values.items() if name.startswith("reward/")}
        assert set(parts) == {
            f"reward/{name}" for name in ("approach", "main_engine", "side_engine", "landing", "crash")
        }
        assert sum(parts.values()) == pytest.approx(values["episode/reward"], abs=1e-3)

    again = cut(folder, snapshots_of(folder)[0], tmp_path / "again")
    assert train_run(again)
    assert logged(again) == logged(folder)

    path = min((folder.path / "eval").glob("*.steps.parquet"))
    with StepFile(path, folder.path) as file:
        columns = file.read([name for name in file.names if name.startswith("reward")], file.groups())
    reward = columns.pop("reward")
    assert len(columns) == 5
    total = np.sum([column.numbers for column in columns.values()], axis=0)
    assert total[reward.present] == pytest.approx(reward.numbers[reward.present], abs=1e-3)
