"""RunQueue: which queued run starts next, and why none can."""

from __future__ import annotations

import time
from collections.abc import Callable

from rlviz.catalog.database import Database
from rlviz.catalog.runs import runs_with_status
from rlviz.domain.errors import NotEnoughDisk
from rlviz.domain.status import RunStatus
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard

LOOK_AGAIN_SECONDS = 2.0
"""Seconds between two checks whether the disk has room again."""


class RunQueue:
    """First come, first served. If there is no room on the disk when a run's turn comes, it keeps its place and its
    cause says so. A run that is not trusted waits until it is. All methods are called from one thread."""

    def __init__(
        self,
        database: Database,
        broadcast: Broadcast,
        disk: DiskGuard,
        may_run: Callable[[str], bool] = lambda _run_id: True,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database, self._broadcast, self._disk, self._monotonic = database, broadcast, disk, monotonic
        self._may_run = may_run
        self._look_again_at: float | None = None

    @property
    def is_due(self) -> bool:
        """Whether the disk kept runs waiting, and it is time to try the first again."""
        return self._look_again_at is not None and self._monotonic() >= self._look_again_at

    def first(self) -> str | None:
        """The run to start now; None if none waits, or if the disk is too full."""
        with self._database.read() as session:
            queued = runs_with_status(session, RunStatus.QUEUED)
        held = self._why_not() if queued else None
        self._look_again_at = None if held is None else self._monotonic() + LOOK_AGAIN_SECONDS
        if any(row.cause != held for row in queued):
            self._log(held)
        return next((row.id for row in queued if self._may_run(row.id)), None) if held is None else None

    def _why_not(self) -> str | None:
        try:
            self._disk.check()
        except NotEnoughDisk as error:
            return str(error)
        return None

    def _log(self, cause: str | None) -> None:
        with self._database.write() as session:
            queued = runs_with_status(session, RunStatus.QUEUED)
            for row in queued:
                row.cause = cause
        for row in queued:
            self._broadcast.run_changed(row)
