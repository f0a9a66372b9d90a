"""RunUseCases: what use cases on runs work with, and the rule for touching a run's folder."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlmodel import Session

from rlviz.catalog.database import Database
from rlviz.catalog.evaluations import open_evaluations
from rlviz.catalog.models import RunRow
from rlviz.domain.errors import RunIsActive
from rlviz.rundir.folder import RunFolder
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.supervision.supervisor import Supervisor
from rlviz.settings import Settings


class RunUseCases:
    """One transaction a use case. What the trainer must know is in the folder before the catalogue says so."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        supervisor: Supervisor,
        broadcast: Broadcast,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._database = settings, database
        self._supervisor, self._broadcast, self._clock = supervisor, broadcast, clock
        self._disk = DiskGuard(settings)

    def _folder(self, run_id: str) -> RunFolder:
        """The folder of a run of that id, whether it is there or not."""
        return RunFolder(self._settings.runs_dir, run_id)

    def _check_idle(self, session: Session, row: RunRow, deed: str) -> None:
        """Raises RunIsActive while a worker, or an evaluation, may write into the folder.

        ``deed``: what the run has to be idle for, as in "deleting it".
        """
        if row.state.is_active or self._supervisor.is_live(row.id):
            raise RunIsActive(f"Run {row.id!r} is {row.status!r}. Stop it and wait for its end before {deed}.")
        if open_evaluations(session, row.id):
            raise RunIsActive(f"Run {row.id!r} is being evaluated. Wait for the evaluation's end before {deed}.")
