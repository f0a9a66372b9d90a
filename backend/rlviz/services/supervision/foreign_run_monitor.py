"""ForeignRunMonitor: watches a run that a program of the user's own writes."""

from __future__ import annotations

import time
from collections.abc import Callable

from rlviz.launchers.base import Exit, UnknownWorker
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.rundir.atomic import remove_leftovers
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import last_beat
from rlviz.services.supervision.played_run_monitor import PlayedRunMonitor

LOOK_SECONDS = 0.5

SILENCE_SECONDS = 5.0
"""A program that is no process of this machine's, as far as can be seen, is gone once it was silent for so long."""


class ForeignWorker(UnknownWorker):
    """The program that writes the run. It can be watched, and neither be asked to end nor be ended.

    It lives as long as its process does; one of another machine or container, as long as its heartbeat goes on. The
    heartbeat is compared with itself, so that no two clocks have to agree.
    """

    def __init__(self, identity: str, folder: RunFolder, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._identity, self._folder, self._monotonic = identity, folder, monotonic
        self._process = ProcessIdentity.parse(identity)
        self._beat = last_beat(folder)
        self._heard_at = monotonic()
        self._looked_at = float("-inf")
        self._gone = False

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:  # type: ignore[override]  # unlike others of its kind, it is known while it lives
        now = self._monotonic()
        if not self._gone and now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            self._gone = not self._lives(now)
        return Exit(None) if self._gone else None

    def _lives(self, now: float) -> bool:
        if not self._folder.is_there():
            return False
        if (beat := last_beat(self._folder)) != self._beat:
            self._beat, self._heard_at = beat, now
        if self._process is not None and self._process.is_alive():
            return True
        return now - self._heard_at < SILENCE_SECONDS


class ForeignRunMonitor(PlayedRunMonitor):
    """Its program hands over videos without a word in the journals, so that their folder is looked at too. The run may
    end long before its program does, which is then no business of this app's."""

    _evaluations_at: int | None = None

    def poll(self) -> bool:
        try:
            changed_at = self.folder.evaluations.path.stat().st_mtime_ns
        except OSError:
            changed_at = None
        if changed_at != self._evaluations_at:
            self._evaluations_at, self._has_news = changed_at, True
        goes_on = super().poll()
        if goes_on and self.ended:
            self.folder.tidy()
            remove_leftovers(self.folder.evaluations.path, self.folder.path)
            return False
        return goes_on

    def _cause(self, gone: Exit) -> str:
        if not self.folder.is_there():
            return "The folder of this run was deleted, moved or renamed while its program wrote into it."
        process = ProcessIdentity.parse(self.worker.identity)
        which = f" (process {process.pid})" if process is not None else ""
        return f"The program that wrote this run{which} went away without a word: it was killed, or its machine failed."
