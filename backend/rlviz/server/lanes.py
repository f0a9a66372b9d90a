"""Lanes: limit how many slow requests of each kind run at the same time.

All endpoints share a pool of threads (40 by default). Forty slow requests would block it for everyone else. So each
lane admits a few of its requests; the others wait without a thread. Together, the lanes leave threads free for quick
requests, such as single runs, small files and the health of the service.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlviz.domain.errors import AnalyticsBusy

QUERY_SECONDS = 25.0
"""Seconds that a query over all runs waits for its turn."""

PIECES_AT_ONCE = 2
"""Threads that make the pieces of exports."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Lane(Enum):
    """A kind of slow requests, and how many of them run at the same time."""

    QUERIES = ("queries", 2)
    """Query all runs, in a process that answers one query at a time."""

    EXPORTS = ("exports", 2)
    """Pack or unpack runs; write tables, reports and videos."""

    COMPARISONS = ("comparisons", 2)
    """Read several runs, or all trials of an experiment."""

    CURVES = ("curves", 4)
    """Read the journal of one run."""

    LISTS = ("lists", 6)
    """List runs (possibly ten thousand) or experiments."""

    READS = ("reads", 6)
    """Read other files of one run: step records, pictures, events."""

    CHECKS = ("checks", 2)
    """Verify or repair what one run has written."""

    CHANGES = ("changes", 4)
    """Create, fork, resume or delete runs and what belongs to them."""

    STREAMS = ("streams", 4)
    """Open an event stream. This takes two milliseconds of the event loop, and after a restart of the service all pages
    open theirs at once."""

    def __init__(self, title: str, at_once: int) -> None:
        self.title, self.at_once = title, at_once


def in_lane(lane: Lane | None) -> Callable[[Endpoint], Endpoint]:
    """Decorate an endpoint that waits in another lane than its router says; None: it does not wait.

    Write it below the router's decorator.
    """

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MARK, lane)
        return endpoint

    return mark


_MARK = "rlviz_lane"


def lane_of(endpoint: Callable[..., Any], default: Lane | None) -> Lane | None:
    """Return the lane of an endpoint. ``default``: the lane of its router."""
    lane: Lane | None = getattr(endpoint, _MARK, default)
    return lane


class Lanes:
    """The lanes of one app, for use in its event loop.

    A query waits at most ``query_seconds`` for its turn; other requests wait until their client disconnects.
    """

    def __init__(self, query_seconds: float = QUERY_SECONDS) -> None:
        self._query_seconds = query_seconds
        self._turns = {lane: asyncio.Semaphore(lane.at_once) for lane in Lane}
        self._pieces = CapacityLimiter(PIECES_AT_ONCE)
        self.waiting = dict.fromkeys(Lane, 0)
        """Number of waiting requests by lane."""

    async def handle(self, lane: Lane, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Call ``app`` when it is the request's turn, unless the client disconnects before.

        The turn ends when the response starts, so that a client that reads slowly delays no other request. Raises
        AnalyticsBusy.
        """
        client = _Client(receive)
        if not await self._wait_for_turn(lane, client):
            return
        has_turn = True

        def leave() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                self._turns[lane].release()

        async def answering(message: Message) -> None:
            leave()
            await send(message)

        try:
            await app(scope, client.receive, answering)
        finally:
            leave()

    @asynccontextmanager
    async def hold_turn(self, lane: Lane) -> AsyncIterator[None]:
        """Hold a turn for the block: the slow part of an endpoint."""
        async with self._turns[lane]:
            yield

    async def make_pieces(self, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the pieces of a long export. A thread that only exports use makes each."""
        while (piece := await to_thread.run_sync(next, pieces, None, limiter=self._pieces)) is not None:
            yield piece

    async def _wait_for_turn(self, lane: Lane, client: _Client) -> bool:
        """Wait for a turn. Returns False if the client disconnects meanwhile. Raises AnalyticsBusy."""
        turns = self._turns[lane]
        if not turns.locked():
            return await turns.acquire()
        seconds = self._query_seconds if lane is Lane.QUERIES else None
        turn, left = asyncio.ensure_future(turns.acquire()), asyncio.ensure_future(client.wait_for_disconnect())
        self.waiting[lane] += 1
        try:
            await asyncio.wait({turn, left}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            has_turn, has_left = turn.done(), left.done()
        except asyncio.CancelledError:
            has_turn, has_left = False, True
            raise
        finally:
            self.waiting[lane] -= 1
            left.cancel()
            if not has_turn or has_left:
                turn.cancel()
            await asyncio.wait({turn, left})
            if has_left and not turn.cancelled():
                turns.release()
        if has_left:
            return False
        if not turn.cancelled():
            return True
        raise AnalyticsBusy("Other queries are running. Try again in a few seconds.")


class _Client:
    """The messages of a request. Some may be read before the request is handled."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read: deque[Message] = deque()

    async def wait_for_disconnect(self) -> None:
        """Return when the client has disconnected."""
        while not self._read or self._read[-1]["type"] != "http.disconnect":
            self._read.append(await self._receive())

    async def receive(self) -> Message:
        return self._read.popleft() if self._read else await self._receive()
