"""Measures the page of an experiment with 1,000 finished trials in a browser: until it is usable, and its results.

python -m benchmarks experiment_page
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from benchmarks.browser import measure
from benchmarks.support import Figure, figure, scratch, service
from rlviz.domain.config import ExperimentPlace
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.events import EventKind
from rlviz.domain.experiments import ExperimentControl, ExperimentSpec, TrialState, new_experiment_id
from rlviz.domain.ids import utc
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.server.experiments.open_experiment import OpenExperiment, Trial
from rlviz.server.experiments.scoring import TrialScore
from rlviz.server.runs.configuration import NewRun, resolve_config

VARIANTS, SEEDS = 20, 50
EPISODES = 200
"""Rows of metrics in each run."""
THRESHOLD = 300


def run() -> Iterator[Figure]:
    with scratch() as root:
        experiment_id = write_experiment(root, VARIANTS, SEEDS)
        with service(root) as client:
            path = f"/experiments/{experiment_id}/results"
            client.get(
                path, timeout=600
            ).raise_for_status()  # computed now, as the service does when the last trial ends
            found = measure(
                "experiment", str(client.base_url).removesuffix("/api/"), experiment_id, str(THRESHOLD), "1000"
            )
    label = f"experiment of {VARIANTS * SEEDS:,} finished trials"
    yield figure(f"{label}: from the list until its page can be used", found["usable"], "ms", at_most=1_000)
    yield figure(f"{label}: by its address, in a browser that was never there", found["usable_cold"], "ms")
    yield figure(f"{label}: its results, as the page waits for them", found["results"], "ms", at_most=300)
    yield figure(f"{label}: its results for another threshold, likewise", found["other"], "ms", at_most=300)
    yield figure(f"{label}: answers that its page waits for, as sent", found["kilobytes"], "kB")
    yield figure(f"{label}: longest task while it scrolls", found["longest_task"], "ms")


def write_experiment(root: Path, variants: int, seeds: int) -> str:
    """Write an ended experiment and its runs under ``root``, and return its id."""
    now = time.time()
    spec = ExperimentSpec.model_validate(
        {
            "base": {"algo": "ppo", "env_id": "CartPole-v1", "total_timesteps": 50_000},
            "variants": [{"name": f"PPO, learning rate {1e-4 * (place + 1):.1e}"} for place in range(variants)],
            "seeds": seeds,
        }
    )
    folder = ExperimentFolder(root, new_experiment_id(utc(now)))
    folder.create(StoredExperiment(id=folder.id, name="Twenty rates", created_at=utc(now), specification=spec))
    experiment = OpenExperiment(folder, time.time)
    for trial in experiment.waiting():
        _train(root, experiment, trial)
    experiment.write_control(ExperimentControl(desired="end"))
    experiment.close()
    return experiment.id


def _train(root: Path, experiment: OpenExperiment, trial: Trial) -> None:
    random = Random(trial.number)
    new = NewRun("ppo", seed=trial.seed, total_timesteps=50_000, name=f"{trial.label}, seed {trial.seed}")
    place = ExperimentPlace(id=experiment.id, variant=trial.variant, trial=trial.number)
    config = resolve_config(new, time.time()).model_copy(update={"experiment": place})
    folder = RunFolder(root, config.run_id)
    folder.create(config)
    best, step = random.gauss(400, 60), 0
    with (
        closing(JournalWriter(folder.events_path)) as events,
        closing(JournalWriter(folder.metrics_path)) as metrics,
    ):
        events.append({"event": EventKind.STARTED.value, "step": 0, "data": {"worker": "process:1:0.0:"}})
        for index in range(1, EPISODES + 1):
            length = max(9, min(500, round(random.gauss(20 + best * index / EPISODES, 40))))
            step += length
            values = {"episode/reward": float(length), "episode/length": length, "episode/index": index}
            metrics.append({"step": step, "values": values}, flush=False)
        events.append({"event": EventKind.FINISHED.value, "step": step, "data": {}})
    experiment.record(trial, TrialState.BEGUN, folder.run_id)
    experiment.record(trial, TrialState.SCORED, folder.run_id, score=TrialScore(round(best, 1), PolicyChoice.LATEST))
