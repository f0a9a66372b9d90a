"""Rules that conflict with each other or with a user's request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind, RuleFiredData
from rlviz.domain.rules import Rule
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot
from tests.support.training import events, kinds, make_run, messages, rows, snapshots

BACK = {"kind": "roll_back"}


PAUSE = {"kind": "pause"}


STOP = {"kind": "stop"}


STOP_AFTER_THE_UPDATE = {"kind": "stop", "grace_seconds": 600}


HALVE = {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5}


def at_episode(number: int, *do: dict[str, Any], **more: Any) -> Rule:
    when = {"kind": "metric", "metric": "episode/index", "side": "at_least", "value": number}
    return Rule.model_validate({"when": when, "do": do, **more})


def done(folder: RunFolder) -> dict[int, tuple[list[str], list[str]]]:
    """Return the applied and skipped actions of each rule at its first firing, by rule number."""
    told: dict[int, tuple[list[str], list[str]]] = {}
    for event in events(folder, EventKind.RULE_FIRED):
        assert isinstance(event.data, RuleFiredData)
        told.setdefault(event.data.rule, (event.data.done, event.data.not_done))
    return told


def trained(root: Path, *rules: Rule, **changes: Any) -> RunFolder:
    plan = snapshots(every_steps=100, keep=100)
    folder = make_run(root, total_timesteps=700, snapshots=plan, rules=list(rules), **changes)
    assert train_run(folder)
    assert messages(folder) == []
    return folder


def test_an_immediate_stop_precedes_actions_that_wait_for_the_next_rollout(tmp_path: Path) -> None:
    folder = trained(tmp_path, at_episode(10, PAUSE), at_episode(11, STOP))
    assert kinds(folder)[-1] == "finished"
    assert done(folder) == {1: ([], ["Skipped “pause”: training ends."]), 2: (["stop"], [])}


def test_a_rule_that_ends_a_run_wins_over_a_simultaneous_pause(tmp_path: Path, at: Callable[..., None]) -> None:
    at(300, lambda callback: callback._pause.request())
    when = {"kind": "metric", "metric": "train/n_updates", "value": 4}
    folder = trained(tmp_path, Rule.model_validate({"when": when, "do": [STOP]}))
    assert done(folder) == {1: (["stop"], [])}
    assert kinds(folder)[-1] == "finished"
    indices = [row["values"]["episode/index"] for row in rows(folder) if "episode/index" in row["values"]]
    assert indices == list(range(1, len(indices) + 1)), "nothing that was held back is lost"


def test_a_rollback_by_a_rule_is_followed_by_the_users_simultaneous_pause(
    tmp_path: Path, at: Callable[..., None]
) -> None:
    at(300, lambda callback: callback._pause.request())
    folder = trained(tmp_path, at_episode(13, BACK, HALVE, at_most=1))
    assert done(folder)[1] == (["roll back", "halve the learning rate"], [])
    [back] = events(folder, EventKind.ROLLBACK)
    assert kinds(folder)[-1] == "paused"
    paused = events(folder, EventKind.PAUSED)[-1]
    assert paused.step == back.step
    newest = newest_usable_snapshot(folder)
    assert newest is not None
    folder.write_control(Control(desired=Desired.RUN, attempt=3, resume_from=newest.name))
    assert train_run(folder)
    assert kinds(folder)[-1] == "finished"
    rates = [row["values"]["train/learning_rate"] for row in rows(folder) if "train/learning_rate" in row["values"]]
    assert len(set(rates)) == 2
    assert rates[-1] == pytest.approx(rates[0] / 2)


def test_a_rollback_skips_other_rule_actions_of_the_same_moment(tmp_path: Path) -> None:
    others = [{"kind": "snapshot"}, HALVE, {"kind": "notify", "message": "Look"}]
    folder = trained(tmp_path, at_episode(10, *others, at_most=1), at_episode(11, BACK, at_most=1))
    assert done(folder)[2] == (["roll back"], [])
    assert done(folder)[1] == (
        ["notify"],
        [
            "Skipped “take a snapshot”: training rolls back.",
            "Skipped “halve the learning rate”: training rolls back.",
        ],
    )


def test_the_sooner_of_two_stops_counts(tmp_path: Path) -> None:
    folder = trained(tmp_path, at_episode(10, STOP_AFTER_THE_UPDATE), at_episode(11, STOP))
    [finished] = events(folder, EventKind.FINISHED)
    assert finished.data.ended_early == "When Episodes is at least 11: stop."  # type: ignore[union-attr]


def test_a_rollback_is_skipped_in_a_run_that_the_user_stops(tmp_path: Path, at: Callable[..., None]) -> None:
    at(300, lambda callback: (callback.rollbacks.request("128"), callback._pause.request(), callback._stop.set()))
    folder = trained(tmp_path)
    assert kinds(folder)[-1] == "stopped"
    assert events(folder, EventKind.ROLLBACK) == []
