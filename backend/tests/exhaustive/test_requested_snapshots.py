"""Requested snapshots that wait for the next attempt or for a fork."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Event

from rlviz.domain.events import EventKind
from rlviz.domain.status import RunStatus
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.snapshots.forking import ForkRequest
from tests.real.test_requested_snapshots import MINE, mine, names
from tests.support.service import becomes, catalogued, ended, folder_of, service, start
from tests.support.training import events, make_run, messages, snapshots
from tests.support.waiting import eventually
from tests.support.workers import pid_of


def test_the_next_attempt_takes_a_snapshot_request_pending_at_a_worker_kill(tmp_path: Path) -> None:
    with service(tmp_path) as app:
        run_id = start(app, snapshots=snapshots(every_steps=128))
        folder = folder_of(app, run_id)
        eventually(lambda: names(folder), "a snapshot to go on from")
        pid = pid_of(events(folder, EventKind.STARTED)[-1].data.worker)
        os.kill(pid, signal.SIGSTOP)
        app.snapshots.request_snapshot(run_id, "mine", "It walks.")
        os.kill(pid, signal.SIGKILL)
        assert ended(app, run_id).state is RunStatus.INTERRUPTED
        assert "mine" not in names(folder)
        app.resuming.resume(run_id)
        eventually(lambda: "mine" in names(folder), "the snapshot that was asked for")
        app.resuming.pause(run_id)
        becomes(app, run_id, RunStatus.PAUSED)
        ended(app, run_id)
        before = names(folder).count("mine"), len(mine(folder))
        app.resuming.resume(run_id)
        eventually(lambda: len(events(folder, EventKind.STARTED)) == 3, "the third attempt")
        app.runs.stop(run_id)
        ended(app, run_id)
        assert (names(folder).count("mine"), len(mine(folder))) == before == (1, 1), "not once more"


def test_a_snapshot_request_pending_while_a_fork_replays_its_parent_is_taken_once_in_the_fork(
    tmp_path: Path,
) -> None:
    parent = make_run(tmp_path, "parent", total_timesteps=1_024, snapshots=snapshots(every_steps=512, keep=100))
    assert train_run(parent)
    with catalogued(tmp_path) as app:
        made = app.forks.fork(parent.run_id, ForkRequest(step=896, total_timesteps=1_280, start=True))
    child = RunFolder(tmp_path, made.id)
    child.change_control(desired=Desired.RUN, snapshot_requests=(MINE,))
    stopped = Event()
    stopped.set()
    assert train_run(child, stopped)
    [message] = messages(child)
    assert message.startswith("The snapshot mine that was requested was not taken")
    child.change_control(desired=Desired.RUN, attempt=2)
    assert train_run(child)
    [found] = [one.manifest for one in snapshots_of(child) if one.name == "mine"]
    assert 896 <= found.step < 1_280
