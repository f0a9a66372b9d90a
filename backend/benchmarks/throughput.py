"""Training throughput of each algorithm: training as a worker does it against the bare library with the same values.

Both take turns in one process, each second pair the other way round, so that both meet the same machine, as warm. A
figure is the best rate of the one by the best rate of the other: what else a machine does only ever slows down, by a
third from one run to the next where it is shared (Python's ``timeit`` takes the best for the same reason).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from benchmarks.support import Figure, figure, new_folder, scratch
from rlviz.algorithms import ALGORITHMS
from rlviz.domain.config import EvaluationPlan
from rlviz.domain.registry import load
from rlviz.rundir.folder import RunFolder

PAIRS = 6


@dataclass(frozen=True)
class Job:
    """What an algorithm is measured on: a few seconds of training with the Fast preset, without evaluations."""

    timesteps: int
    env_id: str = "CartPole-v1"
    hyperparameters: Mapping[str, JsonValue] = field(default_factory=dict)


JOBS = {
    "ppo": Job(20_000),
    "dqn": Job(5_000),
    "a2c": Job(20_000),
    "sac": Job(1_000, "Pendulum-v1"),
    "td3": Job(2_000, "Pendulum-v1", {"learning_starts": 500}),
    "qrdqn": Job(5_000),
    "trpo": Job(20_000),
    "q-learning": Job(60_000, "FrozenLake-v1"),
}


class Rate(NamedTuple):
    """Steps a second, inside ``learn`` alone."""

    wall: float
    processor: float


def run(algorithms: Sequence[str] = ()) -> Iterator[Figure]:
    """Measure ``algorithms``, or all there are."""
    for algo in algorithms or ALGORITHMS.names():
        command = [sys.executable, "-m", "benchmarks.throughput", algo]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        wall, processor = json.loads(output)
        name = f"{ALGORITHMS.get(algo).name} training throughput against the bare library"
        yield figure(f"{name}, steps per second of wall time", wall, "×", at_least=0.98)
        yield figure(f"{name}, steps per second of processor time", processor, "×")


def compare(algo: str) -> Rate:
    """How many times as fast as the bare library a worker trains."""
    turns: list[Callable[[RunFolder], None]] = [_worker, _bare]
    best = dict.fromkeys(turns, Rate(0.0, 0.0))
    rates = _time_learning(load(ALGORITHMS.get(algo).model_class))
    with scratch() as root:
        for pair in range(PAIRS):
            for train in turns if pair % 2 else turns[::-1]:
                train(_folder(algo, root))
                best[train] = Rate(*map(max, best[train], rates.pop()))
    return Rate(*(worker / bare for worker, bare in zip(*best.values(), strict=True)))


def _time_learning(cls: Any) -> list[Rate]:
    """Have each ``learn`` of the class append its rate to what is returned."""
    rates: list[Rate] = []
    learn = cls.learn

    def timed(model: Any, *arguments: Any, **keywords: Any) -> Any:
        wall, processor = time.perf_counter(), time.process_time()
        try:
            return learn(model, *arguments, **keywords)
        finally:
            steps = model.num_timesteps
            rates.append(Rate(steps / (time.perf_counter() - wall), steps / (time.process_time() - processor)))

    cls.learn = timed
    return rates


def _folder(algo: str, root: Path) -> RunFolder:
    job = JOBS[algo]
    wishes = {"env_id": job.env_id, "hyperparameters": job.hyperparameters}
    return new_folder(root, algo, job.timesteps, **wishes, evaluation=EvaluationPlan())


def _worker(folder: RunFolder) -> None:
    from rlviz.training.session import train_run

    assert train_run(folder)


def _bare(folder: RunFolder) -> None:
    """What somebody would write who has read the library's first example."""
    import torch
    from stable_baselines3.common.env_util import make_vec_env

    config = folder.read_config()
    algorithm = ALGORITHMS.get(config.algo)
    hyperparameters = algorithm.validate(config.hyperparameters, config.total_timesteps)
    arguments = hyperparameters.model_arguments()
    if "policy_kwargs" in arguments:
        arguments["policy_kwargs"]["activation_fn"] = load(arguments["policy_kwargs"]["activation_fn"])
    torch.set_num_threads(1)
    env = make_vec_env(config.env_id, n_envs=hyperparameters.environments, seed=config.seed)
    cls = load(algorithm.model_class)
    model = cls(algorithm.policy or "MlpPolicy", env, seed=config.seed, device="cpu", **arguments)
    model.learn(config.total_timesteps)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(compare(sys.argv[1])))
