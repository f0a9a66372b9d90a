"""Each metric is logged at the step that it describes. Uses real Stable-Baselines3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import make_run, rows

ROLLOUT = 128


def train(root: Path, algo: str, steps: int, **hyperparameters: Any) -> RunFolder:
    folder = make_run(root, algo=algo, total_timesteps=steps, hyperparameters=hyperparameters)
    assert train_run(folder)
    return folder


def points(folder: RunFolder, name: str) -> list[tuple[int, float]]:
    return [(row["step"], row["values"][name]) for row in rows(folder) if name in row["values"]]


def steps(folder: RunFolder, name: str) -> list[int]:
    return [step for step, _ in points(folder, name)]


@pytest.mark.parametrize("algo", ["ppo", "trpo"])
def test_each_update_is_logged_at_the_end_of_its_rollout_including_the_last_one(tmp_path: Path, algo: str) -> None:
    folder = train(tmp_path, algo, 2 * ROLLOUT, n_envs=2, n_steps=64)
    assert steps(folder, "train/value_loss") == [ROLLOUT, 2 * ROLLOUT]
    assert steps(folder, "rollout/ep_rew_mean") == [ROLLOUT, 2 * ROLLOUT]
    assert [updates for _, updates in points(folder, "train/n_updates")] in ([1, 2], [2, 4])  # of two passes each


@pytest.mark.parametrize("train_freq", [4, 50])
def test_updates_of_dqn_are_logged_where_they_happened(tmp_path: Path, train_freq: int) -> None:
    folder = train(tmp_path, "dqn", 600, train_freq=train_freq, gradient_steps=1)
    first = 100 // train_freq * train_freq  # learning starts after step 100
    updates = points(folder, "train/n_updates")
    assert updates
    assert [(step - first) / train_freq for step, _ in updates] == [count for _, count in updates]
    assert updates[-1][0] == 600
