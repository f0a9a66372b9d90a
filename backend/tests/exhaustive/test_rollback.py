"""Rollbacks in a running worker, from memory or from disk, are exact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind, RollbackData
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import superseded_rows
from rlviz.rundir.snapshots import newest_usable_snapshot, usable_snapshots
from tests.real.test_rollback import CASES, going_back, make, poisoned, rule
from tests.support.resuming import WALL_CLOCK, final_state, logged
from tests.support.training import events, make_run, messages, rows, snapshots

FROM_DISK = ("ppo", "dqn-wrapped-buffer", "sac-gsde")
"""Cases that also go back to what is in memory no more."""


def counted(folder: RunFolder) -> list[Any]:
    """Return the rows that count for the run, without values that depend on the clock."""
    left_out = superseded_rows(folder)
    found = (
        (row["step"], {name: value for name, value in row["values"].items() if name not in WALL_CLOCK})
        for row in rows(folder)
        if row["seq"] not in left_out
    )
    return [(step, values) for step, values in found if values]


@pytest.mark.parametrize("name", ["dqn-wrapped-buffer", "dqn-observations-once"])
def test_a_rollback_to_a_snapshot_with_rows_in_a_shared_segment_is_exact(
    tmp_path: Path, at: Callable[..., None], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = make(tmp_path / "whole", name)
    assert train_run(whole)
    expected, end = logged(whole), final_state(whole)
    monkeypatch.setattr("rlviz.learning.training.snapshot.schedule.SHORTEST_SECONDS", 0.0)
    monkeypatch.setattr("rlviz.learning.training.snapshot.schedule.SHARE", 1e9)
    folder = make(tmp_path / "often", name)
    at(whole.read_config().total_timesteps * 2 // 3, going_back())
    assert train_run(folder)
    assert counted(folder) == expected
    ours = final_state(folder)
    assert [path for path, value in ours.items() if value != end[path]] == []


@pytest.mark.parametrize("name", CASES)
def test_a_rolled_back_run_equals_one_that_never_rolled_back(
    tmp_path: Path, at: Callable[..., None], name: str
) -> None:
    whole = make(tmp_path / "whole", name)
    assert train_run(whole)
    expected, end = logged(whole), final_state(whole)
    step = whole.read_config().total_timesteps * 2 // 3
    for place in ("memory", "disk") if name in FROM_DISK else ("memory",):
        folder = make(tmp_path / place, name)
        at(step, going_back(forgetting=place == "disk"))
        assert train_run(folder)
        assert messages(folder) == []
        [back] = events(folder, EventKind.ROLLBACK)
        assert isinstance(back.data, RollbackData)
        assert (back.data.taken_in, back.data.superseded.attempt, back.data.superseded.beyond) == (1, 2, back.step)
        assert back.step < step
        assert counted(folder) == expected, place
        ours = final_state(folder)
        assert [path for path, value in ours.items() if value != end[path]] == [], place


HALVE = {"kind": "scale_knob", "knob": "learning_rate", "factor": 0.5}


def test_a_rule_rolls_back_further_each_time_beyond_memory_and_after_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = rule({"kind": "not_finite"}, {"kind": "roll_back"}, at_most=9)
    plan = snapshots(every_steps=100, keep=100)
    folder = make_run(tmp_path, total_timesteps=1_280, snapshots=plan, rules=[back])
    poisoned(monkeypatch, 1_100, 6)
    assert train_run(folder)
    been = [event.step for event in events(folder, EventKind.ROLLBACK)]
    assert been == [1_024, 896, 768, 640, 512, 384]
    poisoned(monkeypatch, 1_300, 1)
    for path in folder.snapshots.glob("*.zip"):
        if int(path.stem) not in (1_280, *been):
            path.unlink()
    newest = newest_usable_snapshot(folder)
    assert newest is not None
    folder.write_control(Control(desired=Desired.RUN, attempt=8, resume_from=newest.name, total_timesteps=1_536))
    assert train_run(folder)
    assert events(folder, EventKind.ROLLBACK)[-1].step == 1_280, "where it has not been, not where it has"


def test_a_resume_repeats_what_a_rule_did_at_a_rollback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    back = rule({"kind": "not_finite"}, {"kind": "roll_back"}, HALVE, at_most=3)
    plan = snapshots(every_steps=100, keep=100)
    folder = make_run(tmp_path, total_timesteps=700, snapshots=plan, rules=[back])
    poisoned(monkeypatch, 450, 1)
    assert train_run(folder)
    expected, end = counted(folder), final_state(folder)
    [went] = events(folder, EventKind.ROLLBACK)
    assert isinstance(went.data, RollbackData)
    for one in usable_snapshots(folder):
        if one.manifest.step > went.step:
            one.path.unlink()  # as if the worker had died before the next was written
    lines = folder.events_path.read_bytes().splitlines(keepends=True)
    folder.events_path.write_bytes(b"".join(lines[:-1]))
    folder.model_path.unlink()
    monkeypatch.undo()
    folder.write_control(Control(desired=Desired.RUN, attempt=3, resume_from=went.data.snapshot))
    assert train_run(folder)
    assert events(folder, EventKind.DIVERGED) == []
    assert counted(folder) == expected
    assert [path for path, value in final_state(folder).items() if value != end[path]] == []


def test_a_rule_rolls_back_to_the_best_policy_or_reports_that_there_is_none(tmp_path: Path) -> None:
    back = rule({"kind": "steps", "steps": 500}, {"kind": "roll_back", "to": "best"}, at_most=1)
    evaluated = {"every_steps": 150, "episodes": 2, "stop_after": None}
    plan = snapshots(every_steps=100, keep=100)
    folder = make_run(tmp_path, total_timesteps=700, snapshots=plan, rules=[back], evaluation=evaluated)
    assert train_run(folder)
    [went] = events(folder, EventKind.ROLLBACK)
    best = [event.step for event in events(folder, EventKind.SNAPSHOT) if event.data.trigger == "best"]  # type: ignore[union-attr]
    assert went.step in best
    without = make_run(tmp_path, "without", total_timesteps=700, snapshots=plan, rules=[back])
    assert train_run(without)
    [fired] = events(without, EventKind.RULE_FIRED)
    assert "there is no snapshot to roll back to" in fired.data.not_done[0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "when",
    [{"kind": "metric", "metric": "episode/index", "side": "at_least", "value": 12}, {"kind": "steps", "steps": 300}],
    ids=["metric", "clock"],
)
def test_a_rule_that_ended_a_run_does_not_end_it_there_again(tmp_path: Path, when: dict[str, Any]) -> None:
    end = rule(when, {"kind": "stop"})
    folder = make_run(tmp_path, total_timesteps=700, snapshots=snapshots(every_steps=100), rules=[end])
    assert train_run(folder)
    [ended] = events(folder, EventKind.FINISHED)
    assert ended.step is not None
    held = next(one for one in usable_snapshots(folder) if 0 < one.manifest.step < ended.step)  # the rule fires again
    folder.write_control(Control(desired=Desired.RUN, attempt=2, resume_from=held.name))
    assert train_run(folder)
    assert events(folder, EventKind.FINISHED)[-1].data.ended_early is None  # type: ignore[union-attr]
    assert events(folder, EventKind.DIVERGED) == []
