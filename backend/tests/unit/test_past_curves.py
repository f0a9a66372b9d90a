"""Curves of discarded rows, and of the runs that a run was forked from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import RunNotFound
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.server.application import Application
from rlviz.server.metrics.models import MetricCurve, PastCurves
from rlviz.server.metrics.past import MOST_GHOSTS
from rlviz.server.metrics.service import Axis, CurveRequest
from rlviz.settings import Settings
from tests.support.journals import Clock
from tests.support.run_folders import make_run

REWARD = "episode/reward"


class Written:
    """A run whose journals and clock are controlled by the test."""

    def __init__(self, root: Path, name: str = "a", **config: Any) -> None:
        self.folder, self.clock = make_run(root, name, **config), Clock()

    def trained(self, attempt: int, *steps: int, at: float, ends: bool = True, **first: Mapping[str, Any]) -> None:
        """Start attempt ``attempt`` at second ``at``, and log a return of 10 × attempt once a second at each of
        ``steps``. ``first`` has events with their data that precede them.
        """
        self.clock.now = at
        self._journal("started", 0, {"attempt": attempt})
        for kind, data in first.items():
            self._journal(kind, steps[0] - 1, data)
        with closing(JournalWriter(self.folder.metrics_path, clock=self.clock)) as metrics:
            for step in steps:
                self.clock.now += 1
                values = {REWARD: 10.0 * attempt, "episode/index": step // 10, f"only/{attempt}": 0.0}
                metrics.append({"step": step, "values": values})
        if ends:
            self._journal("stopped", steps[-1], {"attempt": attempt, "path": None})
        self.folder.write_control(Control(desired=Desired.STOP, attempt=attempt, requested_at=at))

    @contextmanager
    def rewritten(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the metric rows, and write them back with the changes of the test."""
        rows = [json.loads(line) for line in self.folder.metrics_path.read_text().splitlines()]
        yield rows
        self.folder.metrics_path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def _journal(self, kind: str, step: int, data: Mapping[str, Any]) -> None:
        with closing(JournalWriter(self.folder.events_path, clock=self.clock)) as events:
            events.append({"event": kind, "step": step, "data": data})


@contextmanager
def opened(root: Path) -> Iterator[Application]:
    app = Application(Settings(_env_file=None, runs_dir=root, warm_worker=False))  # type: ignore[call-arg]
    app.rebuild()
    with closing(app.database):
        yield app


def past_of(root: Path, run_id: str, axis: Axis = "step", names: list[str] | None = None) -> PastCurves:
    with opened(root) as app:
        return app.past.read_past(run_id, names or [REWARD], CurveRequest(100, axis))


def back_to(row: int, last: int, attempt: int) -> dict[str, Any]:
    return {"snapshot": "x", "verified": 0, "superseded": {"first": row + 1, "last": last, "attempt": attempt}}


def points(curve: MetricCurve) -> list[tuple[float, float]]:
    return list(zip(curve.x, curve.y, strict=True))


def test_discarded_rows_are_shown_as_they_were(tmp_path: Path) -> None:
    run = Written(tmp_path)
    run.trained(1, 10, 20, 30, 40, at=100)
    run.trained(2, 30, 40, at=200, rollback=back_to(2, 4, 2))
    [ghost] = past_of(tmp_path, "a").ghosts
    assert (ghost.attempt, ghost.cause, ghost.from_step, ghost.to_step) == (2, "rollback", 30, 40)
    assert points(ghost.series[REWARD]) == [(30, 10), (40, 10)]


def test_identically_repeated_rows_are_in_no_ghost(tmp_path: Path) -> None:
    run = Written(tmp_path)
    run.trained(1, 10, 20, 30, 40, at=100)
    run.trained(2, 30, 40, 50, at=200, rollback=back_to(2, 4, 2))
    with run.rewritten() as rows:
        for row in rows[4:]:
            row["values"] = {REWARD: 10.0, "episode/index": row["step"] // 10}
    assert [set(ghost.series) for ghost in past_of(tmp_path, "a", names=[REWARD, "only/1"]).ghosts] == [{"only/1"}]
    with run.rewritten() as rows:
        for row in rows:
            row["values"].pop("only/1", None)
    assert past_of(tmp_path, "a").ghosts == []
    with run.rewritten() as rows:
        del rows[5:]
    [ghost] = past_of(tmp_path, "a").ghosts
    assert points(ghost.series[REWARD]) == [(30, 10), (40, 10)], "the run has not come so far yet"


def test_each_row_is_in_the_ghost_of_the_first_event_that_discarded_it(tmp_path: Path) -> None:
    run = Written(tmp_path)
    run.trained(1, 10, 20, 30, at=100)
    run.trained(2, 30, 40, at=200, diverged=back_to(2, 3, 2))
    run.trained(3, 20, at=300, rollback=back_to(1, 5, 3))
    first, second = past_of(tmp_path, "a").ghosts
    assert (first.cause, points(first.series[REWARD])) == ("diverged", [(30, 10)])
    assert (second.cause, points(second.series[REWARD])) == ("rollback", [(20, 10), (30, 20), (40, 20)])


@pytest.mark.parametrize(("axis", "x"), [("seconds", [3, 4]), ("time", [103, 104]), ("episode", [3, 4])])
def test_a_ghost_keeps_its_position_on_every_axis(tmp_path: Path, axis: Axis, x: list[float]) -> None:
    run = Written(tmp_path)
    run.trained(1, 10, 20, 30, 40, at=100)
    run.trained(2, 30, at=200, rollback=back_to(2, 4, 2))
    [ghost] = past_of(tmp_path, "a", axis).ghosts
    assert ghost.series[REWARD].x == x


def test_the_newest_of_many_ghosts_are_returned_and_the_others_counted(tmp_path: Path) -> None:
    run = Written(tmp_path)
    run.trained(1, 10, 20, at=100)
    for attempt in range(2, 9):
        run.trained(attempt, 20, at=100 * attempt, rollback=back_to(1, attempt, attempt))
    past = past_of(tmp_path, "a")
    assert [ghost.attempt for ghost in past.ghosts] == list(range(9 - MOST_GHOSTS, 9))
    assert past.ghosts_left_out == 2


def test_a_run_without_discarded_rows_has_no_ghost(tmp_path: Path) -> None:
    run = Written(tmp_path)
    run.trained(1, 10, 20, at=100)
    run.trained(2, 30, at=200, rollback=back_to(2, 2, 2))
    past = past_of(tmp_path, "a")
    assert (past.ghosts, past.ghosts_left_out) == ([], 0)


def fork(root: Path, name: str, parent: RunFolder, step: int) -> Written:
    return Written(root, name, parent={"run_id": parent.run_id, "snapshot": str(step), "step": step})


def test_ancestors_lead_up_to_each_fork(tmp_path: Path) -> None:
    eldest = Written(tmp_path, "eldest")
    eldest.trained(1, 10, 20, 30, at=100)
    parent = fork(tmp_path, "parent", eldest.folder, 20)
    parent.trained(1, 30, 40, at=200)
    fork(tmp_path, "child", parent.folder, 30).trained(1, 40, at=300)
    first, second = past_of(tmp_path, "child").ancestors
    assert (first.run_id, first.to_step, points(first.series[REWARD])) == ("eldest", 20, [(10, 10), (20, 10)])
    assert (second.run_id, second.to_step, points(second.series[REWARD])) == ("parent", 30, [(30, 10)])
    assert past_of(tmp_path, "child", "episode").ancestors[1].series[REWARD].x == [3]
    assert past_of(tmp_path, "child", "seconds").ancestors == []


def test_ancestors_end_at_a_deleted_parent(tmp_path: Path) -> None:
    gone = make_run(tmp_path / "elsewhere", "gone")
    fork(tmp_path, "child", gone, 30).trained(1, 40, at=300)
    assert past_of(tmp_path, "child").ancestors == []
    with pytest.raises(RunNotFound):
        past_of(tmp_path, "gone")


def test_a_run_cut_off_silently_trained_until_its_last_row(tmp_path: Path) -> None:
    run = Written(tmp_path)
    run.trained(1, 10, 20, at=100, ends=False)
    run.clock.now = 9_000
    run._journal("interrupted", 0, {"attempt": 1, "cause": "power", "trained_until": 102.0})
    run.trained(2, 30, at=9_100)
    with opened(tmp_path) as app:
        row = app.runs.get("a")
        assert row.clock.attempts == ((100, 102), (9_100, 9_101))
        assert row.trained_before == 2
        curves = app.metrics.curves(run.folder, [REWARD], CurveRequest(10, "seconds"), row.clock)
        assert curves.curves[REWARD].x == [1, 2, 3]
