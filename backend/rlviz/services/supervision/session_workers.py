"""SessionWorkers: the processes of the sessions that go on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import methodcaller
from threading import Lock

from rlviz.domain.errors import RlvizError
from rlviz.launchers.base import Launcher, Worker
from rlviz.launchers.job import PlaySession
from rlviz.services.supervision.termination import SESSION_GRACE, TerminationPolicy
from rlviz.sessions.folder import SessionFolder

log = logging.getLogger(__name__)

CLOSING_SECONDS = 3.5
"""How long they may take to end, and then to be gone: longer than one waits for the video of its last episode."""


@dataclass
class _Live:
    worker: Worker
    on_gone: Callable[[str], None]
    termination: TerminationPolicy | None = None


class SessionWorkers:
    """``launch`` and ``end`` may be called from any thread; all else from the one that owns the launcher."""

    def __init__(self, launcher: Launcher, wake: Callable[[], None]) -> None:
        self._launcher, self._wake = launcher, wake
        self._live: dict[str, _Live] = {}
        self._inbox = Lock()
        self._closed = False
        self._to_launch: list[tuple[str, SessionFolder, Callable[[str], None]]] = []
        self._to_end: list[str] = []

    def launch(self, session_id: str, folder: SessionFolder, on_gone: Callable[[str], None]) -> None:
        """Start the worker of a session. ``on_gone`` is told, in one sentence, why it is not there (any more)."""
        with self._inbox:
            self._to_launch.append((session_id, folder, on_gone))
        self._wake()

    def end(self, session_id: str) -> None:
        """The session has ended: see that its worker does."""
        with self._inbox:
            self._to_end.append(session_id)
        self._wake()

    def worker_of(self, session_id: str) -> Worker | None:
        """None if it has ended, or has none yet."""
        live = self._live.get(session_id)
        return live.worker if live is not None else None

    @property
    def is_busy(self) -> bool:
        return bool(self._live)

    def tick(self) -> None:
        with self._inbox:
            to_launch, self._to_launch = self._to_launch, []
            to_end, self._to_end = self._to_end, []
        for session_id, folder, on_gone in to_launch:
            if self._closed:
                on_gone("The app is ending.")
                continue
            try:
                self._live[session_id] = _Live(self._launcher.launch(folder, PlaySession()), on_gone)
            except (RlvizError, OSError) as error:
                log.warning("Session %s could not be started: %s", session_id, error)
                on_gone(f"The session could not be started: {error}")
        for session_id in to_end:
            if (live := self._live.get(session_id)) is not None and live.termination is None:
                live.termination = TerminationPolicy(f"The worker of {session_id}", live.worker, SESSION_GRACE)
        for session_id, live in list(self._live.items()):
            if (how := live.worker.poll()) is not None:
                del self._live[session_id]
                live.on_gone(how.cause("the session"))
            elif live.termination is not None:
                live.termination.tick()

    def close(self) -> None:
        """End them all, and start no more: nobody looks any more. What was played by hand is brought to its end."""
        self._closed = True
        for act in (methodcaller("terminate"), methodcaller("kill")):
            for live in self._live.values():
                act(live.worker)
            deadline = time.monotonic() + CLOSING_SECONDS
            while self._live and time.monotonic() < deadline:
                self._live = {key: live for key, live in self._live.items() if live.worker.poll() is None}
                time.sleep(0.01)
