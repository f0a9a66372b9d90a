"""Use cases on step records: look for some, hand them out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rlviz.domain.errors import StepsNotFound, VerificationInProgress
from rlviz.domain.verification import Verification, VerificationStatus
from rlviz.records.about import RecordsAbout
from rlviz.records.export import ExportFormat, export
from rlviz.records.query import FoundSteps, StepQuery, find_steps
from rlviz.records.reader import StepFile
from rlviz.rundir.files import damaged, is_file, open_file
from rlviz.rundir.folder import RunFolder
from rlviz.services.supervision.supervisor import Supervisor
from rlviz.services.supervision.verification_workers import ABANDONED
from rlviz.services.use_cases.evaluations import EvaluationService
from rlviz.settings import Settings


class StepRecordService:
    """Of evaluations that have ended; all methods raise RunNotFound, EvaluationNotFound, StepsNotFound for records
    that are not there, and RunFolderError for a file that is damaged."""

    def __init__(self, settings: Settings, evaluations: EvaluationService, supervisor: Supervisor) -> None:
        self._settings, self._evaluations, self._supervisor = settings, evaluations, supervisor

    def find(self, run_id: str, evaluation_id: str, query: StepQuery) -> tuple[RecordsAbout, list[str], FoundSteps]:
        """What the file says of itself, its columns, and the records found. Raises InvalidRequest."""
        with self._file(run_id, evaluation_id) as file:
            return file.about, file.names, find_steps(file, query)

    def open(self, run_id: str, evaluation_id: str) -> BinaryIO:
        """The file as it is."""
        folder, path = self._path(run_id, evaluation_id)
        try:
            return open_file(path, folder.path)
        except FileNotFoundError as error:
            raise _none(evaluation_id) from error

    def export(self, run_id: str, evaluation_id: str, kind: ExportFormat) -> Iterator[bytes]:
        """In another format, piece by piece. Raises NotExportable before the first piece, if at all."""
        pieces = self._pieces(run_id, evaluation_id, kind)
        first = next(pieces, b"")

        def all_pieces() -> Iterator[bytes]:
            yield first
            yield from pieces

        return all_pieces()

    def verify(self, run_id: str, evaluation_id: str) -> Verification:
        """Have the episodes played again and compared. Raises VerificationInProgress."""
        folder, path = self._path(run_id, evaluation_id)
        if not is_file(path, folder.path):
            raise _none(evaluation_id)
        if self._supervisor.is_verifying(run_id, evaluation_id):
            raise VerificationInProgress(f"Evaluation {evaluation_id!r} is being verified. Wait for it to end.")
        asked = Verification()
        folder.write_verification(evaluation_id, asked)
        self._supervisor.request_verification(run_id, evaluation_id)
        return asked

    def verification(self, run_id: str, evaluation_id: str) -> Verification | None:
        """How the last one went; None if nobody has asked for one."""
        under_way = self._supervisor.is_verifying(run_id, evaluation_id)
        folder, _ = self._path(run_id, evaluation_id)
        found = folder.read_verification(evaluation_id)
        if found is not None and found.status is VerificationStatus.RUNNING and not under_way:
            return found.model_copy(update={"status": VerificationStatus.FAILED, "cause": ABANDONED})
        return found

    def _pieces(self, run_id: str, evaluation_id: str, kind: ExportFormat) -> Iterator[bytes]:
        with self._file(run_id, evaluation_id) as file:
            yield from export(file, kind)

    @contextmanager
    def _file(self, run_id: str, evaluation_id: str) -> Iterator[StepFile]:
        folder, path = self._path(run_id, evaluation_id)
        try:
            with StepFile(path, folder.path) as file:
                yield file
        except FileNotFoundError as error:
            raise _none(evaluation_id) from error
        except ValueError as error:
            raise damaged(path, folder.path, f"Some of its records cannot be read ({error}).") from error

    def _path(self, run_id: str, evaluation_id: str) -> tuple[RunFolder, Path]:
        row = self._evaluations.get(run_id, evaluation_id)
        folder = RunFolder(self._settings.runs_dir, row.run_id)
        return folder, folder.steps_path(row.id)


def _none(evaluation_id: str) -> StepsNotFound:
    return StepsNotFound(
        f"Evaluation {evaluation_id!r} has no step records: none were asked for, it has not ended, or they had to make "
        "room for newer ones. Evaluate again, with steps."
    )
