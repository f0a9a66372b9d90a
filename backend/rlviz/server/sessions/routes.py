"""HTTP endpoints and WebSocket of sessions, in which an actor plays for a viewer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Path, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from rlviz.domain.errors import (
    GameNotFound,
    InvalidRequest,
    NothingToPlay,
    RunFolderError,
    RunNotFound,
    SessionNotFound,
    TooManySessions,
    validation_text,
)
from rlviz.domain.ids import utc
from rlviz.domain.sessions import CLIENT_MESSAGE, SERVER_MESSAGE, ErrorMessage
from rlviz.server.dependencies import provided
from rlviz.server.lanes import Lane
from rlviz.server.problems import as_problem, documented, problem_response
from rlviz.server.proxy import link
from rlviz.server.router import Router
from rlviz.server.runs.service import RunService
from rlviz.server.sessions.cells import CellService
from rlviz.server.sessions.live_session import LiveSession, Outbox
from rlviz.server.sessions.models import MapCellDetails, Session, SessionCreate
from rlviz.server.sessions.service import NewSession, SessionService

Sessions = Annotated[SessionService, Depends(provided(SessionService))]
Cells = Annotated[CellService, Depends(provided(CellService))]
Runs = Annotated[RunService, Depends(provided(RunService))]

router = Router(prefix="/sessions", tag="sessions")

cells_router = Router(prefix="/runs/{run_id}/map/cells", tag="sessions", lane=Lane.READS)

for messages in (CLIENT_MESSAGE, SERVER_MESSAGE):
    messages.rebuild()  # at import time, so that the first frames of a session are not late

SEND_SECONDS = 20.0
"""Seconds after which a client that reads nothing is disconnected."""


@router.post(
    "", status_code=201, responses=documented(RunNotFound, GameNotFound, NothingToPlay, TooManySessions, InvalidRequest)
)
async def create_session(body: SessionCreate, sessions: Sessions) -> Session:
    """Start a session. Open its socket within six seconds: a session without a viewer ends."""
    return _view(await sessions.create(NewSession(**body.model_dump())))


@router.get("")
async def list_sessions(sessions: Sessions) -> list[Session]:
    """List active sessions, oldest first."""
    return [_view(session) for session in sessions.list()]


@router.delete("/{session_id}", status_code=204, responses=documented(SessionNotFound))
async def end_session(session_id: str, sessions: Sessions) -> None:
    """End a session and notify its viewer."""
    sessions.delete(session_id)


@cells_router.get("/{cell}", responses=documented(RunNotFound, InvalidRequest, RunFolderError))
def get_map_cell(run_id: str, cell: Annotated[int, Path(ge=0)], runs: Runs, cells: Cells) -> MapCellDetails:
    """Return how often training was in a cell of the run's map, and whether a session can begin there."""
    return cells.describe(runs.folder(run_id), cell)


@router.websocket("/{session_id}/socket")
async def watch_session(websocket: WebSocket, session_id: str, sessions: Sessions) -> None:
    """Stream a session to the client and its requests to the worker; see docs/api.md."""
    try:
        session = sessions.get(session_id)
    except SessionNotFound as error:
        await websocket.send_denial_response(problem_response(as_problem(error)))
        return
    await websocket.accept()
    outbox = await session.attach()
    sending = asyncio.create_task(_send(websocket, outbox))
    listening = asyncio.create_task(_listen(websocket, session, outbox))
    try:
        await asyncio.wait((sending, listening), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, listening):
            task.cancel()
        await asyncio.gather(sending, listening, return_exceptions=True)
        await session.detach(outbox)
        with suppress(RuntimeError, WebSocketDisconnect):  # closed already
            await websocket.close()


async def _send(websocket: WebSocket, outbox: Outbox) -> None:
    async for item in outbox.items():
        async with asyncio.timeout(SEND_SECONDS):
            await websocket.send_text(item.message())
            for content in item.binaries:
                await websocket.send_bytes(content)


async def _listen(websocket: WebSocket, session: LiveSession, outbox: Outbox) -> None:
    """Pass valid messages to the session; answer others with an error."""
    while (received := await websocket.receive())["type"] == "websocket.receive":
        try:
            message = CLIENT_MESSAGE.validate_json(received.get("text") or b"")
        except ValidationError as error:
            outbox.put_message(_problem(error))
        else:
            await session.send(message)
        await asyncio.sleep(0)  # lets other clients run between thousands of messages


def _problem(error: ValidationError) -> ErrorMessage:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = "/".join(map(str, first["loc"]))
    return ErrorMessage(detail=f"The message is invalid: {where} {validation_text(first)}"[:500])


def _view(session: LiveSession) -> Session:
    return Session(
        id=session.id,
        socket=link(f"/api/sessions/{session.id}/socket"),
        mode=session.plan.mode,
        run_id=session.run_id,
        env_id=session.plan.env_id,
        created_at=utc(session.created_at),
        watched=session.is_watched,
    )
