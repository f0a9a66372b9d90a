"""Training with weighted and capped reward components resumes exactly."""

from __future__ import annotations

from pathlib import Path

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.reward_plan import RewardPlan
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import snapshots_of
from tests.support.resuming import cut, final_state, logged
from tests.support.training import column, make_run, snapshots

PLAN = RewardPlan(weights={"torque": 0.0}, caps={"speed": 5.0})


def test_training_with_weights_and_caps_resumes_exactly(tmp_path: Path) -> None:
    whole = make_run(
        tmp_path / "whole",
        env_id="Pendulum-v1",
        reward=PLAN,
        exploration=ExplorationPlan(novelty=0.5),
        snapshots=snapshots(every_steps=256),
        hyperparameters={"normalize_rewards": True},
    )
    train_run(whole)
    resumed = cut(whole, snapshots_of(whole)[0], tmp_path / "cut")  # within an episode, which has 200 steps
    train_run(resumed)
    assert final_state(resumed) == final_state(whole)
    assert [row for row in logged(resumed) if row[0] > 256] == [row for row in logged(whole) if row[0] > 256]
    parts = ("angle", "speed", "torque", "weighting")
    columns = [column(whole, f"reward/{name}") for name in parts]
    sums = [dict(zip(parts, values, strict=True)) for values in zip(*columns, strict=True)]
    assert sums
    for found, own in zip(sums, column(whole, "episode/reward"), strict=True):
        assert abs(found["angle"] + found["speed"] + found["torque"] - own) < 1e-3, "the return is the environment's"
        assert abs(found["weighting"] + found["torque"] + found["speed"] - max(found["speed"], -5.0)) < 1e-6
