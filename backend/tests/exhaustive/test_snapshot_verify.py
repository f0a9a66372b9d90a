"""Verification of snapshots in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.training.snapshot import restore
from rlviz.learning.training.snapshot.verify import verify_snapshot
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from tests.support.training import make_run, snapshots


def trained(root: Path, algo: str, env_id: str, hyperparameters: dict[str, Any] | None = None) -> tuple[RunFolder, str]:
    """A run, and the name of its last snapshot during training, or of its end if training was faster."""
    folder = make_run(
        root,
        algo=algo,
        env_id=env_id,
        hyperparameters=hyperparameters or {},
        total_timesteps=600,
        snapshots=snapshots(every_steps=200, keep=5),
    )
    assert train_run(folder)
    found = snapshots_of(folder)
    return folder, ([one for one in found if one.manifest.point == "rollout"] or found)[-1].name


@pytest.mark.parametrize(
    ("algo", "env_id", "hyperparameters"),
    [
        ("ppo", "Pendulum-v1", {"normalize_observations": True, "normalize_rewards": True}),
        ("q-learning", "FrozenLake-v1", {}),
        ("sac", "MountainCarContinuous-v0", {"use_sde": True}),
        ("td3", "Pendulum-v1", {"action_noise": "ornstein-uhlenbeck", "n_envs": 2}),
        ("dqn", "CartPole-v1", {"optimize_memory_usage": True, "buffer_size": 250}),
        ("dqn", "LunarLander-v3", {}),
    ],
)
def test_every_part_of_a_snapshot_is_restored_unchanged(
    tmp_path: Path, algo: str, env_id: str, hyperparameters: dict[str, Any]
) -> None:
    found = verify_snapshot(*trained(tmp_path, algo, env_id, hyperparameters))
    assert (found.cause, found.first_difference) == (None, None)
    assert (found.identical, found.exact) == (True, True)


@pytest.mark.parametrize(
    ("step", "part"),
    [
        ("restore_attributes", "model"),
        ("restore_tensors", "model"),
        ("restore_generators", "generators"),
        ("restore_environments", "environments"),
        ("restore_replay", "replay"),
    ],
)
def test_a_part_that_is_not_restored_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, part: str
) -> None:
    folder, name = trained(tmp_path, "dqn", "CartPole-v1")
    monkeypatch.setattr(restore, step, lambda *_: {})
    found = verify_snapshot(folder, name)
    assert (found.whole, found.identical, found.exact) == (True, False, False)
    assert part in [one.name for one in found.parts if not one.identical]
    assert found.first_difference is not None
