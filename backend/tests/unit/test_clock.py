"""The clock is set back: nothing lasts less than no time, and what is new stays newest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from rlviz.domain.events import EventRecord, FinishedData, StartedData
from rlviz.domain.ids import new_evaluation_id
from rlviz.services.projection.folder_projection import row_of_config
from rlviz.services.projection.run_projection import fold_event
from rlviz.services.use_cases.evaluations import later_than
from tests.support.training import make_run


def test_a_run_never_ends_before_it_began(tmp_path: Path) -> None:
    row = row_of_config(make_run(tmp_path).read_config())
    fold_event(row, EventRecord(seq=1, time=1_000.0, step=0, data=StartedData()))
    fold_event(row, EventRecord(seq=2, time=400.0, step=10, data=FinishedData()))
    assert row.ended_at == row.started_at == 1_000.0


def test_a_new_evaluation_sorts_after_those_before_it() -> None:
    newest, now = datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert new_evaluation_id(later_than(newest, now)) > new_evaluation_id(newest)
    assert later_than(None, now) == now
