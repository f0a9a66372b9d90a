"""Recorded updates for every kind of observation and action space."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.registry import load
from rlviz.learning.algorithms.experience import Rollout, recent_actions
from rlviz.learning.training.anatomy import AnatomyJournal
from rlviz.rundir.folder import RunFolder
from rlviz.server.metrics.service import read_anatomy
from tests.support.algorithms import small_model

NUMBERS = spaces.Box(-1, 1, (3,), np.float32)
TWO = spaces.Discrete(2)

ACTIONS: dict[str, spaces.Space[Any]] = {
    "discrete": spaces.Discrete(3),
    "discrete with a start": spaces.Discrete(3, start=1),
    "several choices": spaces.MultiDiscrete([3, 2]),
    "switches": spaces.MultiBinary(5),
    "a number": spaces.Box(-1, 1, (1,), np.float32),
    "numbers of float64": spaces.Box(-2, 2, (2,), np.float64),
    "numbers in rows": spaces.Box(-2, 2, (2, 2), np.float32),
}

OBSERVATIONS: dict[str, spaces.Space[Any]] = {
    "numbers": NUMBERS,
    "a state": spaces.Discrete(4),
    "several states": spaces.MultiDiscrete([3, 4]),
    "switches": spaces.MultiBinary(5),
    "switches in rows": spaces.MultiBinary([2, 3]),
    "bytes": spaces.Box(0, 255, (4,), np.uint8),
    "parts": spaces.Dict({"a": NUMBERS, "b": spaces.Discrete(3)}),
}


class Anything(gymnasium.Env[Any, Any]):
    """Returns samples of its observation space, and accepts any action of its action space."""

    def __init__(self, observations: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
        self.observation_space, self.action_space = observations, actions
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._steps += 1
        return self.observation_space.sample(), float(self._steps % 3), self._steps % 7 == 0, False, {}


def looked_into(tmp_path: Path, kind: str, observations: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
    """Collect a rollout, learn from it, and record that update."""
    model: Any = small_model(kind, Anything(observations, actions))
    folder = RunFolder(tmp_path, kind)
    folder.path.mkdir()
    journal = AnatomyJournal(folder, load(TD_ERRORS[kind]) if kind in TD_ERRORS else None)
    model.learn(32)
    if (rollout := Rollout.from_model(model)) is not None:
        _, callback = model._setup_learn(32)
        model.collect_rollouts(model.env, callback, model.rollout_buffer, n_rollout_steps=model.n_steps)
        rollout = Rollout.from_model(model)
        assert rollout is not None
        np.testing.assert_allclose(rollout.ratios(model), 1.0, atol=1e-4)
    taken = recent_actions(model, rollout)
    assert taken is not None
    journal.before_update(model)
    journal.after_update(model)
    journal.close()
    [update] = read_anatomy(folder, 10)
    assert len(update.actions) == update.components == taken.shape[1]
    assert (update.ratios is None) == (rollout is None)
    assert (update.td_errors is None) == (kind not in TD_ERRORS)


TD_ERRORS = {
    "dqn": "rlviz.learning.algorithms.experience:compute_q_network_errors",
    "qrdqn": "rlviz.learning.algorithms.experience:compute_quantile_errors",
    "sac": "rlviz.learning.algorithms.experience:compute_soft_critic_errors",
    "td3": "rlviz.learning.algorithms.experience:compute_twin_critic_errors",
}


@pytest.mark.parametrize("kind", ["ppo", "a2c", "trpo"])
def test_updates_are_recorded_for_multi_binary_actions(tmp_path: Path, kind: str) -> None:
    looked_into(tmp_path, kind, NUMBERS, spaces.MultiBinary(5))


@pytest.mark.parametrize("name", ACTIONS)
def test_updates_are_recorded_for_actions_of_every_kind(tmp_path: Path, name: str) -> None:
    looked_into(tmp_path, "ppo", NUMBERS, ACTIONS[name])


@pytest.mark.parametrize("name", OBSERVATIONS)
def test_updates_are_recorded_for_observations_of_every_kind(tmp_path: Path, name: str) -> None:
    looked_into(tmp_path, "ppo", OBSERVATIONS[name], TWO)


@pytest.mark.parametrize("kind", TD_ERRORS)
def test_td_errors_are_recorded_for_replay_buffer_algorithms(tmp_path: Path, kind: str) -> None:
    actions = ACTIONS["numbers in rows" if kind in ("sac", "td3") else "discrete"]
    looked_into(tmp_path, kind, OBSERVATIONS["parts"], actions)
