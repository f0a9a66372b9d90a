"""RunUseCases: base class of use cases on runs, with the rule for changing a run's folder."""

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
"""How long the worker of a run that has ended may take to exit, at most, before somebody is told to wait."""

EXIT_LOOK_SECONDS = 0.02


class RunUseCases:
    """Use cases on runs. One transaction for each; what the trainer must know is written to the folder before the
    catalogue."""

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
        """The folder of the run with this id, whether it exists or not."""
        return RunFolder(self._settings.runs_dir, run_id)

    def _ask(self, run_id: str, desired: Desired, now: float, **changes: object) -> None:
        folder = self._folder(run_id)
        try:
            folder.change_control(desired=desired, requested_at=now, **changes)
        except FileNotFoundError as error:
            raise folder_gone(run_id) from error

    def _add(
        self, configs: Sequence[RunConfig], now: float, *, start: bool, sinks: Sequence[SinkKind] = ()
    ) -> list[RunRow]:
        """Write the folders of new runs, index them, and queue them if they shall ``start``: all of them, or none.
        ``sinks``: that they are planned to be delivered to.

        If the service dies meanwhile, its next start finds those whose folders have appeared. Raises OSError.
        """
        rows = [row_of_config(config) for config in configs]
        control = Control(desired=Desired.RUN, requested_at=now, queued_at=now) if start else None
        if start:
            for row in rows:
                check_transition(row.state, RunStatus.QUEUED)
                row.status, row.queued_at = RunStatus.QUEUED.value, now

        def plan(folder: RunFolder) -> None:
            if sinks:
                write_plan(folder, SinkPlan(kinds=tuple(sorted(set(sinks)))))

        with ExitStack() as folders:
            appear = [
                folders.enter_context(new_folder(self._settings.runs_dir, config, control, fill=plan))
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
        """Wait for the worker of a run that has ended: it exits some moments after it has said so."""
        with self._database.read() as session:
            has_ended = not get_run(session, run_id).state.is_active
        deadline = time.monotonic() + EXIT_SECONDS
        while has_ended and self._supervisor.is_live(run_id) and time.monotonic() < deadline:
            time.sleep(EXIT_LOOK_SECONDS)

    def _check_idle(self, session: Session, row: RunRow, purpose: str) -> None:
        """Raises RunIsActive while a worker, or an evaluation, may write into the folder.

        ``purpose``: what the run has to be idle for, as in "deleting it".
        """
        if row.actor is RunActor.FOREIGN and row.state.is_active:
            raise RunIsActive(f"A program of its own writes run {row.id!r}. End that program before {purpose}.")
        if row.state.is_active or self._supervisor.is_live(row.id):
            raise RunIsActive(f"Run {row.id!r} is {row.status!r}. Stop it and wait for its end before {purpose}.")
        if open_evaluations(session, row.id):
            raise RunIsActive(f"Run {row.id!r} is being evaluated. Wait for the evaluation's end before {purpose}.")


def check_controlled(row: RunRow) -> None:
    """Raises NotControlled for a foreign run: whatever would have to be done by its program is refused by this."""
    if row.actor is RunActor.FOREIGN:
        raise NotControlled(
            f"A program of its own writes run {row.id!r}, or did, or it was imported: it can be watched, compared and "
            "exported here, and only that program can change what it does."
        )
