"""Rollbacks of a training run to a snapshot, by request or by a rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.rules import Rule
from rlviz.domain.spaces import Space
from rlviz.learning.training.callback import RunCallback
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot
from tests.support.stubborn import Iterating
from tests.support.training import events, kinds, make_run, messages, snapshots

ITERATING = CustomEnvironment(
    entry_point=f"{Iterating.__module__}:{Iterating.__name__}",
    summary="",
    observation_space=Space("Box", shape=(2,)),
    action_space=Space("Discrete", n=2),
    reward_threshold=None,
    max_episode_steps=30,
    render_fps=10,
    state_kept_by=StateKept.REPLAY,
).model_dump()


CASES: dict[str, dict[str, Any]] = {
    "ppo": {"hyperparameters": {"learning_rate_schedule": "linear"}},
    "ppo-normalized": {
        "env_id": "Pendulum-v1",
        "hyperparameters": {"normalize_observations": True, "normalize_rewards": True},
    },
    "ppo-lander": {"env_id": "LunarLander-v3"},
    "dqn": {"evaluation": {"every_steps": 150, "episodes": 1, "stop_after": None}},
    "dqn-wrapped-buffer": {"env_id": "Acrobot-v1", "hyperparameters": {"buffer_size": 150, "n_envs": 2}},
    "dqn-observations-once": {"hyperparameters": {"optimize_memory_usage": True, "buffer_size": 250}},
    "dqn-custom": {"env_id": "Iterating", "custom_environment": ITERATING},
    "sac-gsde": {"env_id": "MountainCarContinuous-v0", "hyperparameters": {"use_sde": True}},
    "td3-noise": {"hyperparameters": {"action_noise": "ornstein-uhlenbeck", "n_envs": 2}},
    "q-learning": {"total_timesteps": 6_000},
}


def make(root: Path, name: str) -> RunFolder:
    config = {"total_timesteps": 700, "snapshots": snapshots(every_steps=100, keep=100), **CASES[name]}
    algo = name if name == "q-learning" else name.partition("-")[0]
    return make_run(root, name, algo=algo, **{**config, "hyperparameters": dict(config.get("hyperparameters", {}))})


def going_back(*, forgetting: bool = False) -> Callable[[RunCallback], None]:
    """Return an action that requests a rollback to the oldest snapshot in memory, which is then read from memory or
    disk.
    """

    def go(callback: RunCallback) -> None:
        assert callback.snapshots is not None
        assert callback.rollbacks is not None
        callback.snapshots.flush()
        name = str(callback.snapshots._memory._kept[0][1].captured.step)
        if forgetting:
            callback.snapshots._memory._kept.clear()
        callback.rollbacks.request(name)

    return go


def test_a_rollback_appears_as_a_new_attempt_and_later_rows_are_discarded(
    tmp_path: Path, at: Callable[..., None]
) -> None:
    folder = make(tmp_path, "ppo")
    at(450, going_back())
    assert train_run(folder)
    assert kinds(folder) == ["started", "started", "rollback", "finished"]
    assert [event.data.attempt for event in events(folder) if event.event in ("started", "finished")] == [1, 2, 2]  # type: ignore[union-attr]
    newest = newest_usable_snapshot(folder)
    assert newest is not None
    assert (newest.manifest.step, newest.manifest.attempt) == (768, 2)


def test_a_missing_snapshot_raises_a_warning_and_training_continues(tmp_path: Path, at: Callable[..., None]) -> None:
    folder = make(tmp_path, "ppo")
    at(300, lambda callback: callback.rollbacks.request("none-such"))  # type: ignore[union-attr]
    assert train_run(folder)
    assert "could not roll back to snapshot none-such" in messages(folder)[0]
    assert kinds(folder)[-1] == "finished"


def rule(when: dict[str, Any], *do: dict[str, Any], **more: Any) -> Rule:
    return Rule.model_validate({"when": when, "do": do, **more})


def poisoned(monkeypatch: pytest.MonkeyPatch, step: int, times: int) -> None:
    """Make weights non-finite whenever training passes ``step``, a given number of times."""
    original, left = RunCallback._on_step, [times]

    def on_step(self: RunCallback) -> bool:
        weights = next(iter(self.model.policy.parameters()))
        if self.num_timesteps >= step and left[0] > 0 and weights.isfinite().all():
            left[0] -= 1
            weights.data.fill_(torch.nan)
        return original(self)

    monkeypatch.setattr(RunCallback, "_on_step", on_step)


def test_a_rule_rolls_back_up_to_its_limit_and_then_the_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = rule({"kind": "not_finite"}, {"kind": "roll_back"}, at_most=2)
    folder = make_run(tmp_path, total_timesteps=700, snapshots=snapshots(every_steps=100, keep=100), rules=[back])
    poisoned(monkeypatch, 450, 10)
    assert not train_run(folder)
    assert kinds(folder).count("rollback") == 2
    assert kinds(folder)[-1] == "error"
