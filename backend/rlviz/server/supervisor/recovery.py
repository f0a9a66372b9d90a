"""Recover active runs and evaluations after a restart, from their folders and the process table.

``rlviz.server.snapshots.resuming`` decides whether an interrupted run then resumes automatically.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

from rlviz.domain.config import RunActor
from rlviz.domain.errors import ArtifactNotFound, RunFolderError, RunIsActive
from rlviz.domain.events import InterruptedData
from rlviz.domain.ids import utc
from rlviz.domain.status import WITH_WORKER, RunStatus
from rlviz.launchers.base import Launcher, UnknownWorker, Worker
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder, attempts_of, request_checkpoint
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import open_evaluations
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import end_row, row_of_folder
from rlviz.server.catalog.projection.run import interrupted_columns, keep_known_columns
from rlviz.server.catalog.runs import runs_with_status
from rlviz.server.supervisor.run_monitor import journal_ending, update_evaluation_rows
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.supervisor.trust_guard import TrustGuard

log = logging.getLogger(__name__)


def recover(
    database: Database,
    runs_dir: Path,
    launcher: Launcher,
    supervisor: Supervisor,
    guard: TrustGuard,
) -> list[str]:
    """Adopt living workers, mark runs with dead workers as ended, and adopt open evaluations.

    Queued work in untrusted runs is dropped. Afterwards no run is ``starting`` or ``running`` without a worker, except
    foreign runs, which the supervisor checks. Call it before the supervisor starts.

    Returns the ids of runs that are interrupted now.
    """
    for run_id in Trash(runs_dir).run_ids():
        _finish_deletion(RunFolder(runs_dir, run_id), database)
    with database.read() as session:
        runs = runs_with_status(session, *WITH_WORKER)
        queued = runs_with_status(session, RunStatus.QUEUED)
        evaluations = open_evaluations(session)
    for row in queued:
        if not guard.standing_of(runs_dir / row.id).may_run:
            _unqueue(row, RunFolder(runs_dir, row.id), database)
    found = [_recover_run(row, RunFolder(runs_dir, row.id), database, launcher, supervisor) for row in runs]
    stopping = {row.id for row in runs if row.state is RunStatus.STOPPING}
    for evaluation in evaluations:
        _recover_evaluation(evaluation, RunFolder(runs_dir, evaluation.run_id), launcher, supervisor, stopping)
    return [row.id for row, state in zip(runs, found, strict=True) if state is RunStatus.INTERRUPTED]


def _unqueue(row: RunRow, folder: RunFolder, database: Database) -> None:
    """Undo the queueing of a run that another installation queued."""
    try:
        folder.check()
        folder.change_control(desired=Desired.IDLE, attempt=attempts_of(folder).newest)
        now = row_of_folder(folder)
        keep_known_columns(now, row)
    except (OSError, RunFolderError, ArtifactNotFound) as error:
        log.warning("Run %s was queued by another installation, and stays queued: %s", row.id, error)
        return
    log.warning("Run %s was queued by another installation. Trust it and start it to train it.", row.id)
    with database.write() as session:
        session.merge(now)


def _finish_deletion(folder: RunFolder, database: Database) -> None:
    """Finish an interrupted deletion: delete the row, unless the run has a folder again."""
    if os.path.lexists(folder.path):
        return
    with database.write() as session:
        row = session.get(RunRow, folder.run_id)
        if row is not None:
            session.delete(row)


def _recover_run(
    row: RunRow, folder: RunFolder, database: Database, launcher: Launcher, supervisor: Supervisor
) -> RunStatus:
    """Adopt the run's worker or settle the run. Returns its status."""
    now = _read(row, folder)
    if row.actor is RunActor.FOREIGN:
        return _recover_foreign(now, folder, database, supervisor)
    worker: Worker | None = None
    if not now.state.is_final and now.worker is not None:
        worker = launcher.adopt(now.worker)
    if worker is None:
        now = _read(row, folder)  # again: it may have ended since the first read
        if not now.state.is_final:
            worker = _settle(now, folder, launcher, row.processor_seconds)
            keep_known_columns(now, row)
    if worker is None:
        folder.tidy()
    elif (row.state, now.state) != (RunStatus.STARTING, RunStatus.RUNNING):
        now.status = row.status  # the requested status; only a start can have happened meanwhile
    with database.write() as session:
        session.merge(now)
        if row.actor is RunActor.HUMAN:
            update_evaluation_rows(session, folder)
    state = now.state
    if worker is not None:
        log.info("Run %s is still training: %s", row.id, now.worker)
        supervisor.adopt_run(now, worker)
    return state


def _recover_foreign(now: RunRow, folder: RunFolder, database: Database, supervisor: Supervisor) -> RunStatus:
    """Hand the run to the supervisor, which finds out whether its program lives. Returns its status."""
    with database.write() as session:
        session.merge(now)
        update_evaluation_rows(session, folder)
    if now.state.has_worker:
        supervisor.adopt_foreign(now)
    return now.state


def _read(row: RunRow, folder: RunFolder) -> RunRow:
    """Return the row that the folder gives, with the columns that only ``row`` has."""
    try:
        folder.check()
        now = row_of_folder(folder)
        keep_known_columns(now, row)
    except (RunFolderError, ArtifactNotFound) as error:
        now = row.model_copy().sqlmodel_update(interrupted_columns(str(error)))
    now.queued_at = row.queued_at
    now.worker = now.worker or row.worker
    return now


def _settle(row: RunRow, folder: RunFolder, launcher: Launcher, used: float | None) -> Worker | None:
    """Record in the folder and the row that the worker died.

    ``used``: its processor seconds when last read. If another process trains in the folder, return a worker that
    follows it.
    """
    cause = launcher.cause_of_loss(row.worker or "")
    try:
        event = journal_ending(folder, InterruptedData(attempt=row.attempt, cause=cause, processor_seconds=used))
    except RunIsActive as error:
        log.warning("Following run %s, whose worker is unknown: %s", row.id, error)
        return UnknownWorker()
    end_row(row, folder, event)
    return None


def _recover_evaluation(
    row: EvaluationRow, folder: RunFolder, launcher: Launcher, supervisor: Supervisor, stopping: Container[str]
) -> None:
    if row.worker is None:
        request = None
        if supervisor.is_live(row.run_id):
            with suppress(OSError, RunFolderError):  # without the checkpoint, the newest policy is used
                request = request_checkpoint(folder, stopping=row.run_id in stopping, now=utc(time.time()))
        supervisor.add_evaluation(row, request)
    else:
        supervisor.adopt_evaluation(row, launcher.adopt(row.worker) or UnknownWorker())
