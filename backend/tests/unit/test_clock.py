"""Changes of the system clock affect neither durations nor order nor deletion."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from rlviz.domain.clocks import SETTLING_SECONDS, AgeClock, SteadyClock
from rlviz.domain.events import EventRecord, FinishedData, StartedData
from rlviz.domain.ids import DAY_SECONDS, new_evaluation_id
from rlviz.learning.training import journals
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.projection.events import EventsProjection
from rlviz.server.evaluations.service import later_than
from rlviz.server.runs.trash import TrashService
from rlviz.settings import Settings
from tests.support.training import make_run, rows

YEAR_SECONDS = 365 * DAY_SECONDS


class Machine:
    """A machine whose clock can be set; ``elapsed`` seconds since its start."""

    def __init__(self) -> None:
        self.elapsed, self.started_at = 500.0, 1_700_000_000.0

    def clock(self) -> float:
        return self.started_at + self.elapsed

    def uptime(self) -> float:
        return self.elapsed


def test_a_run_never_ends_before_it_started() -> None:
    events = EventsProjection()
    events.apply_event(EventRecord(seq=1, time=1_000.0, step=0, data=StartedData()))
    events.apply_event(EventRecord(seq=2, time=400.0, step=10, data=FinishedData()))
    assert events.ended_at == events.started_at == 1_000.0


def test_a_new_evaluation_sorts_after_earlier_ones() -> None:
    newest, now = datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert new_evaluation_id(later_than(newest, now)) > new_evaluation_id(newest)
    assert later_than(None, now) == now


@pytest.mark.parametrize("step", [YEAR_SECONDS, 3_600.0, -YEAR_SECONDS])
def test_rows_of_a_run_are_as_far_apart_as_the_training_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    machine, folder = Machine(), make_run(tmp_path)
    monkeypatch.setattr(journals, "SteadyClock", lambda: SteadyClock(machine.clock, machine.uptime))
    written = RunJournals(folder)
    written.metrics(1, {"x": 1.0})
    machine.elapsed += 10.0
    machine.started_at += step
    written.metrics(2, {"x": 2.0})
    written.close()
    first, second = [row["time"] for row in rows(folder)]
    assert second - first == pytest.approx(10.0)


def test_a_clock_set_forward_empties_no_trash_until_it_is_stable_for_a_day(tmp_path: Path) -> None:
    machine, trash, folder = Machine(), Trash(tmp_path), make_run(tmp_path)
    trash.put(folder, machine.clock())
    deleted = TrashService(
        Settings(runs_dir=tmp_path, trash_days=30), trash, clock=AgeClock(machine.clock, machine.uptime)
    )
    machine.started_at += YEAR_SECONDS
    deleted.purge()
    machine.elapsed += SETTLING_SECONDS / 2
    deleted.purge()
    machine.started_at -= YEAR_SECONDS  # it is corrected
    deleted.purge()
    machine.started_at += YEAR_SECONDS
    deleted.purge()
    machine.elapsed += SETTLING_SECONDS - 1
    deleted.purge()
    assert trash.run_ids() == [folder.run_id]
    machine.elapsed += 1
    deleted.purge()
    assert trash.run_ids() == []


def test_ages_follow_a_running_clock(tmp_path: Path) -> None:
    machine = Machine()
    ages = AgeClock(machine.clock, machine.uptime)
    for adjusted in (0.0, 0.5, -0.5, -YEAR_SECONDS):
        machine.elapsed += 3_600.0
        machine.started_at += adjusted
        assert ages() == pytest.approx(machine.clock())
