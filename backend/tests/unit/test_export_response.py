"""Exports that fail after the response has started."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest
from starlette.types import Message

from rlviz.domain.errors import TooMuchToRead
from rlviz.server.files import ExportResponse


async def sent_by(pieces: AsyncIterator[bytes]) -> list[Message]:
    """Return the messages of the response to a client that reads all of it."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    await ExportResponse(pieces)({"type": "http", "asgi": {"spec_version": "2.0"}}, receive, send)
    return sent


async def cut_off() -> AsyncIterator[bytes]:
    yield b"header\n"
    raise TooMuchToRead("Reading it takes longer than 60 seconds.")


async def whole() -> AsyncIterator[bytes]:
    yield b"header\n"


def is_complete(messages: list[Message]) -> bool:
    return messages[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


def test_a_truncated_export_is_detectable_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        messages = asyncio.run(sent_by(cut_off()))
    assert messages[1]["body"] == b"header\n"
    assert not is_complete(messages)
    assert [record.exc_info for record in caplog.records] == [None]
    assert "longer than 60 seconds" in caplog.text
    assert is_complete(asyncio.run(sent_by(whole())))
