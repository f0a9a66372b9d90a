"""Query, export and verify step records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rlviz.confined import Confined
from rlviz.domain.errors import RunIsActive, StepsNotFound, VerificationInProgress
from rlviz.domain.evaluation import Origin, Verification, VerificationStatus
from rlviz.domain.export_formats import StepsFormat
from rlviz.launchers.base import Verify
from rlviz.learning.records.about import RecordsAbout
from rlviz.learning.records.query import FoundSteps, StepQuery
from rlviz.rundir.files import damage_error, is_file, open_file
from rlviz.rundir.folder import RunFolder
from rlviz.server.evaluations.film import FilmService
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.server.supervisor.workers import ABANDONED
from rlviz.settings import Settings


class StepRecordService:
    """Reads the step records of ended evaluations and of clips.

    All methods raise RunNotFound, EvaluationNotFound, StepsNotFound without records, RunFolderError for a damaged file,
    and TooMuchToRead.
    """

    def __init__(
        self,
        settings: Settings,
        evaluations: EvaluationService,
        film: FilmService,
        supervisor: Supervisor,
        confined: Confined,
    ) -> None:
        """``confined``: reads the files."""
        self._settings, self._evaluations, self._film, self._supervisor = settings, evaluations, film, supervisor
        self._trust = TrustGuard(settings)
        self._confined = confined

    def find(self, run_id: str, evaluation_id: str, query: StepQuery) -> tuple[RecordsAbout, list[str], FoundSteps]:
        """Return the file's metadata, its columns, and the matching records. Raises InvalidRequest."""
        folder, path = self._path(run_id, evaluation_id)
        return self._find(path, folder, query, _none(evaluation_id))

    def find_in_clip(self, run_id: str, clip_id: str, query: StepQuery) -> tuple[RecordsAbout, list[str], FoundSteps]:
        """Do the same for a clip. Raises ArtifactNotFound if it was never requested."""
        folder, path = self._film.steps_path(run_id, clip_id)
        return self._find(path, folder, query, _none_of_clip(clip_id))

    def open(self, run_id: str, evaluation_id: str) -> BinaryIO:
        """Open the file."""
        folder, path = self._path(run_id, evaluation_id)
        try:
            return open_file(path, folder.path)
        except FileNotFoundError as error:
            raise _none(evaluation_id) from error

    def export(
        self, run_id: str, evaluation_id: str, kind: StepsFormat, episode: int | None, where: Sequence[str]
    ) -> Iterator[bytes]:
        """Export the matching records in chunks. Raises InvalidRequest and NotExportable before the first chunk."""
        pieces = self._pieces(run_id, evaluation_id, kind, episode, where)
        first = next(pieces, b"")

        def all_pieces() -> Iterator[bytes]:
            yield first
            yield from pieces

        return all_pieces()

    def verify(self, run_id: str, evaluation_id: str, *, film: bool = False) -> Verification:
        """Start a verification. ``film``: also make the video.

        Raises VerificationInProgress, and RunIsActive while a person plays.
        """
        folder, path = self._path(run_id, evaluation_id)
        if not is_file(path, folder.path):
            raise _none(evaluation_id)
        self._trust.admit(folder)
        if film and self._is_being_played(run_id, evaluation_id):
            raise RunIsActive(f"Run {run_id!r} is being played. Wait for its end, then film it.")
        if self._is_under_way(run_id, evaluation_id):
            raise VerificationInProgress(f"Evaluation {evaluation_id!r} is being verified. Wait for it to end.")
        asked = Verification(film=film)
        folder.evaluations.write_verification(evaluation_id, asked)
        self._supervisor.request_verification(run_id, Verify(evaluation_id, film))
        return asked

    def verification(self, run_id: str, evaluation_id: str) -> Verification | None:
        """Return the newest verification; None if there was none."""
        under_way = self._is_under_way(run_id, evaluation_id)
        folder, _ = self._path(run_id, evaluation_id)
        found = folder.evaluations.read_verification(evaluation_id)
        if found is None:
            return None
        if under_way:  # its worker may have written a result, but no other can start until it exits
            return Verification(steps=found.steps, film=found.film)
        if found.status is VerificationStatus.RUNNING:
            return found.model_copy(update={"status": VerificationStatus.FAILED, "cause": ABANDONED})
        return found

    def _is_under_way(self, run_id: str, evaluation_id: str) -> bool:
        return any(self._supervisor.is_verifying(run_id, Verify(evaluation_id, film)) for film in (False, True))

    def _is_being_played(self, run_id: str, evaluation_id: str) -> bool:
        record = self._evaluations.get(run_id, evaluation_id).parsed()
        return record.origin is Origin.PLAYED and self._supervisor.is_live(run_id)

    def _find(
        self, path: Path, folder: RunFolder, query: StepQuery, missing: StepsNotFound
    ) -> tuple[RecordsAbout, list[str], FoundSteps]:
        with errors_of(path, folder, missing):
            found: tuple[RecordsAbout, list[str], FoundSteps] = self._confined.call(
                "rlviz.learning.records.confined_reading:find", path, folder.path, query
            )
        return found

    def _pieces(
        self, run_id: str, evaluation_id: str, kind: StepsFormat, episode: int | None, where: Sequence[str]
    ) -> Iterator[bytes]:
        folder, path = self._path(run_id, evaluation_id)
        with errors_of(path, folder, _none(evaluation_id)):
            yield from self._confined.stream(
                "rlviz.learning.records.confined_reading:export_pieces", path, folder.path, kind, episode, tuple(where)
            )

    def _path(self, run_id: str, evaluation_id: str) -> tuple[RunFolder, Path]:
        row = self._evaluations.get(run_id, evaluation_id)
        folder = RunFolder(self._settings.runs_dir, row.run_id)
        return folder, folder.evaluations.steps_path(row.id)


@contextmanager
def errors_of(path: Path, folder: RunFolder, missing: StepsNotFound) -> Iterator[None]:
    """Raise ``missing`` if the block finds no file at ``path``, and RunFolderError if the file cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise missing from error
    except ValueError as error:
        raise damage_error(path, folder.path, f"Some of its records cannot be read ({error}).") from error


def _none_of_clip(clip_id: str) -> StepsNotFound:
    return StepsNotFound(
        f"Clip {clip_id!r} has no step records: it shows several policies, is not made yet, or newer ones replaced "
        "them. POST to the run's clips: a clip of one policy is recorded."
    )


def _none(evaluation_id: str) -> StepsNotFound:
    return StepsNotFound(
        f"Evaluation {evaluation_id!r} has no step records: none were requested, it has not ended, or newer ones "
        "replaced them. Evaluate again, with steps."
    )
