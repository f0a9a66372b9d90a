"""Training with an archive resumes exactly in every environment with cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import ExplorationPlan
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import snapshots_of
from tests.support.resuming import cut, final_state, logged
from tests.support.training import column, make_run, snapshots

PLAN = ExplorationPlan(archive=0.7, imitation=3)
SHORT = {"max_episode_steps": 50}
WORLDS: dict[str, dict[str, Any]] = {
    "GameBoy/Lamplighter-v0": {"env_options": {**SHORT, "sticky_actions": 0.2}},
    "Taxi-v4": {},
    "CliffWalking-v1": {},
    "MountainCarContinuous-v0": {"total_timesteps": 5_120},
}


@pytest.mark.parametrize("env_id", WORLDS)
def test_training_with_an_archive_resumes_exactly(tmp_path: Path, env_id: str) -> None:
    if env_id.startswith("GameBoy"):
        pytest.importorskip("pyboy")
    changes = {"env_id": env_id, "total_timesteps": 1_280, **WORLDS[env_id]}
    whole = make_run(tmp_path / "whole", exploration=PLAN, snapshots=snapshots(every_steps=640), **changes)
    train_run(whole)
    assert column(whole, "explored/archive_return"), "an episode began in the archive"
    resumed = cut(whole, snapshots_of(whole)[0], tmp_path / "cut")
    train_run(resumed)
    assert final_state(resumed) == final_state(whole)
    assert [row for row in logged(resumed) if row[0] > 640] == [row for row in logged(whole) if row[0] > 640]
