"""What happened to a run."""

from heapq import merge

from rlviz.api.dependencies import App
from rlviz.api.event_views import view_ended, view_event
from rlviz.api.lanes import Lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.events import RunEvents
from rlviz.domain.errors import RunNotFound
from rlviz.services.use_cases.events import read_events

router = Router(prefix="/runs/{run_id}/events", tag="events", lane=Lane.READS)


@router.get("", responses=documented(RunNotFound))
def list_events(run_id: str, app: App) -> RunEvents:
    """Lifecycle events: checkpoints, warnings, errors with their traceback; and evaluations that have ended."""
    log = read_events(app.runs.folder(run_id))
    evaluations = [view_ended(row) for row in reversed(app.evaluations.list(run_id)) if row.parsed().status.is_final]
    events = merge((view_event(event) for event in log.events), evaluations, key=lambda event: event.time)
    return RunEvents(run_id=run_id, events=list(events), broken_lines=log.broken_lines)
