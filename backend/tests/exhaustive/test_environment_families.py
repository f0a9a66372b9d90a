"""Training, evaluation and video of every environment and every algorithm. Episodes are counted as the environment
counts them, whatever wrappers do for learning.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from stable_baselines3.common.env_util import unwrap_wrapper
from stable_baselines3.common.monitor import Monitor

from rlviz.domain.evaluation import EvaluationStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import custom_environment, find_environment
from rlviz.learning.environments.make import make_environment, make_training_environments
from rlviz.learning.environments.probe import probe, try_state
from rlviz.learning.playing.evaluate import evaluate
from rlviz.learning.playing.film import film
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.server.runs.service import NewRun, resolve_config
from tests.support.evaluations import ask_in_folder
from tests.support.training import CREATED_AT, checkpoints, column, events, kinds
from tests.support.waiting import eventually

FILMED_STEPS = 12
OWN = "tests.support.lights:Lights"
REPLAY = {"learning_starts": 60, "buffer_size": 200, "batch_size": 8}
SMALL_REPLAY = {**REPLAY, "net_arch": [8]}
ROLLOUT = {"n_steps": 50, "n_envs": 2, "batch_size": 50}
CASES: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("CartPole-v1", {}, "a2c", {"n_envs": 2}),
    ("Acrobot-v1", {}, "qrdqn", SMALL_REPLAY),
    ("MountainCar-v0", {}, "dqn", SMALL_REPLAY),
    ("MountainCarContinuous-v0", {}, "td3", SMALL_REPLAY),
    ("Pendulum-v1", {"g": 5.0}, "sac", SMALL_REPLAY),
    ("FrozenLake-v1", {"map_name": "8x8", "is_slippery": False}, "q-learning", {}),
    ("CliffWalking-v1", {"is_slippery": True}, "dqn", SMALL_REPLAY),
    ("Taxi-v4", {"is_rainy": True}, "ppo", ROLLOUT),
    ("Blackjack-v1", {"natural": True, "sab": False}, "q-learning", {"n_envs": 2}),
    ("LunarLander-v3", {"continuous": True, "enable_wind": True}, "sac", SMALL_REPLAY),
    ("BipedalWalker-v3", {"hardcore": True}, "trpo", ROLLOUT),
    ("CarRacing-v3", {"frame_skip": 1, "picture_size": 36}, "ppo", {"n_steps": 50, "batch_size": 50, "n_epochs": 1}),
    ("ALE/Pong-v5", {}, "ppo", {**ROLLOUT, "n_epochs": 1}),
    ("ALE/Breakout-v5", {}, "dqn", REPLAY),
    ("GameBoy/Lamplighter-v0", {"observation": "pixels", "frame_stack": 2}, "ppo", {**ROLLOUT, "n_epochs": 1}),
    (OWN, {}, "trpo", ROLLOUT),
]


def find(env_id: str) -> Environment:
    return custom_environment("Lights", try_state(probe(OWN))) if env_id == OWN else ENVIRONMENTS.get(env_id)


def folder_of(
    root: Path, env_id: str, algo: str, options: dict[str, Any], values: dict[str, Any], steps: int = 100
) -> RunFolder:
    wanted = NewRun(algo, env_id, None, 1, steps, env_options=options, hyperparameters=values)
    config = resolve_config(wanted, CREATED_AT.timestamp(), find)
    folder = RunFolder(root, config.run_id)
    folder.create(config.model_copy(update={"checkpoints": checkpoints(every_steps=100)}))
    return folder


def stop_in_the_middle(folder: RunFolder) -> None:
    """Stop the run as the service does, after the first checkpoint."""
    eventually(folder.checkpoint_files, "a checkpoint")
    folder.write_control(Control(desired=Desired.STOP))


def test_the_cases_cover_every_environment_and_algorithm() -> None:
    assert sorted(case[0] for case in CASES) == sorted([*ENVIRONMENTS.names(), OWN])
    assert {case[2] for case in CASES} == set(ALGORITHMS.names())


@pytest.mark.parametrize(("env_id", "options", "algo", "values"), CASES, ids=[f"{case[0]}-{case[2]}" for case in CASES])
def test_each_environment_is_trained_stopped_evaluated_and_filmed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    env_id: str,
    options: dict[str, Any],
    algo: str,
    values: dict[str, Any],
) -> None:
    folder = folder_of(tmp_path, env_id, algo, options, values, steps=100_000)
    with ThreadPoolExecutor(1) as somebody:
        stopped = somebody.submit(stop_in_the_middle, folder)
        assert train_run(folder)
        stopped.result()
    assert kinds(folder)[0] == "started"
    assert kinds(folder)[-1] == "stopped"
    assert 100 <= events(folder)[-1].step < 100_000

    asked = ask_in_folder(folder)
    monkeypatch.setattr("rlviz.learning.playing.evaluate.film", partial(film, max_steps=FILMED_STEPS))
    record = evaluate(folder, asked.id)
    assert (record.status, record.cause) == (EvaluationStatus.COMPLETED, None)
    assert record.summary is not None
    (episode,) = record.summary.episodes
    with av.open(str(folder.evaluations.video_path(asked.id))) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        assert container.streams.video[0].average_rate == find_environment(folder.read_config()).render_fps
    assert 1 < len(frames) == episode.episode_length + 1 <= FILMED_STEPS + 1
    assert frames[0].std() > 1, "A picture of something"


def test_training_counts_complete_games_and_their_own_score(tmp_path: Path) -> None:
    """Wrappers end an episode at a lost life and clip rewards to their sign; the journal must not."""
    config = folder_of(tmp_path, "ALE/Breakout-v5", "dqn", {}, REPLAY).read_config()
    environments = make_training_environments(config, 2)
    environments.action_space.seed(1)
    environments.reset()
    lost_lives, games = 0, []
    for _ in range(400):
        _, rewards, dones, infos = environments.step(np.array([environments.action_space.sample() for _ in range(2)]))
        assert set(np.sign(rewards)) >= set(rewards)
        for done, info in zip(dones, infos, strict=True):
            if done and info["lives"] > 0:
                lost_lives += 1
                assert "episode" not in info
            elif done:
                games.append(info["episode"])
    monitors = [unwrap_wrapper(env, Monitor) for env in environments.envs]  # type: ignore[attr-defined]
    assert lost_lives >= 4 * len(games)
    assert len(games) >= 2, "Both played a whole game"
    assert sum(len(monitor.get_episode_rewards()) for monitor in monitors if monitor) == len(games)
    environments.close()


def test_evaluation_plays_complete_games_for_their_own_score(tmp_path: Path) -> None:
    config = folder_of(tmp_path, "ALE/Breakout-v5", "dqn", {}, REPLAY).read_config()
    env = make_environment(config, whole_episodes=True)
    env.action_space.seed(3)
    for _ in range(2):
        env.reset(seed=3)
        lives, over = {5}, False
        while not over:
            observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
            assert observation in env.observation_space
            lives.add(env.unwrapped.ale.lives())  # type: ignore[attr-defined]
            over = terminated or truncated
        assert lives == {5, 4, 3, 2, 1, 0}
    env.close()


def test_journal_and_evaluation_agree_on_what_an_episode_is(tmp_path: Path) -> None:
    """Several CartPole copies: every finished episode is counted once, with its own length."""
    folder = folder_of(tmp_path, "CartPole-v1", "ppo", {}, ROLLOUT)
    assert train_run(folder)
    lengths = column(folder, "episode/length")
    assert column(folder, "episode/index") == list(range(1, len(lengths) + 1))
    assert column(folder, "episode/reward") == lengths
    assert sum(int(length or 0) for length in lengths) <= 100
