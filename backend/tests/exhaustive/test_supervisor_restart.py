"""Recovery of the supervisor after the service was killed.

All tests share one scenario: a service with five runs and an evaluation is killed, some of them end in different ways
while it is down, and another service starts.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from rlviz.domain.errors import IllegalTransition
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.domain.events import EventKind, FinishedData, StartedData
from rlviz.domain.status import RunStatus
from rlviz.launchers.process import ProcessLauncher
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.server.application import Application
from rlviz.server.catalog.runs import move_run
from tests.support.service import (
    ENDLESS,
    becomes,
    catalogue,
    create,
    ended,
    evaluation_ended,
    folder_of,
    service,
)
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
    """The second service, the runs of the first by name, and the files of the evaluation."""

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
    """The worker of each run, suspended after its first episode."""
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
    """The evaluator, suspended during its evaluation."""

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


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("killed", "The worker ended while the service was not running."),
        ("rebooted", "The host was restarted."),
    ],
)
def test_a_run_whose_worker_died_is_interrupted_with_its_cause(story: Story, name: str, cause: str) -> None:
    row = story.app.runs.get(story.ids[name])
    assert (row.state, row.cause) == (S.INTERRUPTED, cause)
    last = events(story.folder(name))[-1]
    assert (last.event, last.data.cause, last.time) == (EventKind.INTERRUPTED, cause, row.ended_at)
    assert row.episodes == column(story.folder(name), "episode/index")[-1]


def test_queued_runs_are_trained_after_a_restart(story: Story) -> None:
    row = becomes(story.app, story.ids["queued"], S.COMPLETED)
    assert row.queued_at is not None
    assert kinds(story.folder("queued")) == ["started", "finished"]


def test_a_run_that_finished_while_the_service_was_down_is_completed(story: Story) -> None:
    row = story.app.runs.get(story.ids["finished"])
    assert row.state is S.COMPLETED
    assert row.step == row.policy_step == events(story.folder("finished"))[-1].step >= STEPS["finished"]
    assert row.cause is None


def test_a_cut_off_evaluation_failed_and_left_no_partial_file(story: Story) -> None:
    assert story.half_file != []
    record = evaluation_ended(story.app, story.evaluated.run_id).parsed()
    assert record.status is EvaluationStatus.FAILED
    assert record.cause == "The worker ended before the evaluation was done, and its exit status is unknown."
    assert [path.name for path in story.evaluated.evaluations.path.iterdir()] == [f"{record.id}.json"]
    assert story.evaluated.evaluations.read(record.id) == record


def test_a_live_worker_is_adopted_and_followed_to_its_end(story: Story) -> None:
    run_id, folder = story.ids["alive"], story.folder("alive")
    assert story.app.runs.get(run_id).state is S.RUNNING
    eventually(lambda: len(column(folder, "episode/index")) > story.alive_episodes + 20, "training to go on")
    seen = eventually(
        lambda: row if (row := story.app.runs.get(run_id)).episodes > story.alive_episodes else None, "progress"
    )
    assert seen.worker == events(folder)[0].data.worker
    story.app.runs.stop(run_id)
    row = ended(story.app, run_id)
    assert row.state is S.STOPPED
    assert [kind for kind in kinds(folder) if kind != "checkpoint"] == ["started", "stopped"]
    assert row.step == events(folder)[-1].step


def test_a_run_without_a_trace_of_its_worker_is_interrupted_and_a_late_worker_refuses_it(tmp_path: Path) -> None:
    """Its service was killed between launching the worker and recording it; the worker was still importing."""
    with service(tmp_path) as app:
        run_id = create(app)
        with app.database.write() as session:
            move_run(session, run_id, S.QUEUED)
            move_run(session, run_id, S.STARTING)
    with service(tmp_path) as app:
        row = app.runs.get(run_id)
        assert (row.state, row.cause) == (S.INTERRUPTED, "The worker ended while the service was not running.")
        with pytest.raises(IllegalTransition):
            train_run(folder_of(app, run_id))
        assert kinds(folder_of(app, run_id)) == ["interrupted"]


@pytest.mark.parametrize("last_word", [FinishedData(path="model.zip"), None])
def test_a_worker_that_finishes_during_recovery_is_not_marked_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_word: FinishedData | None
) -> None:
    """It is alive when its journal is read and has exited when it is searched for; or it trains and cannot be found."""
    with service(tmp_path) as app:
        run_id = create(app)
        with app.database.write() as session:
            move_run(session, run_id, S.QUEUED)
            move_run(session, run_id, S.STARTING)
    folder = folder_of(app, run_id)

    def end_and_be_gone(*_arguments: object) -> None:
        if last_word:
            journals.event(5, last_word)

    monkeypatch.setattr(ProcessLauncher, "adopt", end_and_be_gone)
    with closing(RunJournals(folder)) as journals, training_lock(folder):
        journals.event(0, StartedData(worker="process:1:1.0:"))
        with service(tmp_path) as again:
            if last_word is None:
                assert again.runs.get(run_id).state is S.RUNNING
                journals.event(5, FinishedData(path="model.zip"))
            assert ended(again, run_id).state is S.COMPLETED
    assert kinds(folder) == ["started", "finished"]


def test_an_interrupted_deletion_is_completed(tmp_path: Path) -> None:
    with service(tmp_path) as app:
        deleted, kept = create(app), create(app)
        app.trash.put(folder_of(app, deleted), time.time())  # and then the service was killed
    with service(tmp_path) as again:
        assert list(catalogue(again.database)) == [kept]
        again.runs.restore(deleted)
        assert catalogue(again.database).keys() == {kept, deleted}


def test_a_folder_without_a_catalogue_row_is_indexed_at_the_start(tmp_path: Path) -> None:
    with service(tmp_path) as app:
        known = create(app)
        added = make_run(tmp_path, "put there by hand".replace(" ", "-"))
    with service(tmp_path) as again:
        assert catalogue(again.database).keys() == {known, added.run_id}


def test_a_deleted_catalogue_is_rebuilt_from_the_folders(tmp_path: Path) -> None:
    folders = [make_run(tmp_path, name, total_timesteps=128) for name in ("one", "two")]
    for folder in folders:
        assert train_run(folder)
    with service(tmp_path) as app:
        app.runs.relabel(folders[0].run_id, {"tags": ["kept"], "notes": "kept"})
        before = catalogue(app.database)
    assert [row["status"] for row in before.values()] == ["completed"] * 2
    for name in ("rlviz.db", "rlviz.db-wal", "rlviz.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    with service(tmp_path) as app:
        assert catalogue(app.database) == before


def test_a_second_start_leaves_a_complete_catalogue_unchanged(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=128)
    assert train_run(folder)
    with service(tmp_path) as app:
        before = catalogue(app.database)
    with service(tmp_path) as app:
        assert catalogue(app.database) == before
