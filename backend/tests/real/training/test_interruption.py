"""A stop ends an update between two gradient steps. Uses real Stable-Baselines3."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.registry import load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training.builder import UpdateInterrupted, build_model, make_interruptible
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from tests.support.training import kinds, make_run, rows

REPLAY = ["dqn", "qrdqn", "sac", "td3"]
ROLLOUT = ["ppo", "trpo", "a2c"]


def model_of(folder: RunFolder, steps: int) -> BaseAlgorithm:
    """Return a model that has collected ``steps``; an off-policy one has not learned from them."""
    model = build_model(folder.read_config())
    model.learn(steps)
    return model


def weights(model: BaseAlgorithm) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.policy.state_dict().items()}


@pytest.mark.parametrize("algo", REPLAY)
def test_a_stop_after_n_gradient_steps_leaves_the_result_of_n_gradient_steps(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, hyperparameters={"learning_starts": 100, "gradient_steps": 10_000})
    stop, stopped, whole = Event(), model_of(folder, 40), model_of(folder, 40)
    sample, drawn = stopped.replay_buffer.sample, []  # type: ignore[attr-defined]

    def count(*arguments: Any, **keywords: Any) -> Any:
        drawn.append(1)
        if len(drawn) == 5:
            stop.set()  # during the fifth gradient step
        return sample(*arguments, **keywords)

    stopped.replay_buffer.sample = count  # type: ignore[attr-defined]
    make_interruptible(stopped, stop)
    _learn_from_the_same(stopped, 10_000, interrupted=True)
    _learn_from_the_same(whole, 5, interrupted=False)
    assert len(drawn) == 5
    for name, value in weights(whole).items():
        torch.testing.assert_close(weights(stopped)[name], value, rtol=0, atol=0, msg=name)


def _learn_from_the_same(model: Any, gradient_steps: int, *, interrupted: bool) -> None:
    model.set_random_seed(7)
    if interrupted:
        with pytest.raises(UpdateInterrupted):
            model.train(gradient_steps, 16)
    else:
        model.train(gradient_steps, 16)


@pytest.mark.parametrize("algo", ["ppo", "trpo"])
def test_a_stop_ends_the_passes_over_a_rollout(tmp_path: Path, algo: str) -> None:
    passes = {"n_epochs": 100} if algo == "ppo" else {"n_critic_updates": 100}
    model: Any = build_model(make_run(tmp_path, algo=algo, hyperparameters={**passes, "batch_size": 8}).read_config())
    stop, taken = Event(), []
    get = model.rollout_buffer.get

    def count(batch_size: int | None = None) -> Any:
        for minibatch in get(batch_size):
            taken.append(1)
            if len(taken) == 20:
                stop.set()
            yield minibatch

    model.rollout_buffer.get = count
    make_interruptible(model, stop)
    with pytest.raises(UpdateInterrupted):
        model.learn(128)
    assert len(taken) == 20


def stop_within_an_update(tmp_path: Path, algo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    longest = {"gradient_steps": 10_000, "train_freq": 1} if algo in REPLAY else {}
    folder = make_run(tmp_path, algo=algo, total_timesteps=1_000_000, hyperparameters=longest)
    model_class = load(ALGORITHMS.get(algo).model_class)
    update, begun = model_class.train, []

    def train(model: BaseAlgorithm, *arguments: Any, **keywords: Any) -> None:
        begun.append(model.num_timesteps)
        folder.write_control(Control(desired=Desired.STOP))
        while True:
            update(model, *arguments, **keywords)  # again and again until the watcher has read the file

    monkeypatch.setattr(model_class, "train", train)
    assert train_run(folder)
    assert len(begun) == 1
    assert kinds(folder) == ["started", "stopped"]
    policy = model_class.load(folder.model_path, device="cpu")
    assert policy.num_timesteps == begun[0]
    policy.predict(policy.observation_space.sample())
    assert not any("train/n_updates" in row["values"] for row in rows(folder)), "of an update that was not finished"


@pytest.mark.parametrize("algo", ["dqn", "ppo"])
def test_a_run_stopped_within_an_update_ends_stopped_with_a_usable_policy(
    tmp_path: Path, algo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_within_an_update(tmp_path, algo, monkeypatch)
