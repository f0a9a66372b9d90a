"""Events of a run as the page, the log and the report show them."""

from __future__ import annotations

from rlviz.domain.events import parse_event
from rlviz.server.metrics.models import list_events
from rlviz.server.runs.events import EventLog


def test_events_at_steps_discarded_by_a_rollback_are_superseded() -> None:
    journal = [
        ("checkpoint", 500, {"path": "checkpoints/500.zip"}),
        ("checkpoint", 2_000, {"path": "checkpoints/2000.zip"}),
        ("rollback", 1_000, {"snapshot": "1000", "superseded": {"first": 5, "last": 9}}),
        ("checkpoint", 3_000, {"path": "checkpoints/3000.zip"}),
    ]
    events = [
        parse_event({"seq": seq, "time": 1.7e9 + seq, "step": step, "event": kind, "data": data})
        for seq, (kind, step, data) in enumerate(journal, 1)
    ]
    found = list_events(EventLog([event for event in events if event is not None], 0), [])
    assert [(event.kind, event.superseded) for event in found] == [
        ("checkpoint", False),
        ("checkpoint", True),
        ("rollback", False),
        ("checkpoint", False),
    ]
