"""Pausing and resuming through the service, with real workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from rlviz.domain.errors import (
    ArtifactNotFound,
    IllegalTransition,
    InvalidRequest,
    NothingToResume,
    NotTraining,
    RunIsActive,
)
from rlviz.domain.events import EventKind
from rlviz.domain.status import RunStatus
from rlviz.rundir.changes import ToResume
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.server.application import Application
from rlviz.server.runs.configuration import NewRun
from tests.support.service import becomes, create, ended, folder_of, service, start
from tests.support.training import events, rows
from tests.support.waiting import eventually
from tests.support.workers import is_running, pid_of

S = RunStatus


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    with service(tmp_path / "runs") as application:
        yield application


def trains(app: Application, run_id: str, beyond: int = 0) -> None:
    eventually(lambda: app.runs.get(run_id).step > beyond, f"{run_id} to train beyond {beyond}")


def test_a_paused_run_resumes_after_a_restart_of_the_service(tmp_path: Path) -> None:
    with service(tmp_path / "runs", max_concurrent_runs=1) as app:
        run_id = start(app, steps=3_840)
        trains(app, run_id)
        assert app.resuming.pause(run_id).state is S.PAUSING
        assert app.resuming.pause(run_id).state in (S.PAUSING, S.PAUSED), "a second pause changes nothing"
        paused = becomes(app, run_id, S.PAUSED)
        assert paused.policy_step == paused.step
        eventually(lambda: not app.supervisor.is_live(run_id), "its worker to go")
        assert not is_running(pid_of(paused.worker))
    with service(tmp_path / "runs") as app:
        assert app.runs.get(run_id).model_dump() == paused.model_dump()
        queued = app.resuming.resume(run_id)
        assert (queued.state, queued.attempt, queued.cause) == (S.QUEUED, 2, None)
        row = ended(app, run_id)
        assert (row.state, row.resumed and row.resumed["verified"]) == (S.COMPLETED, 0)


def test_a_run_with_a_killed_worker_resumes_and_proves_it_exact(app: Application) -> None:
    run_id = start(app)
    trains(app, run_id)
    app.snapshots.request_snapshot(run_id, "mine", "Before the kill.")
    eventually(lambda: events(folder_of(app, run_id), EventKind.SNAPSHOT), "the snapshot")
    taken = events(folder_of(app, run_id), EventKind.SNAPSHOT)[0].step
    # The catalogue's step may come from an event while rows are buffered, and without rows there is nothing to prove.
    eventually(
        lambda: any(row["step"] > taken + 600 for row in rows(folder_of(app, run_id))), "rows after the snapshot"
    )
    for worker in app.supervisor._runs.monitors.workers():
        worker.kill()
    assert ended(app, run_id).state is S.INTERRUPTED
    beyond = app.runs.get(run_id).step
    app.resuming.resume(run_id)
    trains(app, run_id, beyond=beyond + 600)
    row = app.runs.get(run_id)
    assert row.resumed is not None
    assert (row.resumed["snapshot"], row.resumed["diverged_at"]) == ("mine", None)
    assert row.resumed["verified"] > 0
    assert row.superseded == []
    seqs = [line["seq"] for line in rows(folder_of(app, run_id))]
    assert seqs == list(range(1, len(seqs) + 1))
    app.runs.stop(run_id)
    assert ended(app, run_id).state is S.STOPPED


def test_an_impossible_resume_says_why(app: Application) -> None:
    never = create(app)
    with pytest.raises(IllegalTransition, match="'created' cannot become 'pausing'"):
        app.resuming.pause(never)
    with pytest.raises(IllegalTransition, match="'created' cannot become 'queued'"):
        app.resuming.resume(never)
    done = start(app, steps=640)
    assert ended(app, done).state is S.COMPLETED
    with pytest.raises(NothingToResume, match="Give a larger total_timesteps"):
        app.resuming.resume(done)
    with pytest.raises(InvalidRequest, match="at least as many"):
        app.resuming.resume(done, total_timesteps=100)
    with pytest.raises(ArtifactNotFound, match="has no snapshot 'none-such'"):
        app.resuming.resume(done, snapshot="none-such", total_timesteps=1_280)
    with pytest.raises(NotTraining, match="only while it trains"):
        app.snapshots.request_snapshot(done, None, "")
    with (
        training_lock(folder_of(app, done)),
        pytest.raises(RunIsActive, match="Another worker is training"),
    ):
        app.resuming.resume(done, total_timesteps=1_280)
    assert app.resuming.resume(done, total_timesteps=1_280).attempt == 2
    with pytest.raises(IllegalTransition):
        app.resuming.resume(done, total_timesteps=1_280)
    row = ended(app, done)
    assert (row.state, row.step, row.total_timesteps) == (S.COMPLETED, 1_280, 1_280)
    for snapshot in app.snapshots.list(done).snapshots:
        app.snapshots.delete(done, snapshot.name)
    with pytest.raises(NothingToResume, match="no complete snapshot"):
        app.resuming.resume(done, total_timesteps=2_560)


def test_a_pause_during_a_rollback_request_is_not_lost(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = start(app)
    trains(app, run_id)
    app.snapshots.request_snapshot(run_id, "first", "")
    eventually(lambda: "first" in [one.name for one in app.snapshots.list(run_id).snapshots], "the snapshot")
    pausing, write = Thread(target=app.resuming.pause, args=(run_id,)), RunFolder.write_control

    def write_slowly(folder: RunFolder, control: Control) -> None:
        if control.desired is Desired.RUN:
            pausing.start()
            pausing.join(0.5)
        write(folder, control)

    monkeypatch.setattr(RunFolder, "write_control", write_slowly)
    app.resuming.roll_back(run_id, "first")
    pausing.join()
    assert folder_of(app, run_id).read_control().desired is Desired.PAUSE
    assert ended(app, run_id).state is S.PAUSED


def test_when_the_app_exits_learning_runs_pause_and_others_stop(tmp_path: Path) -> None:
    with service(tmp_path / "runs", max_concurrent_runs=2) as app:
        learns = start(app)
        plays = app.runs.create(NewRun("random", preset=None, total_timesteps=10_000_000), start=True).id
        trains(app, learns)
        trains(app, plays)
        assert app.forks.changes(plays).changes == []
        app.wind_down()
        assert ended(app, learns).state in (S.PAUSED, S.STOPPED), "stopped if it could not pause in time"
        stopped = ended(app, plays)
        assert (stopped.state, stopped.cause) == (S.STOPPED, "The app was ended.")
        assert ToResume(tmp_path / "runs").read() == [learns]
