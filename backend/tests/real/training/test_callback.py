"""The training callback at each step: episodes, rates and stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import gymnasium
import pytest
import torch
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.env_util import make_vec_env

from rlviz.domain.config import CheckpointPlan
from rlviz.learning.training.callback import JournalOutput, RunCallback, RunLogger
from rlviz.learning.training.checkpoint import Checkpoints
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.folder import RunFolder
from tests.support.training import column, rows

NEVER = CheckpointPlan(every_steps=1_000_000, every_seconds=86_400)


class Watched(gymnasium.Wrapper[Any, Any, Any, Any]):
    """CartPole that counts the steps of all its copies, and calls ``on_step`` with the count."""

    steps = 0
    on_step: Callable[[int], None] = staticmethod(lambda _count: None)

    def step(self, action: Any) -> Any:
        Watched.steps += 1
        Watched.on_step(Watched.steps)
        return super().step(action)


@pytest.fixture(autouse=True)
def _fresh_start() -> Iterator[None]:
    torch.set_num_threads(1)
    Watched.steps, Watched.on_step = 0, staticmethod(lambda _count: None)
    yield
    Watched.on_step = staticmethod(lambda _count: None)


def model(algo: str, *, environments: int = 1, episode_length: int | None = None) -> BaseAlgorithm:
    envs = make_vec_env(
        lambda: Watched(gymnasium.make("CartPole-v1", max_episode_steps=episode_length)), n_envs=environments, seed=1
    )
    if algo == "ppo":
        return PPO("MlpPolicy", envs, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu")
    return DQN("MlpPolicy", envs, learning_starts=20, train_freq=16, batch_size=8, seed=1, device="cpu")


def learn(
    model: BaseAlgorithm, folder: RunFolder, journals: RunJournals, steps: int, stop: Event | None = None, **wishes: Any
) -> RunCallback:
    model.set_logger(RunLogger(JournalOutput(journals)))
    callback = RunCallback(journals, Checkpoints(folder, NEVER, journals), stop or Event(), **wishes)
    model.learn(steps, callback=callback)
    journals.close()
    return callback


def episodes(folder: RunFolder) -> list[tuple[int, float, int, int]]:
    """Return step, return, length and index of each episode line."""
    names = ("episode/reward", "episode/length", "episode/index")
    lines = [row for row in rows(folder) if names[0] in row["values"]]
    assert all(set(line["values"]) == set(names) for line in lines)
    return [(line["step"], *(line["values"][name] for name in names)) for line in lines]


def test_every_finished_episode_gets_its_own_line(folder: RunFolder, journals: RunJournals) -> None:
    model_ = model("dqn", episode_length=5)
    learn(model_, folder, journals, 24)
    assert episodes(folder)[:4] == [(5, 5.0, 5, 1), (10, 5.0, 5, 2), (15, 5.0, 5, 3), (20, 5.0, 5, 4)]


def test_environments_that_finish_in_the_same_step_get_a_line_each(folder: RunFolder, journals: RunJournals) -> None:
    model_ = model("ppo", environments=3, episode_length=4)
    learn(model_, folder, journals, 30)
    lines = episodes(folder)
    assert lines[:6] == [
        (12, 4.0, 4, 1),
        (12, 4.0, 4, 2),
        (12, 4.0, 4, 3),
        (24, 4.0, 4, 4),
        (24, 4.0, 4, 5),
        (24, 4.0, 4, 6),
    ]
    assert [index for *_, index in lines] == list(range(1, len(lines) + 1))


def test_return_and_length_are_those_reported_by_the_environment(folder: RunFolder, journals: RunJournals) -> None:
    model_ = model("ppo")
    learn(model_, folder, journals, 128)
    lines = episodes(folder)
    assert len(lines) > 2
    assert all(reward == length for _, reward, length, _ in lines)  # CartPole pays one point a step
    ends = [step for step, *_ in lines]
    assert [later - earlier for earlier, later in zip([0, *ends], ends, strict=False)] == [line[2] for line in lines]


@pytest.mark.parametrize(("algo", "environments"), [("ppo", 1), ("ppo", 4), ("dqn", 1)])
def test_a_stop_takes_effect_within_one_step_of_every_environment(
    folder: RunFolder, journals: RunJournals, algo: str, environments: int
) -> None:
    stop, asked_at = Event(), 50 * environments - environments + 1  # the first environment of the 50th step asks
    Watched.on_step = staticmethod(lambda count: stop.set() if count == asked_at else None)
    model_ = model(algo, environments=environments)
    callback = learn(model_, folder, journals, 100_000, stop)
    assert callback.stopped
    assert Watched.steps - asked_at < environments
    assert model_.num_timesteps == Watched.steps == 50 * environments


def test_training_without_a_stop_is_not_marked_as_stopped(folder: RunFolder, journals: RunJournals) -> None:
    assert not learn(model("ppo"), folder, journals, 32).stopped


def test_the_current_rate_covers_the_last_second_or_more(folder: RunFolder, journals: RunJournals) -> None:
    # A rollout of 32 steps takes a quarter of a second.
    learn(model("ppo"), folder, journals, 32 * 10, monotonic=lambda: Watched.steps / 128)
    assert column(folder, "time/recent_fps") == [32 * 4.0] * 2


def test_a_rate_pending_at_the_end_requires_no_update_row(folder: RunFolder, journals: RunJournals) -> None:
    """The clock decides whether there is one; if training continues, all other rows are the same."""
    logger = RunLogger(JournalOutput(journals))
    logger.dump_rest(500)
    logger.record("time/recent_fps", 100.0)
    logger.dump_rest(500)
    journals.close()
    assert [row["values"] for row in rows(folder)] == [{"time/recent_fps": 100.0}]
    assert not logger.update_is_due
