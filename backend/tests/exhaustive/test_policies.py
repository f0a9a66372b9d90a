"""Saved models load in plain Stable-Baselines3, without this package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rlviz.learning.presets.catalog import preset_for
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import ENV_ID, checkpoints, make_run

STRANGER = """
import json, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("rlviz", "tests"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocker())
try:
    import rlviz
except ModuleNotFoundError:
    pass
else:
    sys.exit("rlviz can be imported")

import gymnasium, stable_baselines3, torch
torch.set_num_threads(1)
environment = gymnasium.make("CartPole-v1")
observation, _ = environment.reset(seed=0)
found = []
for algorithm, path in json.loads(sys.argv[1]):
    model = getattr(stable_baselines3, algorithm).load(path, env=environment)
    action, _ = model.predict(observation, deterministic=True)
    rate = model.lr_schedule(0.5)
    found.append([int(action), rate, model.num_timesteps])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, RunFolder]]:
    """A trained run of each algorithm, and of each preset with a schedule."""
    root = tmp_path_factory.mktemp("runs")
    folders = [(algo, make_run(root, algo=algo, checkpoints=checkpoints(every_steps=200))) for algo in ("ppo", "dqn")]
    scheduled = preset_for("fast", "ppo", ENV_ID)
    assert scheduled.hyperparameters["learning_rate_schedule"] == "linear"
    folder = make_run(
        root,
        "scheduled",
        hyperparameters={
            **scheduled.hyperparameters,
            "n_epochs": 1,
            "n_envs": 2,
            "n_steps": 128,
            "clip_range_schedule": "linear",
        },
        checkpoints=checkpoints(every_steps=200),
    )
    folders.append(("ppo", folder))
    for _, folder in folders:
        assert train_run(folder)
    return folders


def policies(folder: RunFolder) -> list[Path]:
    """Return the final model and the last checkpoint."""
    return [folder.model_path, folder.checkpoint_files()[-1][1]]


def test_models_and_checkpoints_load_and_predict_without_this_package(
    trained: list[tuple[str, RunFolder]], tmp_path: Path
) -> None:
    jobs = [(algo.upper(), str(path)) for algo, folder in trained for path in policies(folder)]
    stranger = subprocess.run(
        [sys.executable, "-c", STRANGER, json.dumps(jobs)], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert stranger.returncode == 0, stranger.stderr
    found = json.loads(stranger.stdout)
    assert len(found) == len(jobs) == 6
    assert {action for action, _, _ in found} <= {0, 1}
    assert [rate for _, rate, _ in found[-2:]] == [pytest.approx(1e-3 / 2)] * 2, "the schedule is there and falls"


def test_a_saved_model_records_how_far_it_was_trained(trained: list[tuple[str, RunFolder]]) -> None:
    from stable_baselines3 import DQN, PPO

    for algo, folder in trained:
        step, path = folder.checkpoint_files()[-1]
        loaded = {"ppo": PPO, "dqn": DQN}[algo].load(path, device="cpu")
        assert loaded.num_timesteps == step
