"""The library trains without a running service."""

from __future__ import annotations

from pathlib import Path

import rlviz
from tests.support.training import QUICK


def test_a_run_is_trained_without_a_service(tmp_path: Path) -> None:
    run = rlviz.train(  # type: ignore[call-arg]
        total_timesteps=256, preset=None, hyperparameters=QUICK["ppo"], seed=7, runs_dir=tmp_path / "runs"
    )
    [listed] = rlviz.runs(tmp_path / "runs")
    assert (listed["id"], listed["seed"], listed["status"], listed["step"]) == (run.id, 7, "completed", 256)
