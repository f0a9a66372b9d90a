"""How well each preset learns: the figures in docs/presets.md.

    python -m benchmarks.presets [--env CartPole-v1] [--seeds 3]

Trains every preset with each seed in a worker process, as the app does, then plays 20 episodes of the
final policy. Takes tens of minutes.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

from rlviz.algorithms import ALGORITHMS
from rlviz.analysis.moving import moving_average
from rlviz.domain.records import EPISODE_REWARD
from rlviz.domain.registry import load
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.make import make_environment
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal
from rlviz.services.metrics import MetricsService
from rlviz.services.runs import NewRun, resolve_config

EPISODES = 20


@dataclass(frozen=True)
class Result:
    """One training: wall time, return of the final policy, and the spread of the last 20 training returns."""

    seconds: float
    final_return: float
    best_average: float
    spread: float


def measure(root: Path, algo: str, env_id: str, preset: str, seed: int) -> Result:
    config = resolve_config(NewRun(algo, env_id=env_id, preset=preset, seed=seed), time.time())
    folder = RunFolder(root, config.run_id)
    folder.create(config)
    begin = time.monotonic()
    subprocess.run([sys.executable, "-m", "rlviz.worker", str(folder.path)], check=True)
    seconds = time.monotonic() - begin
    assert read_journal(folder.events_path)[-1].record is not None
    model = load(ALGORITHMS.get(algo).model_class).load(folder.model_path, device="cpu")
    environment = make_vec_env(lambda: make_environment(env_id), seed=1_000_000)
    final, _ = evaluate_policy(model, environment, n_eval_episodes=EPISODES, deterministic=True)
    (rewards,) = MetricsService().series(folder, EPISODE_REWARD)
    best = float(moving_average(rewards.value, EPISODES)[EPISODES - 1 :].max())
    return Result(seconds, float(final), best, float(rewards.value[-EPISODES:].std()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--algo", nargs="*", default=ALGORITHMS.names())
    parser.add_argument("--preset", nargs="*")
    options = parser.parse_args()
    environment = ENVIRONMENTS.get(options.env)
    print("| algorithm | preset | timesteps | final return by seed | best moving average | last 20 std | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as root:
        for algo in options.algo:
            for preset in environment.presets_for(ALGORITHMS.get(algo)):
                if options.preset and preset.id.value not in options.preset:
                    continue
                results = [
                    measure(Path(root), algo, environment.id, preset.id.value, seed) for seed in range(options.seeds)
                ]
                print(_row(algo, preset.title, preset.total_timesteps, results), flush=True)


def _row(algo: str, title: str, timesteps: int, results: list[Result]) -> str:
    finals = ", ".join(f"{result.final_return:.0f}" for result in results)
    best = statistics.mean(result.best_average for result in results)
    spread = statistics.mean(result.spread for result in results)
    seconds = statistics.mean(result.seconds for result in results)
    return f"| {algo.upper()} | {title} | {timesteps:,} | {finals} | {best:.0f} | {spread:.0f} | {seconds:.0f} |"


if __name__ == "__main__":
    main()
