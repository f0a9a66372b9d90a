"""Outbox: what waits to be sent to one who looks. Whoever reads slowly loses frames, and no record."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

from rlviz.domain.session_messages import ServerMessage

MAX_FRAMES = 2
"""Frames that wait at most: the next ones are newer."""

MAX_WAITING = 5_000
"""Messages that wait at most. Who has read none of so many never will."""


@dataclass
class Parcel:
    """A message, as JSON; or a record, and the frame that shows it. ``frame`` is empty if there is none (any more)."""

    text: bytes
    frame: bytes = b""
    is_step: bool = False

    def message(self) -> str:
        """The JSON that is sent. As StepMessage describes it, without reading what the worker wrote."""
        if not self.is_step:
            return self.text.decode()
        follows = b"true" if self.frame else b"false"
        return (b'{"type":"step","record":%b,"frame_follows":%b}' % (self.text, follows)).decode()


class Outbox:
    """For the event loop alone."""

    def __init__(self) -> None:
        self._waiting: deque[Parcel] = deque()
        self._with_frame: deque[Parcel] = deque()
        self._news = asyncio.Event()
        self._closed = False
        self.dropped_frames = 0

    def put(self, parcel: Parcel) -> None:
        if self._closed:
            return
        self._waiting.append(parcel)
        if parcel.frame:
            self._with_frame.append(parcel)
            if len(self._with_frame) > MAX_FRAMES:
                self._with_frame.popleft().frame = b""
                self.dropped_frames += 1
        if len(self._waiting) > MAX_WAITING:
            self._waiting.clear()
            self._closed = True
        self._news.set()

    def put_message(self, message: ServerMessage) -> None:
        self.put(Parcel(message.model_dump_json().encode()))

    def close(self) -> None:
        """Nothing more comes; what waits is still handed out."""
        self._closed = True
        self._news.set()

    async def parcels(self) -> AsyncIterator[Parcel]:
        """Each parcel once, in order, until the outbox is closed."""
        while True:
            while self._waiting:
                parcel = self._waiting.popleft()
                if parcel.frame:
                    self._with_frame.remove(parcel)
                yield parcel
            if self._closed:
                return
            self._news.clear()
            await self._news.wait()
