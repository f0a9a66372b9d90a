"""Steps of metrics with other algorithms and with stops within a rollout."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.real.test_metric_steps import points, steps, train
from tests.support.training import make_run


def test_a2c_logs_a_row_for_every_hundredth_update_and_the_last(tmp_path: Path) -> None:
    folder = train(tmp_path, "a2c", 2_050, n_envs=2, n_steps=5)
    assert points(folder, "train/n_updates") == [(1_000, 100), (2_000, 200), (2_050, 205)]
    assert steps(folder, "rollout/ep_rew_mean") == [1_000, 2_000]


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_a_run_stopped_within_a_rollout_logs_no_update_at_a_wrong_step(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=100_000)
    stop_after(folder, 300)
    complete = make_run(tmp_path, "complete", algo=algo, total_timesteps=100_000)
    stop_after(complete, 900)
    assert set(points(folder, "train/n_updates")) <= set(points(complete, "train/n_updates"))


def stop_after(folder: RunFolder, step: int) -> None:
    """Train, and stop at ``step``."""
    from rlviz.learning.training.callback import RunCallback

    on_step = RunCallback._on_step

    def stopping(self: RunCallback) -> bool:
        if self.num_timesteps >= step:
            self._stop.set()
        return on_step(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunCallback, "_on_step", stopping)
        assert train_run(folder)
