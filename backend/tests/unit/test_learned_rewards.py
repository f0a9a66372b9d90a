"""Comparison of a policy's predicted values with recorded rewards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.config import RunActor
from rlviz.domain.environment import LearnedRewards, RewardScale
from rlviz.learning.environments.custom import learned_rewards
from rlviz.stats.judging import Trajectory, surprise
from tests.support.training import make_run

BREAKOUT = {"env_id": "ALE/Breakout-v5", "algo": "dqn"}


@pytest.mark.parametrize(
    ("changes", "scale", "comparable", "has_td_errors", "says"),
    [
        ({}, "raw", True, True, None),
        ({"hyperparameters": {"gamma": 0.9, "normalize_rewards": True}}, "normalized", False, False, "normalised"),
        ({"env_id": "ALE/Pong-v5"}, "sign", True, True, "clipped"),
        (BREAKOUT, "sign", False, False, "lost life"),
        ({**BREAKOUT, "env_options": {"life_loss_ends_episode": False}}, "sign", True, True, "clipped"),
        (
            {**BREAKOUT, "env_options": {"life_loss_ends_episode": False, "clip_reward": False}},
            "raw",
            True,
            True,
            None,
        ),
        ({"algo": "sac", "env_id": "Pendulum-v1"}, "raw", True, False, "entropy"),
        ({"algo": "td3", "env_id": "Pendulum-v1"}, "raw", True, True, None),
        ({"algo": "random", "actor": RunActor.RANDOM}, "raw", True, False, None),
    ],
)
def test_predicted_values_are_compared_with_rewards_only_on_the_same_scale(
    tmp_path: Path, changes: dict[str, Any], scale: str, comparable: bool, has_td_errors: bool, says: str | None
) -> None:
    config = make_run(tmp_path, hyperparameters={"gamma": 0.9}).read_config()
    found = learned_rewards(config.model_copy(update=changes))
    assert (found.scale, found.comparable, found.has_td_errors) == (scale, comparable, has_td_errors)
    assert says in found.note if says is not None and found.note is not None else found.note is says


def test_surprise_is_measured_with_rewards_as_they_were_learned_from() -> None:
    played = Trajectory(np.array([np.nan, 7.0]), np.array([1.0, 0.0]), terminated=True, truncated=False)
    assert surprise(played, LearnedRewards(gamma=1.0))[-1] == 6.0
    assert surprise(played, LearnedRewards(gamma=1.0, scale=RewardScale.SIGN))[-1] == 0.0
