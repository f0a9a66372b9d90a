"""A fork at a step between two snapshots replays its parent exactly."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from rlviz.domain.rules import Rule, ScaleKnob, StepsLimit
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import find_fork_start
from tests.real.test_fork_between import beyond, forked, trained_twice
from tests.support.training import curves, kinds, messages, rows

RULE = Rule(when=StepsLimit(steps=600), do=[ScaleKnob(knob="learning_rate", factor=0.5)])


CHANGES: dict[str, dict[str, Any]] = {
    "ppo": {"hyperparameters": {"clip_range_schedule": "linear"}, "rules": [RULE]},
    "dqn": {"hyperparameters": {"buffer_size": 300, "train_freq": 4}},
}


@pytest.mark.parametrize(("algo", "step"), [("ppo", 896), ("dqn", 804)])
def test_a_fork_between_snapshots_computes_the_same_rows_as_its_parent(tmp_path: Path, algo: str, step: int) -> None:
    parent = trained_twice(tmp_path, algo, **CHANGES[algo])
    child = forked(parent, 801)
    fork = child.read_config().parent
    assert fork is not None
    assert (fork.snapshot, fork.step) == ("512", step)
    expected = beyond(parent, step)
    last_row = max(row["seq"] for row in rows(parent) if row["step"] <= step)
    shutil.rmtree(parent.path)
    assert train_run(child, stop_at_once()), "it is stopped while it trains its parent again"
    assert (kinds(child), rows(child)) == (["stopped"], [])
    child.change_control(attempt=2)
    assert train_run(child)
    assert (kinds(child)[-1], messages(child)) == ("finished", [])
    assert expected
    assert curves(child) == expected
    assert not child.parent.exists()
    reached = find_fork_start(child, fork).manifest
    assert (reached.step, reached.attempt, reached.last_row) == (step, 2, last_row), "where it is in its parent's rows"


@pytest.mark.parametrize(("algo", "step"), [("ppo", 384), ("dqn", 304)])
def test_a_fork_before_the_first_snapshot_starts_where_its_parent_started(tmp_path: Path, algo: str, step: int) -> None:
    parent = trained_twice(tmp_path, algo, **CHANGES[algo])
    for path in parent.snapshots.glob("*.zip"):
        path.unlink()
    child = forked(parent, 301)
    fork = child.read_config().parent
    assert fork is not None
    assert (fork.snapshot, fork.step) == ("0", step)
    expected = [row for row in beyond(parent, step) if row[0] < 512]
    shutil.rmtree(parent.path)
    assert train_run(child, stop_at_once()), "it is stopped while it trains its parent again"
    assert (kinds(child), rows(child)) == (["stopped"], [])
    child.change_control(attempt=2, resume_from=None)
    assert train_run(child)
    assert (kinds(child)[-1], messages(child)) == ("finished", [])
    assert expected
    assert curves(child)[: len(expected)] == expected, "as the parent went on, until it was changed"
    assert not child.parent.exists()
    reached = find_fork_start(child, fork).manifest
    assert (reached.run_id, reached.step, reached.attempt) == (fork.run_id, step, 2)


@pytest.mark.parametrize(("has_snapshots", "step"), [(True, 640), (False, 128)])
def test_a_fork_warns_when_its_parent_replays_differently(tmp_path: Path, has_snapshots: bool, step: int) -> None:
    parent = trained_twice(tmp_path, "ppo")
    for path in parent.snapshots.glob("*.zip") if not has_snapshots else ():
        path.unlink()
    lines = parent.metrics_path.read_text().splitlines()
    changed = [re.sub(r'"train/loss": ?[^,}]+', '"train/loss":5.0', line) for line in lines]
    parent.metrics_path.write_text("\n".join(changed) + "\n")
    child = forked(parent, 801)
    assert train_run(child)
    [message] = messages(child)
    assert f"differed from step {step} on" in message


def test_a_fork_paused_while_it_replays_a_rollout_of_its_parent_starts_as_if_never_paused(
    tmp_path: Path, at: Any
) -> None:
    parent = trained_twice(tmp_path, "dqn", **CHANGES["dqn"])
    for path in parent.snapshots.glob("*.zip"):
        path.unlink()
    child = forked(parent, 301)
    at(150, lambda callback: callback._stop.set())
    assert train_run(child)
    assert kinds(child) == ["paused"]
    child.change_control(attempt=2, resume_from=None)
    assert train_run(child)
    assert (kinds(child)[-1], messages(child)) == ("finished", [])
    expected = [row for row in beyond(parent, 304) if row[0] < 512]
    assert curves(child)[: len(expected)] == expected


def stop_at_once() -> Event:
    stop = Event()
    stop.set()
    return stop
