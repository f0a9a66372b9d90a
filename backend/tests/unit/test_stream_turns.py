"""Streams that come in the same moment are opened in turn, and nobody else waits for them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from rlviz.api.stream_turns import AT_ONCE, StreamTurns

BURST = 10


class Opening:
    """An app whose streams begin to answer when the test says so, and then stay open."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(scope["path"])
        if scope["path"].endswith("/stream"):
            await self.may_answer.wait()
        if scope["path"].startswith("/none"):
            raise KeyError(scope["path"])
        await send({"type": "http.response.start", "status": 200})
        await asyncio.sleep(3_600)


async def _asked(app: StreamTurns, path: str) -> None:
    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Any) -> None: ...

    with suppress(KeyError):
        await app({"type": "http", "path": path}, receive, send)


async def _settled() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def _check(*, answering: bool, path: str) -> list[str]:
    async def check() -> list[str]:
        opening = Opening()
        app = StreamTurns(opening)
        if answering:
            opening.may_answer.set()
        tasks = [asyncio.create_task(_asked(app, path)) for _ in range(BURST)]
        tasks.append(asyncio.create_task(_asked(app, "/health")))
        for _ in range(BURST):
            await _settled()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return opening.asked

    return asyncio.run(check())


def test_a_burst_of_streams_is_opened_a_few_at_a_time_and_nobody_else_waits() -> None:
    asked = _check(answering=False, path="/runs/a/stream")
    assert asked.count("/runs/a/stream") == AT_ONCE < BURST
    assert "/health" in asked


def test_a_stream_that_answers_makes_room_for_the_next_although_it_stays_open() -> None:
    assert _check(answering=True, path="/runs/a/stream").count("/runs/a/stream") == BURST


def test_a_stream_that_fails_makes_room_too() -> None:
    assert _check(answering=True, path="/none/stream").count("/none/stream") == BURST
