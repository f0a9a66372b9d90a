"""Runs whose worker was launched and has not started to train, with a fake worker."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rlviz.domain.errors import IllegalTransition, RunIsActive
from rlviz.domain.events import FinishedData, StartedData
from rlviz.domain.status import RunStatus
from rlviz.launchers.base import Exit
from rlviz.launchers.process import ProcessLauncher
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from tests.support.service import becomes, ended, folder_of, service, start
from tests.support.training import kinds
from tests.support.waiting import eventually
from tests.support.workers import Actor

S = RunStatus
BEGAN = 2_000_000_000.0
"""When training begins, in Unix seconds: later than any launch."""


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Actor:
    """A fake worker that every launch and every adoption returns."""
    worker = Actor()
    monkeypatch.setattr(ProcessLauncher, "launch", lambda *_: worker)
    monkeypatch.setattr(ProcessLauncher, "adopt", lambda *_: worker)
    return worker


@pytest.fixture
def app(tmp_path: Path, worker: Actor) -> Iterator[Application]:
    with service(tmp_path) as application:
        yield application


def launched(app: Application) -> str:
    """A run that has a worker."""
    run_id = start(app)
    eventually(lambda: app.runs.get(run_id).worker, "a worker")
    return run_id


def begin(folder: RunFolder) -> None:
    with closing(RunJournals(folder, clock=lambda: BEGAN)) as journals:
        journals.event(0, StartedData(worker=Actor().identity))


def finish(folder: RunFolder, worker: Actor) -> None:
    with closing(RunJournals(folder)) as journals:
        journals.event(64, FinishedData(path="model.zip"))
    worker.exit = Exit(0)


def test_a_run_is_starting_until_its_worker_starts_and_its_time_counts_from_then(
    app: Application, worker: Actor
) -> None:
    run_id = launched(app)
    row = app.runs.get(run_id)
    assert (row.state, row.started_at, row.worker) == (S.STARTING, None, worker.identity)
    assert app.runs.load() == (1, 0), "it takes a place"
    assert list(app.runs.training()) == [run_id], "it is asked to stop when the service ends"
    begin(folder_of(app, run_id))
    assert becomes(app, run_id, S.RUNNING).started_at == BEGAN
    finish(folder_of(app, run_id), worker)
    assert ended(app, run_id).state is S.COMPLETED


def test_a_starting_run_cannot_be_started_again_or_deleted(app: Application, worker: Actor) -> None:
    run_id = launched(app)
    with pytest.raises(IllegalTransition, match="already starting"):
        app.runs.start(run_id)
    with pytest.raises(RunIsActive):
        app.runs.delete(run_id)
    worker.exit = Exit(-9)
    row = ended(app, run_id)
    assert (row.state, row.started_at) == (S.INTERRUPTED, None)


def test_a_run_whose_worker_cannot_be_launched_fails_with_the_cause(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(ProcessLauncher, "launch", refuse)
    row = ended(app, start(app))
    assert (row.state, row.started_at) == (S.FAILED, None)
    assert "Too many open files" in (row.cause or "")


def test_a_run_stopped_while_it_is_starting_never_started(app: Application, worker: Actor) -> None:
    run_id = launched(app)
    assert app.runs.stop(run_id).state is S.STOPPING
    worker.exit = Exit(0)
    row = ended(app, run_id)
    assert (row.state, row.started_at, row.cause) == (S.STOPPED, None, None)
    assert kinds(folder_of(app, run_id)) == ["stopped"]


def test_a_worker_that_starts_after_a_stop_request_leaves_the_run_stopping(app: Application, worker: Actor) -> None:
    run_id = launched(app)
    app.runs.stop(run_id)
    begin(folder_of(app, run_id))
    assert eventually(lambda: app.runs.get(run_id).started_at, "the beginning") == BEGAN
    assert app.runs.get(run_id).state is S.STOPPING
    worker.exit = Exit(0)
    ended(app, run_id)


@pytest.mark.parametrize("begun", [False, True])
def test_a_starting_run_is_still_starting_after_a_restart_unless_it_started_meanwhile(
    tmp_path: Path, worker: Actor, begun: bool
) -> None:
    with service(tmp_path) as first:
        run_id = launched(first)
        folder = folder_of(first, run_id)
    worker.exit = None  # it outlives its service
    if begun:
        begin(folder)
    with service(tmp_path) as second:
        row = second.runs.get(run_id)
        assert (row.state, row.started_at) == ((S.RUNNING, BEGAN) if begun else (S.STARTING, None))
        if not begun:
            begin(folder)
        becomes(second, run_id, S.RUNNING)
        finish(folder, worker)
        assert ended(second, run_id).state is S.COMPLETED
