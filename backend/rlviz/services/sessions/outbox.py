"""Outbox: what waits to be sent to one who looks.

Whoever reads slowly loses frames, slices and errors, and no record.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Self

from rlviz.domain.session_messages import EndedMessage, ErrorMessage, Line, ServerMessage
from rlviz.sessions.packets import PackedStep

MAX_FRAMES = 2
"""Frames that wait at most: the next ones are newer."""

MAX_ERRORS = 20
"""Errors that wait at most; those that come then are left out. Whoever talks faster than it reads plays on."""

MAX_WAITING = 5_000
"""Messages that wait at most. Who has read none of so many never will."""

TOO_SLOW = f"The connection is too slow: {MAX_WAITING:,} messages were waiting for it. Open the session again."


@dataclass(eq=False)
class OutboxItem:
    """A message, as JSON; or a record, the frame that shows it, and what the agent saw, with what there is to say of
    that (``seen``). Frame and pictures are empty if there are none (any more). ``line``: of which of two futures it is.
    """

    text: bytes
    frame: bytes = b""
    seen: bytes = b""
    pictures: bytes = b""
    is_step: bool = False
    is_slice: bool = False
    is_error: bool = False
    line: Line = Line.PLAYED

    @classmethod
    def of_step(cls, step: PackedStep) -> Self:
        return cls(step.record, step.frame, step.seen, step.pictures, is_step=True, line=step.line)

    @classmethod
    def of_message(cls, message: ServerMessage) -> Self:
        return cls(message.model_dump_json().encode(), is_error=isinstance(message, ErrorMessage))

    @property
    def binaries(self) -> list[bytes]:
        """What follows the message, in this order."""
        return [content for content in (self.frame, self.pictures) if content]

    def drop_frame(self) -> None:
        """What the agent saw goes with it: both are shown together."""
        self.frame = self.seen = self.pictures = b""

    def message(self) -> str:
        """The JSON that is sent. As StepMessage describes it, without reading what the worker wrote."""
        if not self.is_step:
            return self.text.decode()
        follows = b"true" if self.frame else b"false"
        head = b'{"type":"step","line":%d,"record":%b' % (self.line, self.text)
        return (b'%b,"frame_follows":%b,"seen":%b}' % (head, follows, self.seen or b"null")).decode()


class Outbox:
    """For the event loop alone. Where too much waits it closes, and all that is handed out still is why."""

    def __init__(self) -> None:
        self._waiting: deque[OutboxItem] = deque()
        self._with_frame: deque[OutboxItem] = deque()
        self._slice: OutboxItem | None = None
        self._errors = 0
        self._news = asyncio.Event()
        self._closed = False
        self.dropped_frames = 0

    def put(self, item: OutboxItem) -> None:
        if self._closed or (item.is_error and self._errors == MAX_ERRORS):
            return
        self._errors += item.is_error
        if item.is_slice:
            self._replace_slice(item)
        self._waiting.append(item)
        if item.frame:
            self._with_frame.append(item)
            if len(self._with_frame) > MAX_FRAMES:
                self._with_frame.popleft().drop_frame()
                self.dropped_frames += 1
        if len(self._waiting) > MAX_WAITING:
            self._waiting = deque([OutboxItem.of_message(EndedMessage(cause=TOO_SLOW))])
            self._closed = True
        self._news.set()

    def _replace_slice(self, newest: OutboxItem) -> None:
        """One that still waits is of an older policy, or of an older step."""
        if self._slice is not None and self._slice in self._waiting:
            self._waiting.remove(self._slice)
        self._slice = newest

    def put_message(self, message: ServerMessage) -> None:
        self.put(OutboxItem.of_message(message))

    def close(self) -> None:
        """Nothing more comes; what waits is still handed out."""
        self._closed = True
        self._news.set()

    async def items(self) -> AsyncIterator[OutboxItem]:
        """Each item once, in order, until the outbox is closed."""
        while True:
            while self._waiting:
                item = self._waiting.popleft()
                self._errors -= item.is_error
                if item.frame:
                    self._with_frame.remove(item)
                yield item
            if self._closed:
                return
            self._news.clear()
            await self._news.wait()
