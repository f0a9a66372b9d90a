"""What happened to a run, as it goes over the wire."""

from __future__ import annotations

from rlviz.api.schemas import EvaluationEnded, RunEvent
from rlviz.catalog.models import EvaluationRow
from rlviz.domain.evaluation import EvaluationStatus
from rlviz.domain.event_lines import EventRecord
from rlviz.services.use_cases.events import tell, tell_evaluation


def view_event(event: EventRecord) -> RunEvent:
    told = tell(event)
    return RunEvent(
        seq=event.seq,
        time=event.time,
        step=told.step,
        kind=event.event,
        level=told.level,
        message=told.message,
        details=event.data,
    )


def view_ended(row: EvaluationRow) -> RunEvent:
    """An evaluation that has ended, as an event of its run."""
    record = row.parsed()
    told = tell_evaluation(record)
    return RunEvent(
        seq=None,
        time=(record.ended_at or record.created_at).timestamp(),
        step=told.step,
        kind="evaluation",
        level=told.level,
        message=told.message,
        details=EvaluationEnded(
            evaluation_id=record.id,
            status="completed" if record.status is EvaluationStatus.COMPLETED else "failed",
        ),
    )
