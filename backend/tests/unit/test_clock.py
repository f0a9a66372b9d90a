"""The clock is set back: nothing lasts less than no time, and what is new stays newest."""

from __future__ import annotations

from datetime import UTC, datetime

from rlviz.domain.event_lines import EventRecord
from rlviz.domain.events import FinishedData, StartedData
from rlviz.domain.ids import new_evaluation_id
from rlviz.services.projection.events_projection import EventsProjection
from rlviz.services.use_cases.evaluations import later_than


def test_a_run_never_ends_before_it_began() -> None:
    events = EventsProjection()
    events.take_event(EventRecord(seq=1, time=1_000.0, step=0, data=StartedData()))
    events.take_event(EventRecord(seq=2, time=400.0, step=10, data=FinishedData()))
    assert events.ended_at == events.started_at == 1_000.0


def test_a_new_evaluation_sorts_after_those_before_it() -> None:
    newest, now = datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert new_evaluation_id(later_than(newest, now)) > new_evaluation_id(newest)
    assert later_than(None, now) == now
