"""Evaluations and runs that ended while no service was running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.domain.status import RunStatus
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from tests.support.service import ENDLESS, evaluation_ended, folder_of, service
from tests.support.template import SOCKET, template_address
from tests.support.training import QUICK, column, events, kinds, make_run
from tests.support.waiting import eventually
from tests.support.workers import descendants, is_running, pid_of, worker_processes

S = RunStatus


SERVICE = """
import json, sys, time
from pathlib import Path
from rlviz.launchers.process import ProcessLauncher
from rlviz.server.application import Application
from rlviz.server.runs.configuration import NewRun
from rlviz.settings import Settings
from tests.support.template import SharedWorkers

runs_dir, steps, evaluated, hyperparameters = json.loads(sys.argv[1])
settings = Settings(_env_file=None, runs_dir=Path(runs_dir), max_concurrent_runs=len(steps) - 1)
app = Application(settings, launcher=ProcessLauncher(source=SharedWorkers()))
app.open()
ids = {}
for name, total in steps.items():
    new = NewRun("ppo", preset=None, seed=1, total_timesteps=total, hyperparameters=hyperparameters, name=name)
    ids[name] = app.runs.create(new).id
    app.runs.start(ids[name])
app.evaluations.create(evaluated, episodes=100, seed=1, deterministic=True)
print(json.dumps(ids), flush=True)
time.sleep(600)
"""


BACKEND = Path(__file__).parents[2]


STEPS = {"alive": ENDLESS, "killed": ENDLESS, "finished": 4_000, "rebooted": ENDLESS, "queued": 256}


@dataclass
class Story:
    """The second service, the runs of the first by name, and what the evaluation left."""

    app: Application
    ids: dict[str, str]
    evaluated: RunFolder
    half_file: list[str]
    alive_episodes: int

    def folder(self, name: str) -> RunFolder:
        return folder_of(self.app, self.ids[name])


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    root = tmp_path_factory.mktemp("runs")
    evaluated = make_run(root, total_timesteps=256)
    assert train_run(evaluated)

    arguments = json.dumps([str(root), STEPS, evaluated.run_id, QUICK["ppo"]])
    command, given = [sys.executable, "-c", SERVICE, arguments], {**os.environ, SOCKET: template_address()}
    with subprocess.Popen(command, cwd=BACKEND, env=given, stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        ids = json.loads(first.stdout.readline())
        folders = {name: RunFolder(root, run_id) for name, run_id in ids.items()}
        workers = halted_workers({name: folder for name, folder in folders.items() if name != "queued"})
        evaluator = halted_evaluator(first, evaluated)
        first.send_signal(signal.SIGKILL)

    half_file = [path.name for path in evaluated.evaluations.path.glob(".*")]
    for process in (workers["killed"], workers["rebooted"], evaluator):
        process.kill()
    workers["finished"].resume()  # the others stand still until the next service is there
    eventually(lambda: kinds(folders["finished"])[-1] == "finished", "the end of a run")
    eventually(lambda: not any(is_running(p.pid) for p in (workers["killed"], workers["finished"])), "their ends")
    pretend_another_boot(folders["rebooted"])
    with folders["killed"].metrics_path.open("ab") as torn:
        torn.write(b'{"seq": 99')

    alive_episodes = len(column(folders["alive"], "episode/index"))
    try:
        with service(root, max_concurrent_runs=4) as app:
            workers["alive"].resume()
            yield Story(app, ids, evaluated, half_file, alive_episodes)
    finally:
        if workers["alive"].is_running():
            workers["alive"].kill()
    assert worker_processes() == []


def halted_workers(folders: dict[str, RunFolder]) -> dict[str, psutil.Process]:
    """The worker of each run, suspended as soon as it has played an episode."""
    workers: dict[str, psutil.Process] = {}

    def halt() -> bool:
        for name in folders.keys() - workers.keys():
            if column(folders[name], "episode/index"):
                workers[name] = psutil.Process(pid_of(events(folders[name])[0].data.worker))
                workers[name].suspend()
        return len(workers) == len(folders)

    eventually(halt, "an episode of every run")
    return workers


def halted_evaluator(first: subprocess.Popen[bytes], evaluated: RunFolder) -> psutil.Process:
    """The evaluator, suspended half-way."""

    def playing() -> EvaluationRecord | None:
        record = evaluated.evaluations.read(evaluated.evaluations.ids()[0])
        return record if record.episodes_done else None

    eventually(playing, "the first episode of the evaluation")
    [evaluator] = [
        process
        for process in descendants(first.pid)
        if any(child.name().startswith("ffmpeg") for child in process.children())
    ]
    evaluator.suspend()
    assert evaluated.evaluations.read(evaluated.evaluations.ids()[0]).status is EvaluationStatus.RUNNING
    return evaluator


def pretend_another_boot(folder: RunFolder) -> None:
    started, *rest = folder.events_path.read_text().splitlines()
    record = json.loads(started)
    worker, _, _boot = record["data"]["worker"].rpartition(":")
    record["data"]["worker"] = f"{worker}:another"
    folder.events_path.write_text("\n".join([json.dumps(record), *rest]) + "\n")


def test_a_run_that_finished_meanwhile_is_completed(story: Story) -> None:
    row = story.app.runs.get(story.ids["finished"])
    assert row.state is S.COMPLETED
    assert row.step == row.policy_step == events(story.folder("finished"))[-1].step >= STEPS["finished"]
    assert row.cause is None


def test_an_evaluation_that_was_cut_off_failed_and_left_no_half_file(story: Story) -> None:
    assert story.half_file != []
    record = evaluation_ended(story.app, story.evaluated.run_id).parsed()
    assert record.status is EvaluationStatus.FAILED
    assert record.cause == "The worker ended before the evaluation was done, and its exit status is unknown."
    assert [path.name for path in story.evaluated.evaluations.path.iterdir()] == [f"{record.id}.json"]
    assert story.evaluated.evaluations.read(record.id) == record
