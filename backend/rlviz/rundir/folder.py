"""RunFolder: the paths of a run's files, and access to its small documents."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from rlviz.domain.config import RunConfig, RunName
from rlviz.domain.errors import ArtifactNotFound, ForeignRunFolder, InvalidRequest, NewerVersion, RunFolderError
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.ids import check_run_id, is_run_id
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.domain.rules import Rule, RulesDocument
from rlviz.domain.snapshot import check_name
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.domain.storage_profile import RecordingChoice
from rlviz.rundir.aside import open_in_place
from rlviz.rundir.atomic import remove_leftovers, write_atomically
from rlviz.rundir.best import read_best
from rlviz.rundir.control import Control, read_control, write_control
from rlviz.rundir.documents import read_document, read_existing
from rlviz.rundir.evaluation_files import EvaluationFiles
from rlviz.rundir.files import check_folders, damaged, files_in, is_file

M = TypeVar("M", bound=BaseModel)

_STEP = re.compile(r"step_(\d{1,15})\.zip")

_SEGMENT = re.compile(r"\d{1,15}-\d{1,15}-[0-9a-f]{16}\.seg")

_SIGNS = ("config.json", "metrics.jsonl", "events.jsonl")
"""A folder that contains one of these is, or was, a run's."""


class Labels(LazyModel):
    """``labels.json``: what the user may change about a run at any time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: RunName
    tags: list[str] = Field(default_factory=list)
    notes: str = ""

    def within_limits(self) -> Labels:
        """The same, cut to what a user may set: the file may have been written by anything."""
        whole = (tag.strip()[: LIMITS.tag.maximum] for tag in islice(self.tags, LIMITS.tags.maximum))
        return Labels(
            name=self.name,
            tags=list(dict.fromkeys(filter(None, whole))),
            notes=self.notes[: LIMITS.notes.maximum],
        )


class RunFolder:
    """One run's folder under ``root``. Raises RunNotFound for anything that is not a run id."""

    def __init__(self, root: Path, run_id: str) -> None:
        self.run_id = check_run_id(run_id)
        self.path = root / self.run_id
        self.config_path = self.path / "config.json"
        self.control_path = self.path / "control.json"
        self.labels_path = self.path / "labels.json"
        self.rules_path = self.path / "rules.json"
        self.recording_path = self.path / "recording.json"
        self.metrics_path = self.path / "metrics.jsonl"
        self.events_path = self.path / "events.jsonl"
        self.log_path = self.path / "worker.log"
        self.lock_path = self.path / "worker.lock"
        self.heartbeat_path = self.path / "heartbeat"
        self.model_path = self.path / "model.zip"
        self.best_model_path = self.path / "best_model.zip"
        self.anatomy_path = self.path / "anatomy.jsonl"
        self.q_table_path = self.path / "q_table.json"
        self.checkpoints = self.path / "checkpoints"
        self.evaluations = EvaluationFiles(self.path)
        self.film = self.path / "film"
        self.snapshots = self.path / "snapshots"
        self.replay = self.path / "replay"
        self.sealed = self.path / "sealed"
        self.parent = self.path / "parent"
        self.sinks = self.path / "sinks"
        self.watch = self.path / "watch"
        self.lease_path = self.watch / "lease"
        self.live_weights_path = self.watch / "weights.zip"

    @classmethod
    def at(cls, path: Path) -> RunFolder:
        """The run folder at ``path``. A link is not resolved, and is refused when the folder is used."""
        path = Path(os.path.abspath(path))  # noqa: PTH100  (``resolve`` would follow that link)
        return cls(path.parent, path.name)

    def check(self) -> None:
        """Raises ArtifactNotFound if the folder does not exist, RunFolderError if a link or a file is in its place."""
        try:
            check_folders(self.path, self.path)
        except FileNotFoundError as error:
            raise folder_gone(self.run_id) from error

    def is_there(self) -> bool:
        """Whether the folder exists, or that cannot be told now, because the disk or the share gives an error: a run
        must not end for that."""
        try:
            return stat.S_ISDIR(self.path.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True

    def create(self, config: RunConfig) -> None:
        """Create the folder with its configuration. Raises FileExistsError if it exists."""
        self.path.mkdir(parents=True)
        self.checkpoints.mkdir()
        self.evaluations.path.mkdir()
        write_atomically(self.config_path, config.model_dump_json(indent=2).encode())

    def read_config(self) -> RunConfig:
        """The configuration. Raises RunFolderError if it is missing, unreadable, or another run's."""
        config = read_existing(self.config_path, RunConfig, self.path)
        if config.run_id != self.run_id:
            problem = f"It is the configuration of run {config.run_id[:80]!r}."
            raise ForeignRunFolder(self.run_id, damaged(self.config_path, self.path, problem).damage)
        return config

    def config_to_go_on(self) -> RunConfig:
        """The configuration of a run that shall be trained, changed, evaluated or repeated.

        Raises RunFolderError, and NewerVersion for what a newer version wrote: that is looked at only.
        """
        config = self.read_config()
        if config.is_newer:
            raise NewerVersion(
                f"Run {self.run_id!r} can only be looked at here. {config.format.newer(config.schema_version)} Install "
                "that version to go on with it."
            )
        return config

    def read_control(self) -> Control:
        return read_control(self.control_path)

    def change_control(self, **changes: object) -> Control:
        """Change fields of the control file; a damaged one is replaced. Returns the new content."""
        try:
            control = self.read_control()
        except RunFolderError:
            control = Control()
        control = control.model_copy(update=changes)
        self.write_control(control)
        return control

    def write_control(self, control: Control) -> None:
        write_control(self.control_path, control)

    def read_labels(self) -> Labels:
        """The labels, within the limits; by default those of the configuration. Raises RunFolderError."""
        try:
            return read_document(self.labels_path, Labels).within_limits()
        except FileNotFoundError:
            return Labels(name=self.read_config().name)

    def write_labels(self, labels: Labels) -> None:
        write_atomically(self.labels_path, labels.model_dump_json(indent=2).encode())

    def read_rules(self) -> RulesDocument | None:
        """The rules as somebody has changed them; None: those of the configuration hold. Raises RunFolderError."""
        try:
            return read_document(self.rules_path, RulesDocument)
        except FileNotFoundError:
            return None

    def rules(self, config: RunConfig) -> tuple[Rule, ...]:
        """Those in force. Raises RunFolderError."""
        changed = self.read_rules()
        return config.rules if changed is None else changed.rules

    def write_rules(self, document: RulesDocument) -> None:
        write_atomically(self.rules_path, document.model_dump_json(indent=2).encode())

    def read_recording(self) -> RecordingChoice | None:
        """How it is recorded; None: as its family is by default. Raises RunFolderError."""
        try:
            return read_document(self.recording_path, RecordingChoice)
        except FileNotFoundError:
            return None

    def write_recording(self, choice: RecordingChoice) -> None:
        write_atomically(self.recording_path, choice.model_dump_json(indent=2).encode())

    def snapshot_plan(self, config: RunConfig) -> SnapshotPlan:
        """That in force. Raises RunFolderError."""
        return self.read_control().snapshots or config.snapshots

    def open_log(self) -> BinaryIO:
        """``worker.log``, open for appending; anything else in its place is set aside.

        Raises FileNotFoundError without a folder, and RunFolderError.
        """
        return open_in_place(self.log_path)

    def tidy(self) -> None:
        """Remove temporary files that a killed trainer left. Only for a run that has ended."""
        for path in (self.path, self.checkpoints, self.film, self.watch, self.snapshots, self.replay):
            remove_leftovers(path, self.path)

    # Policies

    def checkpoint_path(self, step: int) -> Path:
        return self.checkpoints / f"step_{step}.zip"

    def checkpoint_files(self) -> list[tuple[int, Path]]:
        """Checkpoints as (step, path), oldest first."""
        return self._policies_in(self.checkpoints)

    def film_path(self, step: int) -> Path:
        return self.film / f"step_{step}.zip"

    def film_files(self) -> list[tuple[int, Path]]:
        """Policies of the filmstrip as (step, path), oldest first."""
        return self._policies_in(self.film)

    def _policies_in(self, path: Path) -> list[tuple[int, Path]]:
        found = (
            (int(match[1]), file)
            for file in files_in(path, self.path, "step_*.zip")
            if (match := _STEP.fullmatch(file.name))
        )
        return sorted(found)

    def newest_policy(self) -> Path | None:
        """The final model, else the last checkpoint, else None."""
        if is_file(self.model_path):
            return self.model_path
        checkpoints = self.checkpoint_files()
        return checkpoints[-1][1] if checkpoints else None

    def best_policy(self) -> BestPolicy | None:
        """Evaluation results of the best policy; None while there is none. Raises RunFolderError."""
        return read_best(self.best_model_path, self.path)

    # Snapshots

    def snapshot_path(self, name: str) -> Path:
        """Of the snapshot of that name. Raises InvalidRequest for what is no name of one."""
        return self.snapshots / f"{name if name.isdecimal() and name.isascii() else check_name(name)}.zip"

    def segment_path(self, file: str) -> Path:
        """Of a segment of the replay buffer. Raises InvalidRequest for what is no name of one."""
        if _SEGMENT.fullmatch(file) is None:
            raise InvalidRequest(f"There is no segment {file[:80]!r}.")
        return self.replay / file


def folder_gone(run_id: str) -> ArtifactNotFound:
    return ArtifactNotFound(f"The folder of run {run_id!r} is gone. Delete the run, or put its folder back.")


def run_folders(root: Path, known: Container[str] = ()) -> Iterator[RunFolder]:
    """Every run folder under ``root`` except those in ``known``."""
    for path in sorted(root.iterdir() if root.is_dir() else ()):
        if path.name not in known and is_run_folder(path):
            yield RunFolder(root, path.name)


def linked_folders(root: Path) -> list[Path]:
    """Links under ``root`` to folders elsewhere that would otherwise be run folders."""
    return sorted(path for path in root.iterdir() if is_run_id(path.name) and path.is_symlink() and path.is_dir())


def is_run_folder(path: Path) -> bool:
    """Whether it is the folder of a run, in whatever state, and no link to one."""
    is_folder = is_run_id(path.name) and path.is_dir() and not path.is_symlink()
    return is_folder and any(os.path.lexists(path / name) for name in _SIGNS)


def strip_name(number: int) -> str:
    return f"{number}.png"
