"""Base class for services that change runs.

One use case is one transaction. A change that the trainer must see is written to the run folder before the catalogue,
so a crash in between never leaves a row that promises more than the folder says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from sqlmodel import Session

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import NotControlled, RunIsActive
from rlviz.domain.sink_record import SinkPlan
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus, check_transition
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import RunFolder, folder_gone
from rlviz.rundir.sinks import write_plan
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import open_evaluations
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_config
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EventBus, RunChanged
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.settings import Settings

EXIT_SECONDS = 5.0
"""Seconds to wait for the worker of an ended run to exit, before the request is refused."""

EXIT_POLL_SECONDS = 0.02


class RunUseCases:
    """Shared parts of the use cases on runs: folders, control requests, new runs, and checks."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        supervisor: Supervisor,
        events: EventBus,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._database = settings, database
        self._supervisor, self._events, self._clock = supervisor, events, clock
        self._disk = DiskGuard(settings)
        self._trust = TrustGuard(settings)

    def _folder(self, run_id: str) -> RunFolder:
        """Return the folder of a run, which may not exist."""
        return RunFolder(self._settings.runs_dir, run_id)

    def _request_state(self, run_id: str, desired: Desired, now: float, **changes: object) -> None:
        """Write the desired state into ``control.json``. Raises ArtifactNotFound if the folder is gone."""
        folder = self._folder(run_id)
        try:
            folder.change_control(desired=desired, requested_at=now, **changes)
        except FileNotFoundError as error:
            raise folder_gone(run_id) from error

    def _add(
        self, configs: Sequence[RunConfig], now: float, *, start: bool, sinks: Sequence[SinkKind] = ()
    ) -> list[RunRow]:
        """Create the folders and rows of new runs: all of them, or none.

        If the service dies meanwhile, its next start indexes the folders that are complete. Raises OSError.

        Args:
            configs: Their configurations.
            now: Unix seconds.
            start: Queue the runs.
            sinks: Where they are delivered to.
        """
        rows = [row_of_config(config) for config in configs]
        control = Control(desired=Desired.RUN, requested_at=now, queued_at=now) if start else None
        if start:
            for row in rows:
                check_transition(row.state, RunStatus.QUEUED)
                row.status, row.queued_at = RunStatus.QUEUED.value, now

        def write_sinks(folder: RunFolder) -> None:
            if sinks:
                write_plan(folder, SinkPlan(kinds=tuple(sorted(set(sinks)))))

        with ExitStack() as folders:
            appear = [
                folders.enter_context(new_folder(self._settings.runs_dir, config, control, fill=write_sinks))
                for config in configs
            ]
            session = folders.enter_context(self._database.write())
            session.add_all(rows)
            session.flush()
            for one in appear:  # just before the commit, so that an error here undoes both
                one()
        for row in rows:
            self._events.publish(RunChanged(row))
        if start:
            self._supervisor.wake()
        return rows

    def _await_exit(self, run_id: str) -> None:
        """Wait until the worker of an ended run exits, which happens shortly after it records the end."""
        with self._database.read() as session:
            has_ended = not get_run(session, run_id).state.is_active
        deadline = time.monotonic() + EXIT_SECONDS
        while has_ended and self._supervisor.is_live(run_id) and time.monotonic() < deadline:
            time.sleep(EXIT_POLL_SECONDS)

    def _check_idle(self, session: Session, row: RunRow, purpose: str) -> None:
        """Raise RunIsActive while a worker or an evaluation may write into the folder.

        Args:
            session: Reads the evaluations.
            row: The run.
            purpose: What needs an idle run, as a gerund for the message: "deleting it".
        """
        if row.actor is RunActor.FOREIGN and row.state.is_active:
            raise RunIsActive(f"Run {row.id!r} is written by another program. End that program before {purpose}.")
        if row.state.is_active or self._supervisor.is_live(row.id):
            raise RunIsActive(
                f"Run {row.id!r} is {row.status!r}. Stop it and wait until it has ended before {purpose}."
            )
        if open_evaluations(session, row.id):
            raise RunIsActive(
                f"Run {row.id!r} is being evaluated. Wait until the evaluation has ended before {purpose}."
            )


def check_controlled(row: RunRow) -> None:
    """Raise NotControlled for a foreign run, which only its own program can change."""
    if row.actor is RunActor.FOREIGN:
        raise NotControlled(
            f"Run {row.id!r} was imported or is written by another program. You can watch, compare and export it here, "
            "but only that program can change it."
        )
