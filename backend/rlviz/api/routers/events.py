"""What happened to a run."""

from __future__ import annotations

from fastapi import APIRouter

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.schemas import RunEvents
from rlviz.api.views import view_event
from rlviz.domain.errors import RunNotFound
from rlviz.services.use_cases.events import read_events

router = APIRouter(prefix="/runs/{run_id}/events", tags=["events"])


@router.get("", responses=documented(RunNotFound))
def list_events(run_id: str, app: App) -> RunEvents:
    """Lifecycle events: checkpoints, warnings, errors with their traceback."""
    log = read_events(app.runs.folder(run_id))
    return RunEvents(run_id=run_id, events=[view_event(event) for event in log.events], broken_lines=log.broken_lines)
