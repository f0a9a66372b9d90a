"""Compares the training throughput of a worker with that of the bare library, for each algorithm.

The speed of a shared machine can change by a third within a second. So both train at the same time, as two processes on
one core: the kernel gives it to each in turn for some milliseconds, and both have the same conditions. Extra work shows
in processor time. Waiting, for instance for the disk, shows only half in wall time, because the other process uses the
core meanwhile and ends sooner. So the limit for wall time is half as large.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from benchmarks.support import Figure, figure, new_folder, scratch
from rlviz.domain.config import EvaluationPlan
from rlviz.domain.registry import load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.folder import RunFolder

PAIRS = 2

LOOKED_INTO = ("ppo", "dqn")
"""An algorithm that learns from rollouts, and one that learns from a buffer."""


@dataclass(frozen=True)
class Job:
    """The work for a measurement: about thirty seconds of training with the Fast preset, without evaluations.

    It includes about 0.15 s for snapshots, policies of the filmstrip and details of updates, which are most frequent in
    the first seconds of a run.
    """

    timesteps: int
    env_id: str = "CartPole-v1"
    hyperparameters: Mapping[str, JsonValue] = field(default_factory=dict)


JOBS = {
    "ppo": Job(90_000),
    "dqn": Job(6_000),
    "a2c": Job(150_000),
    "sac": Job(3_000, "Pendulum-v1"),
    "td3": Job(3_000, "Pendulum-v1", {"learning_starts": 100}),
    "qrdqn": Job(6_000),
    "trpo": Job(60_000),
    "q-learning": Job(180_000, "FrozenLake-v1"),
}


class Seconds(NamedTuple):
    """The time of ``learn`` alone."""

    wall: float
    processor: float


def run(algorithms: Sequence[str] = ()) -> Iterator[Figure]:
    """Measure ``algorithms``, or all of them."""
    for algo in algorithms or ALGORITHMS.names():
        pairs = [side_by_side(algo, "worker", "bare") for _ in range(PAIRS)]
        wall, processor = (
            statistics.median(bare[i] / worker[i] for worker, bare in pairs) for i in range(len(Seconds._fields))
        )
        name = f"{ALGORITHMS.get(algo).name} training throughput against the bare library"
        yield figure(f"{name}, per second of processor time", processor, "×", at_least=0.98)
        yield figure(f"{name}, per second on a shared core", wall, "×", at_least=0.99)


def anatomy(algorithms: Sequence[str] = ()) -> Iterator[Figure]:
    """Compare workers with and without details of updates, for some seconds.

    At first an update per second is inspected, later fewer, so the cost is highest here.
    """
    for algo in algorithms or LOOKED_INTO:
        pairs = [side_by_side(algo, "worker", "not-looked-into") for _ in range(PAIRS)]
        ratio = statistics.median(without.processor / looking.processor for looking, without in pairs)
        name = ALGORITHMS.get(algo).name
        yield figure(f"{name} training throughput with anatomy, of that without", ratio, "×", at_least=0.99)


def side_by_side(algo: str, *hows: str) -> tuple[Seconds, ...]:
    """Return the time that each of two TRAINEES took, after both were ready to learn."""
    with ExitStack() as stack:
        both = [stack.enter_context(_trainee(algo, how)) for how in hows]
        for process in both:
            _read(process)
        for process in both:
            _write(process)
        seconds = tuple(Seconds(*json.loads(_read(process))) for process in both)
        for process in both:
            _write(process)
    return seconds


def _trainee(algo: str, how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.throughput", algo, how]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _read(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"{process.args!r} ended with {process.wait()}"
    return line


def _write(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    print(file=process.stdin, flush=True)


def train(algo: str, how: str) -> None:
    """Train in a separate process: learning starts at a line on standard input, and the process ends at a second one.

    Prints an empty line when it is ready, and the time of learning at the end.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cls = load(ALGORITHMS.get(algo).model_class)
    learn = cls.learn

    @wraps(learn)  # the trainer inspects its signature
    def timed(*arguments: Any, **keywords: Any) -> None:
        print(flush=True)
        sys.stdin.readline()
        wall, processor = time.perf_counter(), time.process_time()
        learn(*arguments, **keywords)
        print(json.dumps([time.perf_counter() - wall, time.process_time() - processor]), flush=True)
        sys.stdin.readline()

    cls.learn = timed
    with scratch() as root:
        TRAINEES[how](_folder(algo, root, anatomy=how != "not-looked-into"))


def _folder(algo: str, root: Path, *, anatomy: bool) -> RunFolder:
    job = JOBS[algo]
    return new_folder(
        root,
        algo,
        job.timesteps,
        env_id=job.env_id,
        hyperparameters=job.hyperparameters,
        evaluation=EvaluationPlan(),
        anatomy=anatomy,
    )


def _worker(folder: RunFolder) -> None:
    from rlviz.learning.training.watched import train_run

    assert train_run(folder)


def _bare(folder: RunFolder) -> None:
    """Train as in the library's first example."""
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


TRAINEES: dict[str, Callable[[RunFolder], None]] = {"worker": _worker, "bare": _bare, "not-looked-into": _worker}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    train(*sys.argv[1:])
