"""Supervised runs in real worker processes that are stopped, fail or are killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.errors import IllegalTransition, RunIsActive
from rlviz.domain.events import InterruptedData
from rlviz.domain.status import RunStatus
from rlviz.rundir.journal import read_journal
from rlviz.server.application import Application
from rlviz.server.catalog.projection.rebuild import RebuildResult
from tests.support.service import (
    becomes,
    catalogue,
    create,
    ended,
    folder_of,
    service,
    start,
    stop_all,
)
from tests.support.training import column, events, kinds
from tests.support.waiting import eventually
from tests.support.workers import pid_of, worker_processes

pytestmark = pytest.mark.usefixtures("_no_run_goes_on")


S = RunStatus


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """A service that trains one run at a time."""
    with service(tmp_path_factory.mktemp("runs"), max_concurrent_runs=1) as application:
        yield application
    assert worker_processes() == []


@pytest.fixture
def _no_run_goes_on(app: Application) -> Iterator[None]:
    yield
    stop_all(app)


def trains(app: Application, run_id: str) -> None:
    becomes(app, run_id, S.RUNNING)
    eventually(lambda: column(folder_of(app, run_id), "episode/index"), "the first episode")


LONG_UPDATES = {
    "ppo": ({"n_envs": 2, "n_steps": 64, "batch_size": 2, "n_epochs": 40}, 128),
    "dqn": ({"learning_starts": 100, "train_freq": 256, "gradient_steps": 10_000}, 256),
}


def test_a_stop_during_an_update_ends_as_stopped_with_a_model(app: Application) -> None:
    stop_in_the_middle_of_an_update(app, "ppo")


def stop_in_the_middle_of_an_update(app: Application, algo: str) -> None:
    hyperparameters, rollout = LONG_UPDATES[algo]
    run_id = start(app, algo=algo, hyperparameters=hyperparameters)
    folder = folder_of(app, run_id)
    becomes(app, run_id, S.RUNNING)
    eventually(lambda: sum(map(int, filter(None, column(folder, "episode/length")))) > rollout * 0.5, "half a rollout")
    assert app.runs.stop(run_id).state is S.STOPPING
    assert app.runs.stop(run_id).state in (S.STOPPING, S.STOPPED), "a second stop changes nothing"
    row = ended(app, run_id)
    assert row.state is S.STOPPED
    assert kinds(folder) == ["started", "stopped"]
    assert events(folder)[-1].step <= rollout, "not after the update"
    assert row.policy_step == events(folder)[-1].step
    assert folder.model_path.is_file()
    assert app.runs.stop(run_id) == row, "a stop after the end changes nothing either"
    with pytest.raises(IllegalTransition, match="'stopped' cannot become 'queued'"):
        app.runs.start(run_id)


def test_an_error_in_training_is_the_cause_of_a_failed_run(app: Application) -> None:
    run_id = create(app)
    config = folder_of(app, run_id).config_path
    written = json.loads(config.read_text())
    written["hyperparameters"]["learning_rate"] = -1.0
    config.write_text(json.dumps(written))
    app.runs.start(run_id)
    row = ended(app, run_id)
    assert row.state is S.FAILED
    assert row.cause == "InvalidRequest: PPO cannot train with these values: learning_rate."
    assert row.traceback is not None
    assert "in build_model" in row.traceback


def test_a_killed_worker_leaves_an_interrupted_run_that_names_the_signal(app: Application) -> None:
    run_id = start(app)
    trains(app, run_id)
    with pytest.raises(IllegalTransition, match="'running' cannot become 'queued'"):
        app.runs.start(run_id)
    with pytest.raises(RunIsActive):
        app.runs.delete(run_id)
    pid = pid_of(app.runs.get(run_id).worker)
    os.kill(pid, signal.SIGKILL)
    row = ended(app, run_id)
    folder = folder_of(app, run_id)
    assert (row.state, row.cause) == (S.INTERRUPTED, "The worker was killed by signal 9 (SIGKILL).")
    assert row.ended_at is not None
    last = events(folder)[-1]
    assert isinstance(last.data, InterruptedData)
    assert (last.data.attempt, last.data.cause, last.time) == (1, row.cause, row.ended_at)
    newest = [line.record for line in read_journal(folder.metrics_path)][-1]
    assert last.data.trained_until == newest["time"] < row.ended_at
    assert [line.record for line in read_journal(folder.metrics_path) if line.record is None] == []


def test_a_run_whose_worker_cannot_start_fails_and_its_folder_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
    with service(tmp_path / "runs", warm_worker=False) as app:
        run_id = start(app)
        row = ended(app, run_id)
        assert row.state is S.FAILED
        assert row.cause is not None
        assert row.cause.startswith("LauncherError: The worker process could not be started")
        assert kinds(folder_of(app, run_id)) == ["error"]
        before = catalogue(app.database)
        assert app.rebuild() == RebuildResult(1, 0, [])
        assert catalogue(app.database) == before


def test_a_run_whose_folder_is_removed_while_it_trains_still_ends(tmp_path: Path) -> None:
    with service(tmp_path, max_concurrent_runs=1) as app:
        run_id = start(app)
        trains(app, run_id)
        folder_of(app, run_id).path.rename(tmp_path.parent / f"{tmp_path.name}-away")  # at once, unlike a deletion
        pid = pid_of(app.runs.get(run_id).worker)
        os.kill(pid, signal.SIGKILL)
        assert ended(app, run_id).state is S.INTERRUPTED
        app.runs.delete(run_id)
