"""``rlviz.train`` and the run that it returns."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest

import rlviz
from rlviz.domain.errors import ArtifactNotFound, NothingToPlay, RunNotFound
from tests.support.evaluations import ask_in_folder
from tests.support.run_folders import make_run
from tests.support.service_process import serving
from tests.support.training import QUICK

WISHES = {"total_timesteps": 256, "preset": None, "hyperparameters": QUICK["ppo"]}


def test_a_run_is_trained_read_and_played(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        run = rlviz.train(**WISHES, seed=7, runs_dir=service.runs_dir)  # type: ignore[arg-type]
        assert service.get(f"/runs/{run.id}")["status"] == "completed"
        [listed] = rlviz.runs(service.runs_dir)
    assert (listed["id"], listed["seed"], listed["status"], listed["step"]) == (run.id, 7, "completed", 256)
    assert listed["hyperparameters.n_steps"] == QUICK["ppo"]["n_steps"]
    assert run.config["seed"] == 7
    assert repr(run) == f"rlviz.Run('{run.id}')", "as a notebook shows it"
    metrics = run.metrics()
    assert {len(column) for column in metrics.values()} == {len(metrics["step"])}
    assert np.nanmean(metrics["episode/reward"]) > 0
    assert np.isnan(metrics["episode/reward"]).any(), "rows of other metrics"
    policy = rlviz.load_policy(run)
    observation, _ = gymnasium.make("CartPole-v1").reset(seed=0)
    action, _ = policy.predict(observation, deterministic=True)
    assert int(action) in (0, 1)
    assert policy.step == 256
    with pytest.raises(NothingToPlay, match="no best policy"):
        rlviz.load_policy(run.id, best=True, runs_dir=run.folder.path.parent)


def test_unknown_environments_and_runs_raise_errors(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="CartPole-v1"):
        rlviz.train("ppo", "CartPole-v7", runs_dir=tmp_path / "runs")
    with pytest.raises(RunNotFound):
        rlviz.Run("no-such-run", tmp_path / "runs")
    assert rlviz.runs(tmp_path / "runs") == []


def test_the_newest_kept_video_is_returned_and_its_absence_is_reported(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "ppo-a", status="completed")
    run = rlviz.Run("ppo-a", tmp_path)
    with pytest.raises(ArtifactNotFound, match="rlviz evaluate ppo-a"):
        run.video()
    first, second, _ = [ask_in_folder(folder, number) for number in (1, 2, 3)]
    for record in (first, second):
        folder.evaluations.video_path(record.id).write_bytes(b"mp4")
    assert run.video() == folder.evaluations.video_path(second.id)
