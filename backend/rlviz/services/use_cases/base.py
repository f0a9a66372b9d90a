"""RunUseCases: base class of use cases on runs, with the rule for changing a run's folder."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlmodel import Session

from rlviz.catalog.database import Database
from rlviz.catalog.evaluations import open_evaluations
from rlviz.catalog.models import RunRow
from rlviz.domain.errors import RunIsActive
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder, folder_gone
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.supervision.supervisor import Supervisor
from rlviz.settings import Settings


class RunUseCases:
    """Use cases on runs. One transaction for each; what the trainer must know is written to the folder before the
    catalogue."""

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
        """The folder of the run with this id, whether it exists or not."""
        return RunFolder(self._settings.runs_dir, run_id)

    def _ask(self, run_id: str, desired: Desired, now: float, **changes: object) -> None:
        folder = self._folder(run_id)
        try:
            folder.change_control(desired=desired, requested_at=now, **changes)
        except FileNotFoundError as error:
            raise folder_gone(run_id) from error

    def _check_idle(self, session: Session, row: RunRow, deed: str) -> None:
        """Raises RunIsActive while a worker, or an evaluation, may write into the folder.

        ``deed``: what the run has to be idle for, as in "deleting it".
        """
        if row.state.is_active or self._supervisor.is_live(row.id):
            raise RunIsActive(f"Run {row.id!r} is {row.status!r}. Stop it and wait for its end before {deed}.")
        if open_evaluations(session, row.id):
            raise RunIsActive(f"Run {row.id!r} is being evaluated. Wait for the evaluation's end before {deed}.")
