"""HTTP routes of the server-sent event streams."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import anyio
from fastapi import Depends, Header, Query
from pydantic import BaseModel
from sse_starlette import EventSourceResponse
from sse_starlette.sse import SendTimeoutError
from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send

from rlviz.domain.errors import InvalidRequest, RunNotFound
from rlviz.domain.status import RunStatus
from rlviz.server.dependencies import provided
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.lanes import Lane
from rlviz.server.problems import documented
from rlviz.server.proxy import root_path
from rlviz.server.router import Router
from rlviz.server.runs.models import view_evaluation, view_run
from rlviz.server.runs.service import RunService
from rlviz.server.stream.models import (
    EndEventData,
    EvaluationEventData,
    ExperimentEventData,
    NotificationEventData,
    StatusEventData,
    view_notification,
)
from rlviz.server.stream.run_stream import (
    EndEvent,
    EvaluationEvent,
    ExperimentEvent,
    MetricsEvent,
    NotificationEvent,
    OpenedStream,
    StatusEvent,
    StreamEvent,
    StreamRequest,
    StreamService,
)

log = logging.getLogger(__name__)

Evaluations = Annotated[EvaluationService, Depends(provided(EvaluationService))]
Runs = Annotated[RunService, Depends(provided(RunService))]
Streams = Annotated[StreamService, Depends(provided(StreamService))]

router = Router(tag="stream", lane=Lane.STREAMS)

MAX_RUNS = 50
"""Number of runs that one stream follows."""

FAREWELL_SECONDS = 0.5
"""Seconds to send the end of the response when the service ends."""

_ENCODED: WeakKeyDictionary[StatusEvent, dict[str, bytes]] = WeakKeyDictionary()
"""Encoded status events by root path, which their links begin with. Many streams send the same event."""

_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `metrics`, `status`, `evaluation`, `notification`, `experiment`, `end`. See docs/api.md",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    **documented(RunNotFound, InvalidRequest),
}

HeaderCursor = Annotated[str | None, Header(alias="Last-Event-ID", description="Used instead of last_event_id.")]
QueryCursor = Annotated[str | None, Query(description="Id of the last event received.")]
Notified = Annotated[int | None, Query(ge=0, le=2**53, description="Number of the last notification received.")]
Since = Annotated[float | None, Query(ge=0, allow_inf_nan=False, description="Rows after this Unix time, seconds.")]


@router.get("/runs/{run_id}/stream", response_class=EventSourceResponse, responses=_RESPONSES)
async def stream_run(
    run_id: str,
    streams: Streams,
    runs: Runs,
    evaluations: Evaluations,
    header: HeaderCursor = None,
    last_event_id: QueryCursor = None,
    since: Since = None,
) -> EventSourceResponse:
    """Stream one run, from its first row or from the cursor. The stream closes when the run has ended."""
    return await _stream(streams, runs, evaluations, StreamRequest([run_id], header or last_event_id, since, ends=True))


@router.get("/stream", response_class=EventSourceResponse, responses=_RESPONSES)
async def stream_runs(
    streams: Streams,
    runs_service: Runs,
    evaluations: Evaluations,
    runs: Annotated[str, Query(max_length=8_000, description="Run ids, comma-separated; may be empty.")] = "",
    header: HeaderCursor = None,
    last_event_id: QueryCursor = None,
    since: Since = None,
    notified: Notified = None,
) -> EventSourceResponse:
    """Stream several runs and the status of every run on one connection, which stays open."""
    run_ids = list(dict.fromkeys(filter(None, runs.split(","))))
    if len(run_ids) > MAX_RUNS:
        raise InvalidRequest.field("/runs", f"A stream follows up to {MAX_RUNS} runs; got {len(run_ids)}.")
    return await _stream(
        streams,
        runs_service,
        evaluations,
        StreamRequest(run_ids, header or last_event_id, since, whole_list=True, notified=notified),
    )


class EventStream(EventSourceResponse):
    """A stream of server-sent events that disconnects a client that does not read, without an error in the log.

    When the service ends, the response ends properly.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def send_on(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await super().__call__(scope, receive, send_on)
            if has_begun and self.active:
                with anyio.move_on_after(FAREWELL_SECONDS):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        except SendTimeoutError:
            log.info("A client of %s read nothing for %s s and was disconnected", scope["path"], self.send_timeout)


async def _stream(
    streams: StreamService, runs: RunService, evaluations: EvaluationService, request: StreamRequest
) -> EventSourceResponse:
    opened = await streams.open(request)
    return EventStream(
        _encoded(streams, runs, evaluations, opened),
        headers={"Cache-Control": "no-store, no-transform"},
        ping=streams.heartbeat,
        send_timeout=streams.send_timeout,
        sep="\n",
    )


async def _encoded(
    streams: StreamService, runs: RunService, evaluations: EvaluationService, opened: OpenedStream
) -> AsyncIterator[bytes]:
    async with aclosing(streams.events(opened)) as events:
        async for event in events:
            yield await _encode(runs, evaluations, event)


async def _encode(runs: RunService, evaluations: EvaluationService, event: StreamEvent) -> bytes:
    """Return the bytes of an event. Its JSON has no line breaks, so one ``data`` line is enough."""
    match event:
        case MetricsEvent(run_id, rows, cursor):
            names = (cursor.encode(), run_id.encode())
            return b'id: %b\nevent: metrics\ndata: {"run_id":"%b","rows":[%b]}\n\n' % (*names, rows)
        case StatusEvent(row) if row.state is RunStatus.QUEUED:  # its queue position changes without an event
            queue = await run_in_threadpool(runs.queue_positions)
            return _event("status", StatusEventData(run=view_run(row, queue)))
        case StatusEvent(row):
            by_root_path = _ENCODED.setdefault(event, {})
            if (known := by_root_path.get(root_path())) is None:
                known = by_root_path[root_path()] = _event("status", StatusEventData(run=view_run(row, {})))
            return known
        case EvaluationEvent(row):
            evaluation = view_evaluation(row, evaluations.kept(row), evaluations.short_of_solved(row))
            return _event("evaluation", EvaluationEventData(evaluation=evaluation))
        case ExperimentEvent(experiment_id):
            return _event("experiment", ExperimentEventData(experiment_id=experiment_id))
        case NotificationEvent(notification):
            return _event("notification", NotificationEventData(notification=view_notification(notification)))
        case EndEvent(run_id, status):
            return _event("end", EndEventData.model_validate({"run_id": run_id, "status": status}))


def _event(kind: str, data: BaseModel) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), data.model_dump_json().encode())
