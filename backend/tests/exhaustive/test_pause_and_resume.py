"""Resuming after a rollback or a rule, compared with a run that was never paused."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import (
    NothingToResume,
)
from rlviz.domain.rules import Rule
from rlviz.server.application import Application
from tests.real.test_pause_and_resume import S, app, trains
from tests.support.service import becomes, ended, folder_of, service, start
from tests.support.training import rows
from tests.support.waiting import eventually

__all__ = ["app"]


def test_a_run_ended_by_a_rule_is_resumed_for_its_remaining_steps(app: Application) -> None:
    end = {"when": {"kind": "steps", "steps": 1_000}, "do": [{"kind": "stop"}]}
    run_id = start(app, steps=2_560, rules=(Rule.model_validate(end),))
    row = ended(app, run_id)
    assert (row.state, row.ended_early) == (S.COMPLETED, "When 1,000 steps are done: stop.")
    assert row.step < 2_560
    app.resuming.resume(run_id)
    row = ended(app, run_id)
    assert (row.state, row.step, row.ended_early) == (S.COMPLETED, 2_560, None)


def test_a_rolled_back_run_does_not_resume_from_a_snapshot_it_left_behind(app: Application) -> None:
    run_id = start(app)
    for name in ("first", "second"):
        trains(app, run_id, beyond=app.runs.get(run_id).step + 1_000)
        app.snapshots.request_snapshot(run_id, name, "")
        eventually(
            lambda name=name: name in {one.name for one in app.snapshots.list(run_id).snapshots}, f"snapshot {name}"
        )
    app.resuming.pause(run_id)
    becomes(app, run_id, S.PAUSED)
    eventually(lambda: not app.supervisor.is_live(run_id), "its worker to go")
    app.resuming.roll_back(run_id, "first")
    eventually(lambda: app.runs.get(run_id).superseded, "the rollback")
    app.resuming.pause(run_id)
    becomes(app, run_id, S.PAUSED)
    eventually(lambda: not app.supervisor.is_live(run_id), "its worker to go")
    found = app.snapshots.list(run_id)
    assert "second" in found.behind
    assert "first" not in found.behind
    with pytest.raises(NothingToResume, match="rolled back to before"):
        app.resuming.resume(run_id, snapshot="second")
    app.resuming.resume(run_id)
    trains(app, run_id, beyond=app.runs.get(run_id).step)
    app.runs.stop(run_id)
    assert ended(app, run_id).superseded != []


def test_a_training_run_rolls_back_in_its_worker_and_resumes_from_there(app: Application) -> None:
    run_id = start(app)
    trains(app, run_id)
    app.snapshots.request_snapshot(run_id, "first", "")
    eventually(lambda: app.snapshots.list(run_id).snapshots, "the snapshot")
    worker = app.runs.get(run_id).worker
    trains(app, run_id, beyond=app.runs.get(run_id).step + 1_000)
    assert app.resuming.roll_back(run_id, "first").state is S.RUNNING
    eventually(lambda: app.runs.get(run_id).superseded, "the rollback")
    back = app.runs.get(run_id)
    assert (back.state, back.attempt, back.worker) == (S.RUNNING, 2, worker)
    for one in app.supervisor._runs.monitors.workers():
        one.kill()
    killed = ended(app, run_id)
    assert (killed.state, killed.attempt, killed.warnings) == (S.INTERRUPTED, 2, 0)
    assert app.resuming.resume(run_id).attempt == 3
    trains(app, run_id, beyond=killed.step)
    row = app.runs.get(run_id)
    assert row.resumed is not None
    assert (row.resumed["snapshot"], row.resumed["diverged_at"]) == ("first", None)
    app.runs.stop(run_id)
    assert ended(app, run_id).state is S.STOPPED


def test_a_paused_run_gives_up_its_slot_and_ends_with_the_rows_of_one_that_never_paused(tmp_path: Path) -> None:
    with service(tmp_path / "runs", max_concurrent_runs=1) as app:
        run_id = start(app, steps=3_840)
        trains(app, run_id)
        app.resuming.pause(run_id)
        becomes(app, run_id, S.PAUSED)
        other = start(app, steps=640)
        assert ended(app, other).state is S.COMPLETED
    with service(tmp_path / "runs") as app:
        app.resuming.resume(run_id)
        assert ended(app, run_id).state is S.COMPLETED
        twin = start(app, steps=3_840)
        ended(app, twin)
        one, other_rows = rows(folder_of(app, run_id)), rows(folder_of(app, twin))
        assert [(row["step"], _learned(row)) for row in one if _learned(row)] == [
            (row["step"], _learned(row)) for row in other_rows if _learned(row)
        ]


def _learned(row: dict[str, dict[str, float]]) -> dict[str, float]:
    return {name: value for name, value in row["values"].items() if not name.startswith("time/")}
