"""What happened to a run, as it goes over the wire."""

from __future__ import annotations

from rlviz.api.schemas.events import EvaluationEnded, RunEvent
from rlviz.catalog.models import EvaluationRow
from rlviz.domain.evaluation import EvaluationStatus
from rlviz.domain.event_lines import EventRecord
from rlviz.services.use_cases.events import describe, describe_evaluation


def view_event(event: EventRecord) -> RunEvent:
    described = describe(event)
    return RunEvent(
        seq=event.seq,
        time=event.time,
        step=described.step,
        kind=event.event,
        level=described.level,
        message=described.message,
        details=event.data,
    )


def view_ended(row: EvaluationRow) -> RunEvent:
    """An evaluation that has ended, as an event of its run."""
    record = row.parsed()
    described = describe_evaluation(record)
    return RunEvent(
        seq=None,
        time=(record.ended_at or record.created_at).timestamp(),
        step=described.step,
        kind="evaluation",
        level=described.level,
        message=described.message,
        details=EvaluationEnded(
            evaluation_id=record.id,
            status="completed" if record.status is EvaluationStatus.COMPLETED else "failed",
        ),
    )
