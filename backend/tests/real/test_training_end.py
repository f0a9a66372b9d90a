"""Training ends at the predicted step. Uses real Stable-Baselines3."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.training import column, make_run, rows
from tests.support.waiting import eventually

OLD_RUNS = Path(__file__).parents[1] / "fixtures" / "runs_v0_1_0"


CASES: list[tuple[str, int, dict[str, Any], int]] = [
    ("ppo", 200, {"n_envs": 2, "n_steps": 64}, 256),
    ("ppo", 256, {"n_envs": 2, "n_steps": 64}, 256),
    ("a2c", 101, {"n_envs": 3, "n_steps": 5}, 105),
    ("trpo", 129, {"n_envs": 1, "n_steps": 64}, 192),
    ("dqn", 201, {"n_envs": 3, "train_freq": 4}, 204),
    ("dqn", 200, {"n_envs": 1, "train_freq": 1}, 200),
    ("qrdqn", 150, {"n_envs": 1, "train_freq": 16}, 160),
    ("sac", 121, {"n_envs": 2, "train_freq": 1}, 122),
    ("td3", 101, {"n_envs": 1, "train_freq": 50}, 150),
    ("q-learning", 2_003, {"n_envs": 4}, 2_004),
]


def test_every_algorithm_has_a_case() -> None:
    assert {algo for algo, *_ in CASES} == set(ALGORITHMS.names())


def test_omitted_hyperparameters_have_their_defaults() -> None:
    assert ALGORITHMS.get("ppo").training_end(20_000, {"n_envs": 8}) == 2 * 8 * 2_048
    assert ALGORITHMS.get("ppo").training_end(20_000, {"n_envs": "many"}) == 20_000


def test_catalogued_runs_of_version_0_1_0_also_have_an_end_step() -> None:
    rows = {}
    for path in sorted(OLD_RUNS.iterdir()):
        if path.is_dir():
            row = row_of_folder(RunFolder.at(path))
            rows[row.id] = row
    completed = [row for row in rows.values() if row.state is RunStatus.COMPLETED and row.ended_early is None]
    assert completed
    assert all(row.end_step == row.step for row in completed)
    assert all(row.end_step >= max(row.step, row.total_timesteps) for row in rows.values())


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_the_catalogue_knows_how_long_an_update_takes(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo)
    assert row_of_folder(folder).update_seconds is None
    assert train_run(folder)
    seconds = column(folder, "time/update_seconds")
    assert seconds
    assert row_of_folder(folder).update_seconds == seconds[-1]


def test_a_worker_exits_if_its_run_folder_is_removed_and_continues_if_one_file_is(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=10_000_000)
    worker = Thread(target=train_run, args=(folder,), daemon=True)
    worker.start()
    eventually(lambda: len(rows(folder)) > 5, "rows")
    folder.lock_path.unlink()
    seen = len(rows(folder))
    eventually(lambda: len(rows(folder)) > seen + 5, "more rows")

    def removed() -> bool:
        shutil.rmtree(folder.path, ignore_errors=True)  # it fails where something is written on the way
        return not folder.path.exists()

    eventually(removed, "the end of the folder")
    worker.join(timeout=150)
    assert not worker.is_alive()
