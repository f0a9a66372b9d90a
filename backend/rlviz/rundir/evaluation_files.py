"""EvaluationFiles: what evaluations leave in the folder of a run."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.ids import check_evaluation_id, is_evaluation_id
from rlviz.domain.recording import FrameReason
from rlviz.domain.verification import Verification
from rlviz.rundir.archives import open_archive, read_member
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.documents import read_document, read_existing
from rlviz.rundir.files import check_folders, damaged, names_in, open_file


@dataclass(frozen=True)
class KeptFrame:
    """A frame that is kept as a picture: of which step of which episode, both counted from 0, and why."""

    episode: int
    index: int
    reason: FrameReason


def frame_name(episode: int, index: int, reason: FrameReason) -> str:
    """Its name within the archive."""
    return f"{episode}-{index}-{reason.value}.jpg"


def parse_frame_name(name: str) -> KeptFrame | None:
    if (match := _FRAME.fullmatch(name)) is None:
        return None
    return KeptFrame(int(match[1]), int(match[2]), FrameReason(match[3]))


_FRAME = re.compile(rf"(\d{{1,9}})-(\d{{1,9}})-({'|'.join(FrameReason)})\.jpg")


class EvaluationFiles:
    """``eval/`` of a run: of each evaluation a record, and perhaps a video, records of its steps, pictures, a policy.

    Paths raise EvaluationNotFound for what is no id of an evaluation.
    """

    def __init__(self, run: Path) -> None:
        """``run``: folder of the run, which has the run's id as its name."""
        self._run = run
        self.path = run / "eval"

    def ids(self) -> list[str]:
        """Ids of all evaluations, oldest first."""
        names = {name.removesuffix(".json") for name in names_in(self.path, self._run, "eval_*.json")}
        return sorted(filter(is_evaluation_id, names))

    def record_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".json")

    def video_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".mp4")

    def steps_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".steps.parquet")

    def pictures_path(self, evaluation_id: str) -> Path:
        """Strips of what the agent saw, in a zip archive, each under its ``strip_name``."""
        return self._path(evaluation_id, ".pictures.zip")

    def frames_path(self, evaluation_id: str) -> Path:
        """Frames that are kept as pictures, in a zip archive, each under its ``frame_name``."""
        return self._path(evaluation_id, ".frames.zip")

    def frames(self, evaluation_id: str) -> list[KeptFrame]:
        """Those in the archive, in the order in which they were played. Raises FileNotFoundError and RunFolderError."""
        path = self.frames_path(evaluation_id)
        with self._open_frames(path) as archive:
            found = filter(None, map(parse_frame_name, archive.namelist()))
            return sorted(found, key=lambda frame: (frame.episode, frame.index))

    def read_frame(self, evaluation_id: str, episode: int, index: int) -> bytes:
        """A JPEG. Raises FileNotFoundError, also for a frame that was not kept, and RunFolderError."""
        path = self.frames_path(evaluation_id)
        with self._open_frames(path) as archive:
            for name in archive.namelist():
                frame = parse_frame_name(name)
                if frame is not None and (frame.episode, frame.index) == (episode, index):
                    return read_member(archive, name)
        raise FileNotFoundError(path)

    def _open_frames(self, path: Path) -> AbstractContextManager[ZipFile]:
        return open_archive(path, self._run, "It is no whole archive of frames.")

    def verification_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".verify.json")

    def evaluated_policy_path(self, evaluation_id: str) -> Path:
        """The policy that played, kept with the pictures of what it saw."""
        return self._path(evaluation_id, ".policy.zip")

    def pinned_policy_path(self, evaluation_id: str) -> Path:
        """Path of the policy that an evaluation plays, which stays when checkpoints are deleted."""
        return self.path / f".{check_evaluation_id(evaluation_id)}.zip.tmp"

    def pin_policy(self, evaluation_id: str, policy: Path) -> None:
        """Keep ``policy`` for an evaluation. Raises FileNotFoundError if it was deleted, and RunFolderError."""
        pinned = self.pinned_policy_path(evaluation_id)
        check_folders(self.path, self._run)
        check_folders(policy.parent, self._run)
        pinned.unlink(missing_ok=True)
        try:
            os.link(policy, pinned, follow_symlinks=False)
        except FileNotFoundError:
            raise
        except (OSError, NotImplementedError):  # a file system without hard links
            with open_file(policy, self._run) as source, pinned.open("wb") as copy:
                shutil.copyfileobj(source, copy)

    def keep_pinned_policy(self, evaluation_id: str) -> None:
        """Keep the policy that an evaluation has pinned, if it has, for whoever asks what mattered in a picture."""
        with suppress(FileNotFoundError):
            self.pinned_policy_path(evaluation_id).replace(self.evaluated_policy_path(evaluation_id))

    def read(self, evaluation_id: str) -> EvaluationRecord:
        """Raises RunFolderError if the record is missing or unreadable."""
        path = self.record_path(evaluation_id)
        record = read_existing(path, EvaluationRecord, self._run)
        if (record.run_id, record.id) != (self._run.name, evaluation_id):
            raise damaged(path, self._run, f"It is evaluation {record.id[:80]!r} of run {record.run_id[:80]!r}.")
        return record

    def write(self, record: EvaluationRecord) -> None:
        """Creates its folder if missing, since tools that copy run folders may leave out empty ones."""
        check_folders(self._run, self._run)
        with suppress(FileExistsError):
            self.path.mkdir()
        write_atomically(self.record_path(record.id), record.model_dump_json(indent=2).encode(), self._run)

    def read_verification(self, evaluation_id: str) -> Verification | None:
        """None if no verification was requested. Raises RunFolderError if it is unreadable."""
        try:
            return read_document(self.verification_path(evaluation_id), Verification, self._run)
        except FileNotFoundError:
            return None

    def write_verification(self, evaluation_id: str, verification: Verification) -> None:
        content = verification.model_dump_json(indent=2).encode()
        write_atomically(self.verification_path(evaluation_id), content, self._run)

    def _path(self, evaluation_id: str, suffix: str) -> Path:
        return self.path / f"{check_evaluation_id(evaluation_id)}{suffix}"
