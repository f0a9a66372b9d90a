"""A Game Boy run continues exactly from a snapshot."""

from __future__ import annotations

from pathlib import Path

from rlviz.learning.environments.gameboy.family import LAMPLIGHTER
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import snapshots_of
from tests.support.resuming import cut, final_state, logged
from tests.support.training import kinds, make_run, messages, snapshots


def test_two_hundred_steps_are_trained_and_continued_from_a_snapshot_exactly(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path / "whole",
        env_id=LAMPLIGHTER.id,
        env_options={"sticky_actions": 0.1, "max_episode_steps": 60},
        total_timesteps=256,
        hyperparameters={"n_steps": 32, "batch_size": 64},
        snapshots=snapshots(every_steps=128),
    )
    assert train_run(folder)
    assert kinds(folder)[-1] == "finished"
    snapshot = snapshots_of(folder)[0]
    assert snapshot.manifest.exact, snapshot.manifest.not_exact_because
    continued = cut(folder, snapshot, tmp_path / "cut")
    assert train_run(continued)
    assert messages(continued) == []
    assert logged(continued) == logged(folder)
    assert final_state(continued) == final_state(folder)
