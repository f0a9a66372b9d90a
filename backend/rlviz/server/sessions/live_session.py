"""One live session: pass messages between its worker's socket and the viewer.

``Outbox`` queues what is sent to the viewer and drops frames that are too old.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from rlviz.domain.sessions import (
    SERVER_MESSAGE,
    ClientMessage,
    EndedMessage,
    ErrorMessage,
    Hello,
    Line,
    RecordedMessage,
    ServerMessage,
    SessionMode,
)
from rlviz.learning.sessions.folder import SessionFolder, SessionPlan
from rlviz.learning.sessions.packets import HEAD, Kind, PackedStep, Presence, Recording, pack, parse_head, unpack_step

log = logging.getLogger(__name__)


MAX_FRAMES = 2
"""Maximum number of queued frames; older ones are dropped."""

MAX_ERRORS = 20
"""Maximum number of queued errors; further ones are dropped. A client that sends invalid messages without reading stays
connected."""

MAX_WAITING = 5_000
"""Maximum number of queued messages; beyond it the connection is closed."""

TOO_SLOW = f"The connection is too slow: {MAX_WAITING:,} messages were waiting for it. Open the session again."


@dataclass(eq=False)
class OutboxItem:
    """A message as JSON, or a step: its record, its frame, and the agent's observation.

    ``seen`` describes the observation, ``pictures`` holds its images. Frame and pictures are empty if there are none,
    or if they were dropped. ``line``: the future that the step belongs to, if a session shows two.
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
        """Return the binary messages that follow, in order."""
        return [content for content in (self.frame, self.pictures) if content]

    def drop_frame(self) -> None:
        """Drop the frame and what the agent saw, which belong together."""
        self.frame = self.seen = self.pictures = b""

    def message(self) -> str:
        """Return the JSON to send, as StepMessage describes it, without parsing the worker's part."""
        if not self.is_step:
            return self.text.decode()
        follows = b"true" if self.frame else b"false"
        head = b'{"type":"step","line":%d,"record":%b' % (self.line, self.text)
        return (b'%b,"frame_follows":%b,"seen":%b}' % (head, follows, self.seen or b"null")).decode()


class Outbox:
    """Queue of messages to the viewer. Use it only on the event loop. If it is too full, it closes and sends only the
    reason."""

    def __init__(self) -> None:
        self._waiting: deque[OutboxItem] = deque()
        self._with_frame: deque[OutboxItem] = deque()
        self._slice: OutboxItem | None = None
        self._errors = 0
        self._changed = asyncio.Event()
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
        self._changed.set()

    def _replace_slice(self, newest: OutboxItem) -> None:
        """Replace a queued slice, which is of an older policy or step."""
        if self._slice is not None and self._slice in self._waiting:
            self._waiting.remove(self._slice)
        self._slice = newest

    def put_message(self, message: ServerMessage) -> None:
        self.put(OutboxItem.of_message(message))

    def close(self) -> None:
        """Accept nothing more; queued items are still sent."""
        self._closed = True
        self._changed.set()

    async def items(self) -> AsyncIterator[OutboxItem]:
        """Yield each item once, in order, until the outbox is closed."""
        while True:
            while self._waiting:
                item = self._waiting.popleft()
                self._errors -= item.is_error
                if item.frame:
                    self._with_frame.remove(item)
                yield item
            if self._closed:
                return
            self._changed.clear()
            await self._changed.wait()


UNWATCHED_SECONDS = 6.0
"""Seconds that a session continues without a viewer, so that a page can reload."""

ARRIVAL_SECONDS = 1.0
"""Seconds that the client may take to connect before another session can replace this one."""

IDLE_SECONDS = 60.0
"""Seconds without a step or a message after which a watched session may make room for another one."""

MAX_EARLY = 100
"""Maximum number of messages queued for the starting worker; the newest are kept."""

DRAIN_SECONDS = 2.0
"""Seconds to wait for the last messages of a worker that has exited."""

SEND_SECONDS = 5.0
"""Seconds that the worker may take to read a message."""


class LiveSession:
    """A session with its worker and its viewer. Use it only on the event loop.

    Call ``open``, ``attach`` each viewer, and ``end``. Without a viewer it ends by itself after ``unwatched_seconds``.
    ``on_end`` is called once at the end, for any reason. ``on_played`` is called when a person has played an episode
    and the session needs a run to store it.
    """

    def __init__(
        self,
        session_id: str,
        plan: SessionPlan,
        folder: SessionFolder,
        on_end: Callable[[LiveSession], None],
        *,
        on_played: Callable[[LiveSession], None] = lambda _: None,
        run_id: str | None = None,
        created_at: float = 0.0,
        unwatched_seconds: float = UNWATCHED_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id, self.plan, self.folder, self.run_id, self.created_at = session_id, plan, folder, run_id, created_at
        self._on_end, self._on_played, self._unwatched_seconds = on_end, on_played, unwatched_seconds
        self._monotonic, self._arrives_by = monotonic, monotonic() + ARRIVAL_SECONDS
        self._active_at = monotonic()
        self._server: asyncio.Server | None = None
        self._worker: asyncio.StreamWriter | None = None
        self._is_drained = True
        self._gone: str | None = None
        self._outbox: Outbox | None = None
        self._awaits_hello = False
        self._was_watched = False
        self._timer: asyncio.TimerHandle | None = None
        self._early: deque[ClientMessage | Presence | Recording] = deque(maxlen=MAX_EARLY)
        self._cause: str | None = None
        self.has_ended = False

    @property
    def is_watched(self) -> bool:
        return self._outbox is not None

    @property
    def is_abandoned(self) -> bool:
        """Whether no client is attached although it had time to attach."""
        return not self.is_watched and (self._was_watched or self._monotonic() >= self._arrives_by)

    @property
    def is_idle(self) -> bool:
        """Whether a policy plays in it, and it has been paused for so long that another session may replace it."""
        return self.plan.mode is SessionMode.WATCH and self._monotonic() >= self._active_at + IDLE_SECONDS

    async def open(self) -> None:
        """Open the socket and wait for the worker and a viewer. Raises OSError."""
        self._server = await asyncio.start_unix_server(self._serve, str(self.folder.socket_path))
        self._start_unwatched_timer()

    async def attach(self) -> Outbox:
        """Attach a viewer, which replaces the previous one.

        Its state begins with ``Hello``: messages to the previous viewer that are still on their way are dropped.
        """
        if self._outbox is not None:
            self._outbox.put_message(EndedMessage(cause="The session was opened elsewhere."))
            self._outbox.close()
        if self._timer is not None:
            self._timer.cancel()
        outbox = self._outbox = Outbox()
        self._awaits_hello = self._was_watched = True
        await self.send(Presence(looks=True))
        return outbox

    async def detach(self, outbox: Outbox) -> None:
        """Detach a viewer."""
        outbox.close()
        if outbox is self._outbox and not self.has_ended:
            self._outbox = None
            self._start_unwatched_timer()
            await self.send(Presence(looks=False))

    async def send(self, message: ClientMessage | Presence | Recording) -> None:
        """Send ``message`` to the worker when it has connected; waits for a slow one."""
        self._active_at = self._monotonic()
        if self._worker is None:
            self._early.append(message)
            return
        if self._worker.is_closing():  # it has disconnected
            return
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(SEND_SECONDS):
                self._worker.write(pack(Kind.MESSAGE, message.model_dump_json().encode()))
                await self._worker.drain()

    def send_to_viewer(self, message: ServerMessage) -> None:
        """Send a message to the viewer."""
        if self._outbox is not None:
            self._outbox.put_message(message)

    def worker_gone(self, cause: str) -> None:
        """Note that the worker's process has exited because of ``cause``. Its last messages may still arrive and say
        more."""
        self._gone = cause
        if self._is_drained:
            self._end_without_worker()
        else:
            asyncio.get_running_loop().call_later(DRAIN_SECONDS, self._end_without_worker)

    def _end_without_worker(self) -> None:
        if self.has_ended:
            return
        if printed := self.folder.log_tail():
            log.warning("The worker of session %s printed:\n%s", self.id, printed)
        self.end(self._cause or self._gone or "The worker exited.")

    def end(self, cause: str) -> None:
        """End the session: tell the viewer, disconnect the worker, and remove the folder."""
        if self.has_ended:
            return
        self.has_ended = True
        if self._outbox is not None:
            if self._cause is None:  # otherwise the worker has sent the cause
                self._outbox.put_message(EndedMessage(cause=cause))
            self._outbox.close()
        if self._timer is not None:
            self._timer.cancel()
        if self._worker is not None:
            self._worker.close()
        if self._server is not None:
            self._server.close()
        self.folder.remove()
        self._on_end(self)

    def _start_unwatched_timer(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._unwatched_seconds, self.end, "The session had no viewer.")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Accept the worker, which proves itself by the secret."""
        try:
            kind, content = await _read(reader)
            if kind is not Kind.SECRET or not hmac.compare_digest(content, self.plan.secret.encode()):
                return
            if self._worker is not None or self.has_ended:
                return
            self._worker, self._is_drained = writer, False
            while self._early:
                await self.send(self._early.popleft())
            while True:
                self._receive(*await _read(reader))
        except (OSError, EOFError, ValueError):
            pass  # it has disconnected or sent an invalid packet; the end of its process gives the cause
        finally:
            writer.close()
            if writer is self._worker:
                self._is_drained = True
                if self._gone is not None:
                    self._end_without_worker()

    def _receive(self, kind: Kind, content: bytes) -> None:
        if kind is Kind.RECORD:
            self._on_played(self)
            return
        if kind is Kind.STEP:
            self._active_at = self._monotonic()
            item = OutboxItem.of_step(unpack_step(content))
            is_for_anyone = False
        elif kind is Kind.SLICE:
            item = OutboxItem(content, is_slice=True)
            is_for_anyone = False
        else:
            message = SERVER_MESSAGE.validate_json(content)
            if isinstance(message, Hello):
                self._awaits_hello = False
            elif isinstance(message, EndedMessage):
                self._cause = message.cause
            item = OutboxItem(content, is_error=isinstance(message, ErrorMessage))
            is_for_anyone = isinstance(message, ErrorMessage | EndedMessage | RecordedMessage)
        if self._outbox is not None and (is_for_anyone or not self._awaits_hello):
            self._outbox.put(item)


async def _read(reader: asyncio.StreamReader) -> tuple[Kind, bytes]:
    """Read the next packet. Raises EOFError at the end, or ValueError for a malformed packet."""
    kind, length = parse_head(await reader.readexactly(HEAD.size))
    return kind, await reader.readexactly(length)
