"""Causes and final snapshots of runs that a rule or a user ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.waiting import print_outcome
from rlviz.domain.events import PausingData, SnapshotData, StoppedData
from rlviz.domain.rules import Rule
from rlviz.domain.snapshots import Trigger
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.training import events, make_run, messages, rows, snapshots
from tests.support.waiting import eventually

PLAN = snapshots(every_seconds=3_600)
"""Snapshots are taken, but none is due by the clock."""


def stopping(steps: int, **stop: object) -> Rule:
    return Rule.model_validate({"when": {"kind": "steps", "steps": steps}, "do": [{"kind": "stop", **stop}]})


def test_a_rule_that_saves_nothing_stops_the_run_and_is_its_cause(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=2_000, snapshots=PLAN, rules=[stopping(300, then="abort")])
    assert train_run(folder)
    last = events(folder)[-1]
    assert isinstance(last.data, StoppedData)
    assert last.data.ended_early == "When 300 steps are done: stop without saving."
    assert last.step < 600
    assert not folder.model_path.exists()
    row = row_of_folder(folder)
    assert (row.status, row.policy_step) == ("stopped", None)
    assert row.cause == "A rule ended it without saving: When 300 steps are done: stop without saving."


def test_a_command_that_waited_for_a_failed_run_fails() -> None:
    run = {"id": "run-1", "status": "stopped", "step": 1, "end_step": 2, "ep_rew_mean": None, "cause": "A rule."}
    print_outcome({**run, "ended_early": None}, quiet=True)
    with pytest.raises(Failure, match="A rule") as failed:
        print_outcome({**run, "ended_early": "When 300 steps are done"}, quiet=True)
    assert failed.value.status == Exit.FAILED


@pytest.mark.parametrize("then", ["save", "report"])
def test_a_rule_that_saves_completes_the_run_with_a_snapshot_of_its_last_step(tmp_path: Path, then: str) -> None:
    folder = make_run(tmp_path, total_timesteps=2_000, snapshots=PLAN, rules=[stopping(300, then=then)])
    assert train_run(folder)
    last = events(folder)[-1]
    assert (last.event, last.step) == ("finished", 384), "the first start of a rollout from step 300 on"
    newest = snapshots_of(folder)[-1].manifest
    assert (newest.step, newest.trigger) == (384, Trigger.STOPPED)


@pytest.mark.parametrize("algo", ["ppo", "dqn", "a2c"])
def test_a_manual_stop_ends_with_a_snapshot_of_the_last_step(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=10_000_000, snapshots=PLAN)
    stop = Event()
    trained: list[bool] = []
    worker = Thread(target=lambda: trained.append(train_run(folder, stop)))
    worker.start()
    eventually(lambda: len(rows(folder)) > 20, "some training")
    stop.set()
    worker.join()
    assert trained == [True]
    last = events(folder)[-1]
    assert last.event == "stopped"
    [taken] = [event for event in events(folder) if isinstance(event.data, SnapshotData)][-1:]
    assert taken.step == last.step
    assert snapshots_of(folder)[-1].manifest.step == last.step
    assert rows(folder)[-1]["seq"] == snapshots_of(folder)[-1].manifest.last_row, "nothing has to be trained again"
    assert messages(folder) == []


def test_a_stop_without_snapshots_ends_immediately(tmp_path: Path) -> None:
    hyperparameters = {"n_steps": 2_048, "n_envs": 8}
    folder = make_run(tmp_path, total_timesteps=1_000_000, hyperparameters=hyperparameters, rules=[stopping(100)])
    assert train_run(folder)
    assert events(folder)[-1].step < 2_048 * 8, "within the rollout"


@pytest.mark.parametrize(("total", "saves_at"), [(5_000, 2_000), (700, 700)])
def test_a_pause_of_a_tabular_run_names_the_step_at_which_it_saves(
    tmp_path: Path, at: Callable[..., None], total: int, saves_at: int
) -> None:
    folder = make_run(tmp_path, algo="q-learning", total_timesteps=total, snapshots=PLAN)
    at(300, lambda callback: callback._pause.request())
    assert train_run(folder)
    [told] = [event.data for event in events(folder) if isinstance(event.data, PausingData)]
    assert told.saves_at == saves_at
    last = events(folder)[-1]
    assert (last.event, last.step) == ("paused" if saves_at < total else "finished", saves_at)
