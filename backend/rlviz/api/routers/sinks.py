"""The sinks of a run: other programs that it is delivered to."""

from __future__ import annotations

from fastapi import APIRouter

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.schemas import RunSink, RunSinks
from rlviz.domain.errors import ExtraMissing, RunFolderError, RunNotFound
from rlviz.domain.sinks import SinkKind
from rlviz.services.use_cases import sinks

router = APIRouter(prefix="/runs/{run_id}/sinks", tags=["sinks"])


@router.get("", responses=documented(RunNotFound, RunFolderError))
def get_sinks(run_id: str, app: App) -> RunSinks:
    """Where the run was, or shall be, delivered to, and how far each has it."""
    return RunSinks(run_id=run_id, sinks=[_view(one) for one in app.sinks.of(run_id)])


@router.put("/{kind}", responses=documented(RunNotFound, RunFolderError, ExtraMissing))
def put_sink(run_id: str, kind: SinkKind, app: App) -> RunSinks:
    """Deliver the run there from now on: what it has, and what it gains. Training does not wait for it."""
    app.sinks.add(run_id, [kind])
    return get_sinks(run_id, app)


@router.delete("/{kind}", responses=documented(RunNotFound, RunFolderError))
def delete_sink(run_id: str, kind: SinkKind, app: App) -> RunSinks:
    """Deliver the run there no more. What is there stays."""
    app.sinks.remove(run_id, kind)
    return get_sinks(run_id, app)


def _view(one: sinks.RunSink) -> RunSink:
    record = one.record
    return RunSink(
        kind=record.kind,
        label=record.kind.label,
        live=one.is_live,
        state=one.state,
        place=record.place,
        offline=record.offline,
        rows=record.rows,
        step=record.step,
        waiting_bytes=one.waiting_bytes,
        problem=record.problem,
        attempts=record.attempts,
        updated_at=record.updated_at or None,
    )
