"""Runs that go on without being asked: those that paused with the app, and, if so set, those that were interrupted."""

from __future__ import annotations

import logging
from collections.abc import Collection
from queue import SimpleQueue
from threading import Event, Thread

from sqlalchemy.exc import DatabaseError

from rlviz.catalog.models import RunRow
from rlviz.domain.errors import NotFound, RlvizError, RunIsActive
from rlviz.domain.status import RunStatus
from rlviz.rundir.to_resume import ToResume
from rlviz.services.use_cases.resuming import ResumeService
from rlviz.settings import Settings

log = logging.getLogger(__name__)

AGAIN_SECONDS = 0.2
"""A worker that ends lives a moment longer than its attempt."""

TRIES = 150


class AutomaticResuming:
    """Resumes in a thread of its own, once the old worker is gone. ``consider`` is for every thread."""

    def __init__(self, settings: Settings, resuming: ResumeService) -> None:
        self._settings, self._resuming = settings, resuming
        self._store = ToResume(settings.runs_dir)
        self._held: set[str] = set()
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._closing = Event()
        self._thread = Thread(target=self._loop, name="resuming", daemon=True)

    def start(self, interrupted: Collection[str]) -> None:
        """Take up what the app that ended before has left; ``interrupted``: runs whose workers went with it."""
        self._held = set(self._store.read())
        automatic = [one for one in interrupted if one not in self._held] if self._is_on else []
        for run_id in [*sorted(self._held), *automatic]:
            self._waiting.put(run_id)
        self._thread.start()

    def hold(self, run_ids: Collection[str]) -> None:
        """The app ends: these go on when it is started again, and none before."""
        self._closing.set()
        try:
            self._store.write({*self._held, *run_ids})
        except OSError as error:
            log.warning("Which runs shall go on at the next start could not be written: %s", error)

    def consider(self, row: RunRow) -> None:
        """Cheap. A run has changed: resume it if that is due."""
        if self._closing.is_set() or not row.state.is_final:
            return
        if row.id in self._held or (self._is_on and row.state is RunStatus.INTERRUPTED):
            self._waiting.put(row.id)

    def close(self) -> None:
        self._closing.set()
        self._waiting.put(None)
        if self._thread.is_alive():
            self._thread.join()

    @property
    def _is_on(self) -> bool:
        return self._settings.resume == "auto"

    def _loop(self) -> None:
        while (run_id := self._waiting.get()) is not None and not self._closing.is_set():
            if self._resume(run_id) and run_id in self._held:
                self._held.discard(run_id)
                try:
                    self._store.write(self._held)
                except OSError as error:
                    log.warning("That run %s goes on could not be written: %s", run_id, error)

    def _resume(self, run_id: str) -> bool:
        """Whether nothing more is to be done about it now."""
        for _ in range(TRIES):
            try:
                if run_id in self._held:
                    return self._resuming.resume_held(run_id)
                self._resuming.resume_interrupted(run_id, self._settings.resume_attempts)
            except RunIsActive:
                if self._closing.wait(AGAIN_SECONDS):
                    return False
                continue
            except NotFound:  # deleted meanwhile
                return True
            except (RlvizError, OSError, DatabaseError) as error:
                log.warning("Run %s does not go on by itself: %s", run_id, error)
            return True
        return False
