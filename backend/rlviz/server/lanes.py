"""Lanes: requests that may be slow wait for requests of their own kind, and for no others.

All endpoints share a pool of threads (40 by default). Forty slow requests would fill it, and every other request would
wait for them. So each lane lets a few of its requests in at the same time; the others wait without a thread. The lanes
together leave threads free for what is quick: single runs, small files, the health of the service.
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
"""How long a query over all runs waits for others."""

PIECES_AT_ONCE = 2

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Lane(Enum):
    """What a slow request does, and how many of its kind are handled at the same time."""

    QUERIES = ("queries", 2)
    """Ask for something about all runs; the process that answers does one at a time."""

    EXPORTS = ("exports", 2)
    """Pack or unpack runs, write tables, reports and videos."""

    COMPARISONS = ("comparisons", 2)
    """Read several runs, or all trials of an experiment."""

    CURVES = ("curves", 4)
    """Read the journal of one run."""

    LISTS = ("lists", 6)
    """List what there is, which may be ten thousand runs."""

    READS = ("reads", 6)
    """Read other files of one run: step records, pictures, events."""

    CHECKS = ("checks", 2)
    """Verify or repair what one run has written."""

    CHANGES = ("changes", 4)
    """Create, fork, resume or delete runs and what belongs to them."""

    STREAMS = ("streams", 4)
    """Open an event stream. Each takes the event loop two milliseconds, and after a restart of the service the pages
    open theirs in the same moment."""

    def __init__(self, title: str, at_once: int) -> None:
        self.title, self.at_once = title, at_once


def in_lane(lane: Lane | None) -> Callable[[Endpoint], Endpoint]:
    """Have an endpoint wait in another lane than its router's others; None: in none. Goes below the router's
    decorator."""

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MARK, lane)
        return endpoint

    return mark


_MARK = "rlviz_lane"


def lane_of(endpoint: Callable[..., Any], default: Lane | None) -> Lane | None:
    """The lane of an endpoint of a router whose endpoints wait in ``default``."""
    lane: Lane | None = getattr(endpoint, _MARK, default)
    return lane


class Lanes:
    """The lanes of one app. For its event loop alone.

    A query waits for its turn up to ``query_seconds``; in other lanes a request waits until its client leaves.
    """

    def __init__(self, query_seconds: float = QUERY_SECONDS) -> None:
        self._query_seconds = query_seconds
        self._turns = {lane: asyncio.Semaphore(lane.at_once) for lane in Lane}
        self._pieces = CapacityLimiter(PIECES_AT_ONCE)
        self.waiting = dict.fromkeys(Lane, 0)
        """How many requests wait, by lane."""

    async def handle(self, lane: Lane, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Call ``app`` when it is the request's turn, unless its client leaves before. The next one has its turn as
        soon as the response begins, so that a client that reads slowly does not delay the others.

        Raises AnalyticsBusy.
        """
        client = _Client(receive)
        if not await self._has_turn(lane, client):
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
        """For the slow part of an endpoint alone."""
        async with self._turns[lane]:
            yield

    async def make(self, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
        """The pieces of a long export, each made in one of PIECES_AT_ONCE threads that only exports have."""
        while (piece := await to_thread.run_sync(next, pieces, None, limiter=self._pieces)) is not None:
            yield piece

    async def _has_turn(self, lane: Lane, client: _Client) -> bool:
        """Wait for a turn. False if the client leaves meanwhile. Raises AnalyticsBusy."""
        turns = self._turns[lane]
        if not turns.locked():
            return await turns.acquire()
        seconds = self._query_seconds if lane is Lane.QUERIES else None
        turn, left = asyncio.ensure_future(turns.acquire()), asyncio.ensure_future(client.leaves())
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
        raise AnalyticsBusy("Other queries run just now. Try again in a few seconds.")


class _Client:
    """The messages of a request. Some may be read before the request is handled."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read: deque[Message] = deque()

    async def leaves(self) -> None:
        """Return when the client has disconnected."""
        while not self._read or self._read[-1]["type"] != "http.disconnect":
            self._read.append(await self._receive())

    async def receive(self) -> Message:
        return self._read.popleft() if self._read else await self._receive()
