"""Watches a user's own program that writes a run without a launcher."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rlviz.launchers.base import Exit, Worker
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import read_heartbeat
from rlviz.rundir.process_identity import ProcessIdentity

POLL_SECONDS = 0.5

SILENCE_SECONDS = 5.0
"""A program whose process cannot be checked here counts as lost after this much silence."""


@dataclass(frozen=True)
class ProgramLost(Exit):
    """The end of a program that did not report it. ``pid`` is its process, if it ran on this machine."""

    pid: int | None = None

    def cause(self, what: str = "training") -> str:
        which = f" (process {self.pid})" if self.pid is not None else ""
        return f"The program that wrote this run{which} ended without a report: it was killed, or its machine failed."


class ForeignWorker(Worker):
    """A program that can be watched, but not stopped.

    It lives as long as its process does. On another machine or in another container, it lives as long as its heartbeat
    changes; the heartbeat is only compared with itself, so that clocks need not agree.
    """

    def __init__(self, identity: str, folder: RunFolder, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._identity, self._folder, self._monotonic = identity, folder, monotonic
        self._process = ProcessIdentity.parse(identity)
        self._beat = read_heartbeat(folder)
        self._heard_at = monotonic()
        self._looked_at = float("-inf")
        self._gone = False

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:
        now = self._monotonic()
        if not self._gone and now - self._looked_at >= POLL_SECONDS:
            self._looked_at = now
            self._gone = not self._lives(now)
        if not self._gone:
            return None
        return ProgramLost(None, pid=self._process.pid if self._process is not None else None)

    def terminate(self) -> None:
        """Do nothing: a user's program cannot be stopped."""

    def kill(self) -> None:
        """Do nothing: a user's program cannot be stopped."""

    def _lives(self, now: float) -> bool:
        if not self._folder.is_there():
            return False
        if (beat := read_heartbeat(self._folder)) != self._beat:
            self._beat, self._heard_at = beat, now
        if self._process is not None and self._process.is_alive():
            return True
        return now - self._heard_at < SILENCE_SECONDS
