"""Pauses when the app exits meet their deadline, even during a long rollout."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from rlviz.domain.events import EventKind, PausedData
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.snapshots import snapshots_of
from tests.support.training import curves, events, kinds, make_run, messages, rows, snapshots
from tests.support.waiting import eventually

ENDLESS_ROLLOUT = {"n_steps": 65_536, "n_envs": 8}


@pytest.mark.parametrize("how", ["by the clock", "by a signal"])
def test_an_overdue_pause_returns_to_the_newest_start_of_a_rollout(tmp_path: Path, how: str) -> None:
    hourly = snapshots(every_seconds=3_600)
    folder = make_run(tmp_path, total_timesteps=10_000_000, hyperparameters=ENDLESS_ROLLOUT, snapshots=hourly)
    stop = Event()
    trained: list[bool] = []
    worker = Thread(target=lambda: trained.append(train_run(folder, stop)))
    worker.start()
    eventually(lambda: len(rows(folder)) > 20, "some episodes")
    within = 0.1 if how == "by the clock" else None
    folder.change_control(desired=Desired.PAUSE, pause_within=within)
    if how == "by a signal":
        eventually(lambda: "pausing" in kinds(folder), "the pause to be on its way")
        stop.set()
    worker.join()
    assert trained == [True]
    last = events(folder)[-1]
    assert isinstance(last.data, PausedData)
    assert last.data.snapshot == (snapshots_of(folder)[-1].name if snapshots_of(folder) else None)
    assert last.step < 8 * 65_536
    assert messages(folder) == []


def test_a_run_resumed_from_an_overdue_pause_has_the_same_result(tmp_path: Path) -> None:
    plan = snapshots(every_steps=100, keep=100)
    whole = make_run(tmp_path / "whole", total_timesteps=1_024, snapshots=plan)
    assert train_run(whole)
    folder = make_run(tmp_path / "paused", total_timesteps=1_024, snapshots=plan)
    folder.change_control(desired=Desired.RUN)
    worker = Thread(target=train_run, args=(folder,))
    worker.start()
    eventually(lambda: len(snapshots_of(folder)) > 1, "snapshots")
    folder.change_control(desired=Desired.PAUSE, pause_within=0.0)
    worker.join()
    if kinds(folder)[-1] == "paused":  # else it was done before it heard of that
        resumed = Control(desired=Desired.RUN, attempt=2, resume_from=snapshots_of(folder)[-1].name)
        folder.write_control(resumed)
        assert train_run(folder)
    assert kinds(folder)[-1] == "finished"
    assert EventKind.DIVERGED not in kinds(folder)
    assert curves(folder) == curves(whole)
