"""The same configuration and seed give the same curves in every process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from rlviz.launchers.base import Exit, Train
from rlviz.launchers.process import ProcessLauncher
from rlviz.learning.training.builder import build_model, closing_environments
from rlviz.learning.training.snapshot.capture import capture_generators, restore_generators
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.pictures import Pictures
from tests.support.template import TITLE
from tests.support.training import curves, kinds, make_run
from tests.support.waiting import eventually
from tests.support.workers import (
    forking_launcher,
    impatient_launcher,
    parent_of,
    pid_of,
    title_of,
    worker_processes,
)

LAUNCHERS = {"ppo": ("fork", "prewarmed"), "dqn": ("cold", "fork")}
"""Each way to start a worker for one of them at least: one that has to import torch takes seconds for that."""

CONFIGURATIONS = {
    "ppo": {"total_timesteps": 1_000, "hyperparameters": {"n_envs": 4, "net_arch": [64, 64]}},
    "dqn": {"total_timesteps": 800, "hyperparameters": {"net_arch": [64, 64], "train_freq": 2}},
}


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[RunFolder]]:
    """Each configuration, trained by workers, one of them a fork, and in this process."""
    root = tmp_path_factory.mktemp("runs")
    launchers = {"cold": ProcessLauncher(warm=False), "fork": forking_launcher(), "prewarmed": impatient_launcher()}
    runs: dict[str, list[RunFolder]] = {}
    for algo, configuration in CONFIGURATIONS.items():
        runs[algo] = [make_run(root, name, algo=algo, **configuration) for name in (*LAUNCHERS[algo], "here")]
        workers = []
        for folder, name in zip(runs[algo], LAUNCHERS[algo], strict=False):
            launchers[name].maintain()
            warm = worker_processes()
            workers.append(launchers[name].launch(folder, Train()))
            pid = pid_of(workers[-1].identity)
            is_fork = TITLE in title_of(psutil.Process(parent_of(pid)))
            assert (is_fork, pid in warm) == (name == "fork", name == "prewarmed")
        assert train_run(runs[algo][-1])
        for worker in workers:
            assert eventually(worker.poll) == Exit(0)
    for launcher in launchers.values():
        launcher.close()
    return runs


@pytest.mark.parametrize("algo", CONFIGURATIONS)
def test_the_same_seed_gives_the_same_values_in_every_process(repeated: dict[str, list[RunFolder]], algo: str) -> None:
    for folder in repeated[algo]:
        assert kinds(folder) == ["started", "finished"]
    values, *others = [curves(folder) for folder in repeated[algo]]
    assert len(values) > 20
    assert any("train/loss" in row for _, row in values)
    assert others == [values] * len(LAUNCHERS[algo])


def test_two_runs_with_one_seed_start_with_equal_generators_also_for_pictures(tmp_path: Path) -> None:
    folder = make_run(tmp_path, env_id="ALE/Breakout-v5", hyperparameters={"n_envs": 1, "n_steps": 64})

    def spaces() -> list[Any]:
        with closing_environments(build_model(folder.read_config())) as model:
            return list(capture_generators(model)["spaces"])

    first = spaces()
    assert first[1] is not None, "what a network of convolutions draws from as it is made"
    assert spaces() == first


@pytest.mark.parametrize("env_id", ["CartPole-v1", "ALE/Breakout-v5"])
def test_generators_of_an_older_snapshot_are_restored_unchanged(tmp_path: Path, env_id: str) -> None:
    """Before observation spaces were seeded, those of pictures had a random generator and others had none."""
    folder = make_run(tmp_path, env_id=env_id, hyperparameters={"n_envs": 1, "n_steps": 64})
    with closing_environments(build_model(folder.read_config())) as model:
        states = capture_generators(model)
        states["spaces"][1] = Pictures(model.action_space).observation_space.np_random.bit_generator.state
        if env_id == "CartPole-v1":
            states["spaces"][1] = None
        restore_generators(model, states)
        assert capture_generators(model)["spaces"] == states["spaces"]


def test_earlier_work_in_the_same_process_does_not_change_the_results(tmp_path: Path) -> None:
    first, other, again = (make_run(tmp_path, f"{n}", seed=seed) for n, seed in enumerate((7, 8, 7)))
    for folder in (first, other, again):
        assert train_run(folder)
    assert curves(first) == curves(again) != curves(other)
