"""A training fork that rolls back to its start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind
from rlviz.domain.rules import Rule
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import SnapshotRequest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot, usable_snapshots
from rlviz.server.snapshots.forking import ForkRequest
from tests.exhaustive.test_rollback import counted
from tests.support.resuming import final_state
from tests.support.service import catalogued
from tests.support.training import events, kinds, make_run, messages, rows, snapshots

HALVE = {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5}
BACK = {"kind": "roll_back"}
EVALUATED = {"every_steps": 150, "episodes": 1, "stop_after": None}


@pytest.fixture
def parent(request: pytest.FixtureRequest, tmp_path: Path) -> RunFolder:
    """A run with a snapshot at its end, at about 256 steps."""
    plan = snapshots(every_steps=10_000_000)
    folder = make_run(tmp_path, "parent", algo=request.param, total_timesteps=256, snapshots=plan, evaluation=EVALUATED)
    assert train_run(folder)
    return folder


def forked(parent: RunFolder, *rules: Rule, **changes: Any) -> RunFolder:
    """An untrained fork at the parent's end."""
    held = newest_usable_snapshot(parent)
    assert held is not None
    with catalogued(parent.path.parent) as app:
        wish = ForkRequest(snapshot=held.name, total_timesteps=700, hyperparameters=changes)
        child = RunFolder(parent.path.parent, app.forks.fork(parent.run_id, wish).id)
    config = child.read_config()
    child.config_path.write_text(config.model_copy(update={"rules": rules}).model_dump_json())
    return child


def beginning(folder: RunFolder) -> str:
    return next(one.name for one in usable_snapshots(folder) if one.is_inherited)


@pytest.mark.parametrize("parent", ["ppo", "dqn"], indirect=True)
@pytest.mark.parametrize("changes", [{"learning_rate": 0.002}, {"n_envs": 3}], ids=["value", "environments"])
def test_a_fork_rolled_back_to_its_start_computes_the_same_again(
    parent: RunFolder, at: Callable[..., None], changes: dict[str, Any]
) -> None:
    whole, folder = forked(parent, **changes), forked(parent, **changes)
    assert train_run(whole)
    at(500, lambda callback: callback.rollbacks.request(beginning(folder)))
    assert train_run(folder)
    assert messages(folder) == []
    [back] = events(folder, EventKind.ROLLBACK)
    config = folder.read_config()
    assert config.parent is not None
    assert (back.step, back.data.superseded.first) == (config.parent.step, 1)  # type: ignore[union-attr]
    assert kinds(folder).count("started") == 2
    assert counted(folder) == counted(whole)
    ours, theirs = final_state(folder), final_state(whole)
    assert [path for path, value in ours.items() if value != theirs[path] and "evaluation" not in path] == []
    assert beginning(folder), "and could once more"


@pytest.mark.parametrize("parent", ["ppo"], indirect=True)
def test_a_rule_rolls_a_fork_back_to_its_start_with_its_changes(parent: RunFolder) -> None:
    when = {"kind": "metric", "metric": "train/n_updates", "side": "above", "value": 0}
    folder = forked(parent, Rule.model_validate({"when": when, "do": [BACK, HALVE], "at_most": 2}))
    assert train_run(folder)
    assert messages(folder) == []
    backs = [event.data for event in events(folder, EventKind.ROLLBACK)]
    assert [(one.rule, one.count) for one in backs] == [(1, 1), (1, 2)]  # type: ignore[union-attr]
    assert kinds(folder)[-1] == "finished"
    rates = [row["values"]["train/learning_rate"] for row in rows(folder) if "train/learning_rate" in row["values"]]
    assert rates[-1] == pytest.approx(rates[0] / 4)


@pytest.mark.parametrize("parent", ["ppo"], indirect=True)
def test_a_fork_paused_during_the_rollback_pauses_at_its_start(parent: RunFolder, at: Callable[..., None]) -> None:
    folder = forked(parent)

    def both(callback: Any) -> None:
        callback._pause.request()
        callback.rollbacks.request(beginning(folder))

    at(500, both)
    assert train_run(folder)
    [back] = events(folder, EventKind.ROLLBACK)
    assert kinds(folder)[-1] == "paused"
    assert events(folder, EventKind.PAUSED)[-1].step == back.step


@pytest.mark.parametrize("parent", ["ppo"], indirect=True)
def test_a_pending_snapshot_request_is_taken_at_the_start_and_only_once(
    parent: RunFolder, at: Callable[..., None]
) -> None:
    folder = forked(parent)
    early, mine = SnapshotRequest(number=1, name="early"), SnapshotRequest(number=2, name="mine")
    folder.change_control(snapshot_requests=(early,))

    def both(callback: Any) -> None:
        folder.change_control(snapshot_requests=(early, mine))
        callback.snapshots.requested.add_requests((early, mine))
        callback.rollbacks.request(beginning(folder))

    at(500, both)
    assert train_run(folder)
    [back] = events(folder, EventKind.ROLLBACK)
    asked = [event for event in events(folder, EventKind.SNAPSHOT) if event.data.request]  # type: ignore[union-attr]
    assert [event.data.name for event in asked] == ["early", "mine"]  # type: ignore[union-attr]
    assert asked[1].step == back.step
    assert asked[1].seq > back.seq
