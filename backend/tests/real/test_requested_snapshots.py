"""Snapshots requested by a user are taken in this attempt or the next, or reported as missed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import NotTraining
from rlviz.domain.events import EventKind
from rlviz.domain.status import RunStatus
from rlviz.learning.training import callback
from rlviz.learning.training.callback import RunCallback
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Desired, SnapshotRequest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.runs.configuration import NewRun
from tests.support.service import ENDLESS, becomes, service
from tests.support.training import events, kinds, make_run, messages, snapshots

MINE = SnapshotRequest(number=1, name="mine", message="It walks.")


def names(folder: RunFolder) -> list[str]:
    return [one.name for one in snapshots_of(folder)]


def mine(folder: RunFolder) -> list[Any]:
    """Return the events about the requested snapshot."""
    return [event for event in events(folder, EventKind.SNAPSHOT) if event.data.name == MINE.name]


def ask(folder: RunFolder, callback: RunCallback, *, stop: bool = False) -> None:
    """Request a snapshot at the last moment, when the watcher may miss it."""
    folder.change_control(snapshot_requests=(MINE,))
    if stop:
        callback._stop.set()


def test_a_pending_snapshot_request_is_taken_where_a_stop_ends_training(tmp_path: Path, at: Any) -> None:
    folder = make_run(tmp_path, total_timesteps=1_024, snapshots=snapshots(every_steps=128))
    at(700, partial(ask, folder, stop=True))
    assert train_run(folder)
    assert kinds(folder)[-1] == "stopped"
    assert [one.manifest.step for one in snapshots_of(folder) if one.name == "mine"] == [events(folder)[-1].step]


def test_a_snapshot_request_pending_at_a_stop_is_reported_and_taken_if_training_continues(
    tmp_path: Path, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callback, "LAST_BOUNDARY_SECONDS", 0.0)  # training ends within the rollout
    folder = make_run(tmp_path, total_timesteps=1_024, snapshots=snapshots(every_steps=128))
    at(700, partial(ask, folder, stop=True))
    assert train_run(folder)
    [message] = messages(folder)
    assert message.startswith("The snapshot mine that was requested was not taken")
    assert kinds(folder)[-1] == "stopped"
    assert "mine" not in names(folder)
    folder.change_control(desired=Desired.RUN, attempt=2, resume_from=names(folder)[-1])
    assert train_run(folder)
    [found] = [one.manifest for one in snapshots_of(folder) if one.name == "mine"]
    assert found.message == "It walks."
    assert 640 <= found.step < 1_024


def test_a_snapshot_request_pending_in_the_last_rollout_is_taken_at_the_end(tmp_path: Path, at: Any) -> None:
    folder = make_run(tmp_path, total_timesteps=1_024)
    at(1_020, partial(ask, folder))
    assert train_run(folder)
    assert messages(folder) == []
    assert {one.name: one.manifest.step for one in snapshots_of(folder)} == {"mine": 1_024}


def test_a_run_without_learning_refuses_snapshot_requests(tmp_path: Path) -> None:
    with service(tmp_path) as app:
        run_id = app.runs.create(NewRun(algo="random", preset=None, seed=1, total_timesteps=ENDLESS)).id
        app.runs.start(run_id)
        becomes(app, run_id, RunStatus.RUNNING)
        with pytest.raises(NotTraining, match="Nothing learns"):
            app.snapshots.request_snapshot(run_id, "mine", "")
