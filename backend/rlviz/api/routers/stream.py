"""Server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.schemas import EndEventData, EvaluationEventData, StatusEventData
from rlviz.api.views import view_evaluation, view_run
from rlviz.domain.errors import InvalidRequest, RunNotFound
from rlviz.domain.status import RunStatus
from rlviz.services.application import Application
from rlviz.services.stream import (
    EndEvent,
    EvaluationEvent,
    MetricsEvent,
    OpenedStream,
    StatusEvent,
    StreamEvent,
    StreamRequest,
)

router = APIRouter(tags=["stream"])

HEARTBEAT_SECONDS = 15
SEND_TIMEOUT_SECONDS = 30
"""A client that takes nothing for so long is dropped; it comes back with its cursor."""

MAX_RUNS = 50

_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `metrics`, `status`, `evaluation` and `end`; see docs/api.md.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    **documented(RunNotFound, InvalidRequest),
}

HeaderCursor = Annotated[str | None, Header(alias="Last-Event-ID", description="Wins over last_event_id.")]
QueryCursor = Annotated[str | None, Query(description="Id of the last event that was received.")]
Since = Annotated[float | None, Query(ge=0, allow_inf_nan=False, description="Rows after this Unix time, seconds.")]


@router.get("/runs/{run_id}/stream", response_class=EventSourceResponse, responses=_RESPONSES)
async def stream_run(
    run_id: str, app: App, header: HeaderCursor = None, last_event_id: QueryCursor = None, since: Since = None
) -> EventSourceResponse:
    """What one run does, from its first row or from the cursor; closes when the run has ended."""
    return await _stream(app, StreamRequest([run_id], header or last_event_id, since, ends=True))


@router.get("/stream", response_class=EventSourceResponse, responses=_RESPONSES)
async def stream_runs(
    app: App,
    runs: Annotated[str, Query(max_length=8_000, description="Run ids, comma-separated; may be empty.")] = "",
    header: HeaderCursor = None,
    last_event_id: QueryCursor = None,
    since: Since = None,
) -> EventSourceResponse:
    """What several runs do, and the status of every run, on one connection that stays open."""
    run_ids = list(dict.fromkeys(filter(None, runs.split(","))))
    if len(run_ids) > MAX_RUNS:
        raise InvalidRequest.field("/runs", f"A stream follows up to {MAX_RUNS} runs; got {len(run_ids)}.")
    return await _stream(app, StreamRequest(run_ids, header or last_event_id, since, whole_list=True))


async def _stream(app: Application, request: StreamRequest) -> EventSourceResponse:
    opened = await run_in_threadpool(app.streams.open, request)
    return EventSourceResponse(
        _encoded(app, opened),
        headers={"Cache-Control": "no-store, no-transform"},
        ping=HEARTBEAT_SECONDS,
        send_timeout=SEND_TIMEOUT_SECONDS,
        sep="\n",
    )


async def _encoded(app: Application, opened: OpenedStream) -> AsyncIterator[ServerSentEvent]:
    async for event in app.streams.events(opened):
        yield await _encode(app, event)


async def _encode(app: Application, event: StreamEvent) -> ServerSentEvent:
    match event:
        case MetricsEvent(run_id, rows, cursor):
            data = b'{"run_id":"%b","rows":[%b]}' % (run_id.encode(), b",".join(rows))
            return ServerSentEvent(data.decode(), event="metrics", id=cursor)
        case StatusEvent(row):
            waits = row.state is RunStatus.QUEUED
            queue = await run_in_threadpool(app.runs.queue_positions) if waits else {}
            return ServerSentEvent(StatusEventData(run=view_run(row, queue)).model_dump_json(), event="status")
        case EvaluationEvent(row):
            view = view_evaluation(row, app.evaluations.has_video(row))
            return ServerSentEvent(EvaluationEventData(evaluation=view).model_dump_json(), event="evaluation")
        case EndEvent(run_id, status):
            return ServerSentEvent(EndEventData(run_id=run_id, status=status).model_dump_json(), event="end")
