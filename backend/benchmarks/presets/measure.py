"""Training one preset with one seed in a worker process, as the app does, and looking at what came of it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.presets.episodes import BY_FAMILY, USUALLY, Episodes
from benchmarks.presets.outcome import Outcome
from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.weights import read_policy
from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation_plan import EvaluationPlan
from rlviz.domain.events import EventKind
from rlviz.domain.presets import Preset
from rlviz.domain.records import EVAL_REWARD
from rlviz.environments.base import Environment
from rlviz.environments.make import make_environment
from rlviz.presets.catalog import digest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal
from rlviz.services.use_cases.runs import NewRun, resolve_config
from rlviz.training.greedy import GreedyPlayer

EVALUATIONS = 25
"""Evaluations along the way of a preset that asks for none itself."""

FINAL_SEED = 5_000_000
"""Fresh: no training, no evaluation has met these."""


@dataclass(frozen=True)
class Job:
    """One preset on the variant of an environment that it is made for."""

    preset: Preset
    environment: Environment

    @property
    def digest(self) -> str:
        return digest(self.preset, self.environment.id)

    @property
    def episodes(self) -> Episodes:
        return BY_FAMILY.get(self.environment.family.id, USUALLY)

    @property
    def name(self) -> str:
        return f"{self.environment.id} {self.preset.algorithm} {self.preset.id.value} {self.preset.when or ''}".strip()


def measure(job: Job, seed: int, timesteps: int | None = None) -> Outcome:
    """Train and evaluate; ``timesteps`` cuts it short, for trying this out."""
    with tempfile.TemporaryDirectory() as root:
        folder = RunFolder(Path(root), "measured")
        config = configuration(job, seed, timesteps)
        folder.create(config.model_copy(update={"run_id": folder.run_id}))
        busy = _train(folder)
        return _outcome(job, folder, config, busy)


def _train(folder: RunFolder) -> float:
    """Train in a worker; the share of the time that it had a processor: less than 1 beside other work.

    A worker that gets SIGTERM saves its model and ends well; what it left is no outcome, so this raises RuntimeError.
    """
    begin = time.monotonic()
    worker = subprocess.Popen([sys.executable, "-m", "rlviz.worker", str(folder.path)])
    _, status, used = os.wait4(worker.pid, 0)
    worker.returncode = os.waitstatus_to_exitcode(status)
    if worker.returncode:
        raise subprocess.CalledProcessError(worker.returncode, worker.args)
    if not any(line.record and line.record["event"] == EventKind.FINISHED for line in read_journal(folder.events_path)):
        raise RuntimeError("Somebody ended the worker before training was done: measure this seed again.")
    return min(1.0, (used.ru_utime + used.ru_stime) / (time.monotonic() - begin))


def configuration(job: Job, seed: int, timesteps: int | None) -> RunConfig:
    wanted = NewRun(
        job.preset.algorithm,
        env_id=job.environment.id,
        env_options=job.preset.when,
        preset=job.preset.id.value,
        seed=seed,
        total_timesteps=timesteps,
    )
    config = resolve_config(wanted, time.time())
    if config.evaluation.every_steps is not None:
        return config
    every = max(100, config.total_timesteps // EVALUATIONS)
    return config.model_copy(update={"evaluation": EvaluationPlan(every_steps=every, episodes=job.episodes.along)})


def _outcome(job: Job, folder: RunFolder, config: RunConfig, busy: float) -> Outcome:
    steps: list[int] = []
    returns: list[float] = []
    seconds: list[float] = []
    rate = 0.0
    for line in read_journal(folder.metrics_path):
        assert line.record is not None
        values, step = line.record["values"], line.record["step"]
        rate = values.get("time/fps") or rate
        if EVAL_REWARD in values:
            steps.append(step)
            returns.append(values[EVAL_REWARD])
            seconds.append(round(busy * step / rate, 1) if rate else 0.0)
    return Outcome(
        seed=config.seed, steps=steps, returns=returns, seconds=seconds, final_return=_final(job, folder, config)
    )


def _final(job: Job, folder: RunFolder, config: RunConfig) -> float:
    """Mean return of the policy that the preset ends with: the best one, if it keeps it, else the last."""
    preset_keeps_best = config.evaluation.stop_after is not None
    path = folder.best_model_path if preset_keeps_best and folder.best_model_path.exists() else folder.model_path
    with path.open("rb") as file:
        policy = read_policy(ALGORITHMS.get(config.algo), file)
    player = GreedyPlayer(lambda: make_environment(config, whole_episodes=True))
    try:
        score = player.play(policy, range(FINAL_SEED, FINAL_SEED + job.episodes.final), lambda: False)
    finally:
        player.close()
    assert score is not None
    return score.mean
