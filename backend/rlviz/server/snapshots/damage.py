"""Inspect and repair damaged run folders."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from sqlalchemy.exc import DatabaseError
from sqlmodel import col, delete, select

from rlviz.domain.errors import Damage, RunNotFound
from rlviz.domain.events import Ending, ErrorData, FinishedData, InterruptedData, StoppedData
from rlviz.domain.status import RunStatus
from rlviz.domain.versions import Drift
from rlviz.provenance import package_versions
from rlviz.rundir.contents import drift_of_run, has_trained, inspect_folder, repair_folder
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.files import MISSING, damage_error, is_file
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import IndexedFolders, evaluation_rows, row_of_folder
from rlviz.server.catalog.projection.run import ENDING_LOST, find_damage, keep_known_columns, note_damage
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import RunChanged
from rlviz.server.supervisor.run_monitor import journal_ending
from rlviz.server.use_case import RunUseCases

log = logging.getLogger(__name__)


class DamageService(RunUseCases):
    """Inspects and repairs run folders. Damage to a folder affects that run alone."""

    def inspect(self, run_id: str) -> RunRow:
        """Inspect the run's folder again and return the run. Damage to journal lines stays as first found.

        Raises RunNotFound.
        """
        with self._database.read() as session:
            row = get_run(session, run_id)
        found = inspect_folder(self._folder(run_id))
        whole_files = {damage.file for damage in found}
        lines = [Damage.model_validate(one) for one in row.damage if one["line"] is not None]
        found += [damage for damage in lines if damage.file not in whole_files and "." not in whole_files]
        if [damage.model_dump() for damage in found] == row.damage:
            return row
        with self._database.write() as session:
            row = get_run(session, run_id)
            note_damage(row, found)
        self._events.publish(RunChanged(row))
        return row

    def drift(self, run_id: str) -> list[Drift]:
        """Compare the run with this version of the app and with the installed packages; return the differences.

        Raises RunNotFound, ArtifactNotFound if the folder is gone, or RunFolderError.
        """
        with self._database.read() as session:
            get_run(session, run_id)
        folder = self._folder(run_id)
        folder.check()
        try:
            return drift_of_run(folder, package_versions())
        except FileNotFoundError as error:
            raise damage_error(folder.config_path, folder.path, MISSING) from error

    def inspect_all(self) -> Iterator[None]:
        """Inspect all runs again, one for each item. Errors are logged and do not affect other runs."""
        with self._database.read() as session:
            run_ids = session.exec(select(col(RunRow.id)).order_by(col(RunRow.created_at).desc())).all()
        for run_id in run_ids:
            try:
                self.inspect(run_id)
            except RunNotFound:  # deleted meanwhile
                pass
            except (OSError, DatabaseError):
                log.exception("Cannot inspect run %s", run_id)
            yield

    def repair(self, run_id: str) -> RunRow:
        """Keep what can be read of a run's folder, move damaged files beside it, and index the run again.

        Raises RunNotFound, RunIsActive while a worker or an evaluation may write there, ArtifactNotFound if the
        folder is gone, and RunFolderError if its path is a link or a file.
        """
        folder = self._folder(run_id)
        self._await_exit(run_id)
        with self._database.read() as session:
            before = get_run(session, run_id)
            self._check_idle(session, before, "repairing it")
        broken = {damage.file for damage in find_damage(folder)}
        folder.check()
        with training_lock(folder):
            for aside in repair_folder(folder):
                log.info("Repaired run %s; the damaged files are now in %s", run_id, aside)
        if "labels.json" in broken:
            folder.write_labels(Labels(name=before.name, tags=before.tags, notes=before.notes))
        if "control.json" in broken:
            folder.write_control(Control(desired=_DESIRED.get(before.state, Desired.RUN)))
        row = self._index_again(folder, before, broken)
        self._events.publish(RunChanged(row))
        return row

    def _index_again(self, folder: RunFolder, before: RunRow, broken: set[str]) -> RunRow:
        row = row_of_folder(folder)
        if not row.state.is_final and (before.state.is_final and (has_trained(folder) or row.state.has_worker)):
            journal_ending(folder, _ending(before, folder), self._clock)
            row = row_of_folder(folder)
        elif not row.state.is_final:  # a run that was never started must not start now
            folder.change_control(desired=Desired.IDLE)
            row.status = RunStatus.CREATED.value
        keep_known_columns(row, before)
        if "events.jsonl" in broken and before.state.is_final and row.status == before.status:
            row.started_at, row.ended_at = before.started_at, before.ended_at
            row.cause, row.traceback = before.cause, before.traceback
        found = IndexedFolders()
        rows = evaluation_rows(folder, found.unreadable)
        with self._database.write() as session:
            session.merge(row)
            session.exec(delete(EvaluationRow).where(col(EvaluationRow.run_id) == folder.run_id))
            session.add_all(rows)
        return row


_DESIRED = {RunStatus.CREATED: Desired.IDLE, RunStatus.STOPPED: Desired.STOP}


def _ending(row: RunRow, folder: RunFolder) -> Ending:
    """Return the ending that the catalogue has for a run."""
    path = folder.model_path.name if is_file(folder.model_path) else None
    match row.state:
        case RunStatus.COMPLETED:
            return FinishedData(path=path, ended_early=row.ended_early)
        case RunStatus.STOPPED:
            return StoppedData(path=path, ended_early=row.ended_early)
        case RunStatus.FAILED:
            kind, _, message = (row.cause or ENDING_LOST).partition(": ")
            return ErrorData(type=kind, message=message, traceback=row.traceback or "")
        case _:
            return InterruptedData(cause=ENDING_LOST)
