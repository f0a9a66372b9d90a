"""Training throughput of each algorithm: a worker against the bare library script with the same configuration.

Worker and script take turns (A B A B …), so that both meet the same machine; a figure is the median of the pairs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from benchmarks.support import Figure, figure, new_folder, scratch
from rlviz.algorithms import ALGORITHMS
from rlviz.domain.config import EvaluationPlan

PAIRS = 4


@dataclass(frozen=True)
class Job:
    """What an algorithm is measured on: about five seconds of training with the Fast preset, without evaluations."""

    timesteps: int
    env_id: str = "CartPole-v1"
    hyperparameters: Mapping[str, JsonValue] = field(default_factory=dict)


JOBS = {
    "ppo": Job(40_000),
    "dqn": Job(12_000),
    "a2c": Job(20_000),
    "sac": Job(2_000, "Pendulum-v1"),
    "td3": Job(4_000, "Pendulum-v1", {"learning_starts": 500}),
    "qrdqn": Job(8_000),
    "trpo": Job(30_000),
    "q-learning": Job(60_000, "FrozenLake-v1"),
}

_TIMED = """
import sys, time
from pathlib import Path
from rlviz.algorithms import ALGORITHMS
from rlviz.domain.config import EvaluationPlan
from rlviz.domain.registry import load
from rlviz.rundir.folder import RunFolder
folder = RunFolder.at(Path(sys.argv[1]))
config = folder.read_config()
algorithm = ALGORITHMS.get(config.algo)
cls = load(algorithm.model_class)
learn = cls.learn
def timed(self, *arguments, **keywords):
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        return learn(self, *arguments, **keywords)
    finally:
        print(self.num_timesteps / (time.perf_counter() - wall), self.num_timesteps / (time.process_time() - cpu))
cls.learn = timed
"""

_WORKER = """
from rlviz.training.session import train_run
assert train_run(folder)
"""

_BARE = """
import torch
from stable_baselines3.common.env_util import make_vec_env
hyperparameters = algorithm.validate(config.hyperparameters, config.total_timesteps)
arguments = hyperparameters.model_arguments()
if "policy_kwargs" in arguments:
    arguments["policy_kwargs"]["activation_fn"] = load(arguments["policy_kwargs"]["activation_fn"])
torch.set_num_threads(1)
env = make_vec_env(config.env_id, n_envs=hyperparameters.environments, seed=config.seed)
model = cls(algorithm.policy or "MlpPolicy", env, seed=config.seed, device="cpu", **arguments)
model.learn(config.total_timesteps)
"""


def run(algorithms: Sequence[str] = ()) -> list[Figure]:
    """Measure ``algorithms``, or all there are."""
    figures = []
    for algo in algorithms or ALGORITHMS.names():
        with scratch() as root:
            pairs = [(_rates(algo, _WORKER, root), _rates(algo, _BARE, root)) for _ in range(PAIRS)]
        wall = statistics.median(ours[0] / bare[0] for ours, bare in pairs)
        cpu = statistics.median(ours[1] / bare[1] for ours, bare in pairs)
        name = f"{ALGORITHMS.get(algo).name} training throughput against the bare script"
        figures.append(figure(f"{name}, steps per second of wall time", wall, "×", at_least=0.98))
        figures.append(figure(f"{name}, steps per second of processor time", cpu, "×"))
    return figures


def _rates(algo: str, script: str, root: Path) -> tuple[float, float]:
    """Steps a second of wall and of processor time, inside ``learn`` alone."""
    job = JOBS[algo]
    wishes = {"env_id": job.env_id, "hyperparameters": job.hyperparameters}
    folder = new_folder(root, algo, job.timesteps, **wishes, evaluation=EvaluationPlan())
    command = [sys.executable, "-W", "ignore", "-c", _TIMED + script, str(folder.path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall, cpu = output.split()[-2:]
    return float(wall), float(cpu)
