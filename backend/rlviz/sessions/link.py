"""The worker's end of the socket to the service."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from io import BufferedReader
from queue import Empty, Full, Queue
from threading import Lock, Thread

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from rlviz.domain.session_messages import ErrorMessage, Line, ServerMessage, SliceMessage
from rlviz.domain.step_record import StepRecord
from rlviz.evaluation.seen import Seen
from rlviz.recording.pictures import as_jpeg, as_png
from rlviz.sessions.packets import HEAD, WORKER_MESSAGE, Kind, PackedStep, pack, pack_step, parse_head
from rlviz.sessions.stage import SessionInput

MAX_WAITING = 200
"""Messages that wait to be followed; more are refused, so that the end of the connection is always seen."""


class ServiceGone(ConnectionError):
    """The service has ended, or was killed."""


class Link:
    """Sends what happens, and gathers what is wanted in a thread of its own. ``on_end`` is called in that thread when
    the service, or whoever looked, is gone.
    """

    def __init__(self, connection: socket.socket, on_end: Callable[[], None]) -> None:
        self._connection, self._on_end = connection, on_end
        self._sending = Lock()
        self._waiting: Queue[SessionInput] = Queue(MAX_WAITING)
        self._thread = Thread(target=self._gather, name="link", daemon=True)

    @classmethod
    def connect(cls, path: str, secret: str, on_end: Callable[[], None]) -> Link:
        """Raises OSError if nobody listens at ``path``."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        link = cls(connection, on_end)
        link._send(pack(Kind.SECRET, secret.encode()))
        link._thread.start()
        return link

    def send(self, message: ServerMessage) -> None:
        kind = Kind.SLICE if isinstance(message, SliceMessage) else Kind.MESSAGE
        self._send(pack(kind, message.model_dump_json().encode()))

    def show(
        self,
        record: StepRecord,
        frame: NDArray[np.uint8] | None,
        seen: Seen | None = None,
        line: Line = Line.PLAYED,
    ) -> None:
        """``frame``: (height, width, 3)."""
        content = record.model_dump_json().encode()
        step = PackedStep(content, b"" if frame is None else as_jpeg(frame), line=line)
        if seen is not None:
            step = step._replace(seen=seen.about.model_dump_json().encode(), pictures=as_png(seen.pixels))
        self._send(pack_step(step))

    def ask_for_recording(self) -> None:
        """An episode was played by hand: a run is wanted to keep it in."""
        self._send(pack(Kind.RECORD, b""))

    def leave(self) -> None:
        """End the connection, as the service does otherwise."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def wait(self, seconds: float) -> SessionInput | None:
        """What is wanted next; None if that is nothing for so long."""
        try:
            return self._waiting.get(block=seconds > 0, timeout=max(seconds, 0) or None)
        except Empty:
            return None

    def await_end(self) -> None:
        """Wait until the end of the connection is noticed, and everything that is to be done then is."""
        self._thread.join()

    def _send(self, packet: bytes) -> None:
        """Raises ServiceGone."""
        try:
            with self._sending:
                self._connection.sendall(packet)
        except ConnectionError as error:
            raise ServiceGone from error

    def _gather(self) -> None:
        try:
            with self._connection.makefile("rb") as file:
                while (content := _read_message(file)) is not None:
                    self._take(content)
        except (OSError, ValueError):
            pass
        finally:
            self._on_end()

    def _take(self, content: bytes) -> None:
        try:
            self._waiting.put_nowait(WORKER_MESSAGE.validate_json(content))
        except ValidationError:
            self.send(ErrorMessage(detail="The message was not understood."))
        except Full:
            self.send(ErrorMessage(detail="Too many messages at once; this one was dropped."))


def _read_message(file: BufferedReader) -> bytes | None:
    """The next packet; None at the end. Raises ValueError for what is none."""
    head = file.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    _, length = parse_head(head)
    content = file.read(length)
    return content if len(content) == length else None
