"""Training throughput of each algorithm: training as a worker does it against the bare library with the same values.

A machine that others share is faster or slower by a third from one second to the next. So the two train at the same
time, as two processes that share one core: the kernel gives it to each in turn for some milliseconds, and both meet the
same machine. What one needs more than the other shows in its processor time. What it waits, for the disk say, shows in
its wall time, by half: the other has the core meanwhile, and is done sooner; so there half a loss is too much.
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
"""One that learns from rollouts, and one that learns from a buffer."""


@dataclass(frozen=True)
class Job:
    """What an algorithm is measured on: some thirty seconds of training with the Fast preset, without evaluations.

    What is done most often in the first seconds of every run, snapshots, policies of its filmstrip and looks into its
    updates, takes about 0.15 s, and is in it.
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
    """What ``learn`` alone took."""

    wall: float
    processor: float


def run(algorithms: Sequence[str] = ()) -> Iterator[Figure]:
    """Measure ``algorithms``, or all there are."""
    for algo in algorithms or ALGORITHMS.names():
        pairs = [side_by_side(algo, "worker", "bare") for _ in range(PAIRS)]
        wall, processor = (
            statistics.median(bare[i] / worker[i] for worker, bare in pairs) for i in range(len(Seconds._fields))
        )
        name = f"{ALGORITHMS.get(algo).name} training throughput against the bare library"
        yield figure(f"{name}, per second of processor time", processor, "×", at_least=0.98)
        yield figure(f"{name}, per second on a shared core", wall, "×", at_least=0.99)


def anatomy(algorithms: Sequence[str] = ()) -> Iterator[Figure]:
    """What looking into updates costs: a worker that does against one that does not, both for some seconds. Looks are
    a second apart at first, and twice that in a run of a hundred seconds, so that it costs most here."""
    for algo in algorithms or LOOKED_INTO:
        pairs = [side_by_side(algo, "worker", "not-looked-into") for _ in range(PAIRS)]
        ratio = statistics.median(without.processor / looking.processor for looking, without in pairs)
        name = ALGORITHMS.get(algo).name
        yield figure(f"{name} training throughput with anatomy, of that without", ratio, "×", at_least=0.99)


def side_by_side(algo: str, *hows: str) -> tuple[Seconds, ...]:
    """What each of two TRAINEES took, once both were ready to learn."""
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
    """In a process of its own: train, beginning to learn at a line from standard input and ending at a second one.

    Prints an empty line when it is ready, and what learning took.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cls = load(ALGORITHMS.get(algo).model_class)
    learn = cls.learn

    @wraps(learn)  # whose signature the trainer looks at
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


TRAINEES: dict[str, Callable[[RunFolder], None]] = {"worker": _worker, "bare": _bare, "not-looked-into": _worker}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    train(*sys.argv[1:])
