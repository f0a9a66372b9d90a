"""Training throughput: a worker against the bare Stable-Baselines3 script with the same configuration."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.support import Figure, figure, new_folder, scratch

PAIRS = 4
TIMESTEPS = {"ppo": 40_000, "dqn": 12_000}

_TIMED = """
import sys, time
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3 import PPO, DQN
cls = {"ppo": PPO, "dqn": DQN}[sys.argv[1]]
learn = cls.learn
def timed(self, *arguments, **keywords):
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        return learn(self, *arguments, **keywords)
    finally:
        print(self.num_timesteps / (time.perf_counter() - wall), self.num_timesteps / (time.process_time() - cpu))
cls.learn = timed
from pathlib import Path
from rlviz.rundir.folder import RunFolder
folder = RunFolder.at(Path(sys.argv[2]))
"""

_WORKER = """
from rlviz.training.session import train_run
assert train_run(folder)
"""

_BARE = """
import gymnasium, torch
from stable_baselines3.common.env_util import make_vec_env
from rlviz.algorithms import ALGORITHMS
from rlviz.domain.registry import load
config = folder.read_config()
hyperparameters = ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps)
arguments = hyperparameters.model_arguments()
arguments["policy_kwargs"]["activation_fn"] = load(arguments["policy_kwargs"]["activation_fn"])
torch.set_num_threads(1)
env = make_vec_env(config.env_id, n_envs=hyperparameters.environments, seed=config.seed)
model = cls("MlpPolicy", env, seed=config.seed, device="cpu", **arguments)
model.learn(config.total_timesteps)
"""


def run() -> list[Figure]:
    figures = []
    for algo, timesteps in TIMESTEPS.items():
        with scratch() as root:
            pairs = [
                (_rates(algo, _WORKER, root, timesteps), _rates(algo, _BARE, root, timesteps)) for _ in range(PAIRS)
            ]
        wall = statistics.median(ours[0] / bare[0] for ours, bare in pairs)
        cpu = statistics.median(ours[1] / bare[1] for ours, bare in pairs)
        name = f"{algo.upper()} training throughput against the bare script"
        figures.append(figure(f"{name}, steps per second of wall time", wall, "×", at_least=0.98))
        figures.append(figure(f"{name}, steps per second of processor time", cpu, "×"))
    return figures


def _rates(algo: str, script: str, root: Path, timesteps: int) -> tuple[float, float]:
    """Steps a second of wall and of processor time, inside ``learn`` alone."""
    folder = new_folder(root, algo, timesteps)
    command = [sys.executable, "-W", "ignore", "-c", _TIMED + script, algo, str(folder.path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall, cpu = output.split()[-2:]
    return float(wall), float(cpu)
