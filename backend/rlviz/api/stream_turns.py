"""StreamTurns: streams are opened a few at a time."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE = 4
"""Streams that are opened at the same time; more than one, since one that reads a long journal on a slow disk shall not
hold up the others."""


class StreamTurns:
    """Has a stream wait for its turn until it has begun to answer.

    To open one takes the event loop two milliseconds. When a hundred come in the same moment, as they do from the pages
    of a service that was restarted, every other request would wait for all of them; so they wait for one another.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/stream"):
            await self._app(scope, receive, send)
            return
        has_turn: bool = await self._turns.acquire()

        def leave() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                self._turns.release()

        async def answering(message: Message) -> None:
            leave()
            await send(message)

        try:
            await self._app(scope, receive, answering)
        finally:
            leave()
