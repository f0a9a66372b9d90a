"""Compares evaluation with video to Gymnasium's RecordVideo with Stable-Baselines3's evaluate_policy.

Both load the same saved policy and play five CartPole episodes of 500 steps, filming every frame, in interleaved pairs.
Also measures how the evaluator's peak memory grows with an episode that is ten times as long.

    python -m benchmarks evaluation
"""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import torch
from gymnasium.wrappers import RecordVideo
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy

from benchmarks.support import Figure, ask_to_evaluate, figure, scratch
from rlviz.domain.config import RunConfig
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.make import make
from rlviz.learning.playing.evaluate import evaluate, load_policy
from rlviz.learning.playing.film import film
from rlviz.learning.playing.video import VideoRecorder
from rlviz.learning.presets.catalog import preset_for
from rlviz.learning.training.builder import build_model
from rlviz.rundir.folder import RunFolder

ENV_ID = "CartPole-v1"
EPISODES = 5
EPISODE_STEPS = 500
PAIRS = 5
TIMESTEPS = 40_000
SHORT, LONG = 300, 3_000


def run(pairs: int = PAIRS) -> list[Figure]:
    torch.set_num_threads(1)
    with scratch() as root:
        folder = trained_run(root)
        ours, theirs = [], []
        for number in range(pairs + 1):
            ours.append(timed(partial(_evaluate, folder)))
            theirs.append(timed(partial(_record_video, folder, root / f"gym-{number}")))
        # The first pair pays for imports and page faults.
        ours, theirs = ours[1:], theirs[1:]
        short, long = (_peak_memory(folder, steps) for steps in (SHORT, LONG))
    what = f"{EPISODES} {ENV_ID} episodes of {EPISODE_STEPS} steps with video"
    ratio = statistics.median(ours) / statistics.median(theirs)
    return [
        figure(what, statistics.median(ours), "s"),
        figure("the same with RecordVideo and evaluate_policy", statistics.median(theirs), "s"),
        figure("evaluation against RecordVideo and evaluate_policy", ratio, "×", at_most=0.7),
        figure(f"peak memory of an episode of {LONG} steps against one of {SHORT}", long / short, "×", at_most=1.02),
    ]


def trained_run(root: Path) -> RunFolder:
    """Create a run folder whose model balances the pole for whole episodes."""
    algorithm = ALGORITHMS.get("ppo")
    preset = preset_for("fast", algorithm.id, ENV_ID)
    folder = RunFolder(root, "ppo-cartpole-benchmark")
    config = RunConfig(
        run_id=folder.run_id,
        name="Benchmark",
        created_at=datetime.now(UTC),
        algo=algorithm.id,
        env_id=ENV_ID,
        preset=str(preset.id),
        seed=1,
        total_timesteps=TIMESTEPS,
        hyperparameters=preset.hyperparameters,
    )
    folder.create(config)
    model = build_model(config)
    model.learn(TIMESTEPS)
    for _ in range(5):
        if evaluate_policy(model, make(ENVIRONMENTS.get(ENV_ID)), EPISODES, warn=False)[0] == EPISODE_STEPS:
            break
        model.learn(TIMESTEPS // 4)
    model.save(folder.model_path)
    return folder


def timed(job: Callable[[], object]) -> float:
    started = time.perf_counter()
    job()
    return time.perf_counter() - started


def _evaluate(folder: RunFolder) -> None:
    summary = evaluate(folder, ask_to_evaluate(folder, episodes=EPISODES)).summary
    assert summary is not None
    assert summary.episode_length is not None
    assert summary.episode_length.min == EPISODE_STEPS, "the policy falls; the comparison needs whole episodes"


def _record_video(folder: RunFolder, videos: Path) -> None:
    model = PPO.load(folder.model_path, device="cpu")
    env = RecordVideo(make(ENVIRONMENTS.get(ENV_ID), render=True), str(videos), episode_trigger=lambda _: True)
    _, lengths = evaluate_policy(model, env, EPISODES, return_episode_rewards=True, warn=False)
    env.close()  # type: ignore[no-untyped-call]
    assert isinstance(lengths, list)
    assert min(lengths) == EPISODE_STEPS
    # evaluate_policy ends with a reset, which starts one more video of a single frame.
    assert len(list(videos.glob("*.mp4"))) >= EPISODES


class _Endless(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Continues with a new pole when it falls, so that an episode can have any length."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = super().step(action)
        if terminated or truncated:
            observation, info = self.reset()
        return observation, reward, False, False, info


def _peak_memory(folder: RunFolder, steps: int) -> float:
    """Return the peak resident memory in MiB of a new process that films one episode of ``steps`` steps."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_film_one, (folder.path, steps))


def _film_one(path: Path, steps: int) -> float:
    folder = RunFolder.at(path)
    env = _Endless(make(ENVIRONMENTS.get(ENV_ID), render=True))
    policy = load_policy(folder, "ppo", "model.zip")
    with VideoRecorder(folder.path / f"{steps}.mp4", fps=50) as recorder:
        (episode,) = film(env, policy, recorder, episodes=1, seed=1, deterministic=True, max_steps=steps)
    assert episode.episode_length == steps
    return _high_water_mark()


def _high_water_mark() -> float:
    """Return the peak resident memory of this process in MiB. (``ru_maxrss`` would include the parent's peak.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
