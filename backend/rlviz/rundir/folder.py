"""RunFolder: where each file of a run lies, and the small files read and written whole."""

from __future__ import annotations

import re
import shutil
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rlviz.domain.config import RunConfig, RunName
from rlviz.domain.errors import RunFolderError
from rlviz.domain.evaluation import BestPolicy, EvaluationRecord
from rlviz.domain.ids import check_evaluation_id, check_run_id, is_evaluation_id, is_run_id
from rlviz.rundir.atomic import remove_leftovers, write_atomically
from rlviz.rundir.best import read_best
from rlviz.rundir.control import Control, read_control, write_control

_CHECKPOINT = re.compile(r"step_(\d+)\.zip")


class Labels(BaseModel):
    """``labels.json``: what the user may change about a run at any time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: RunName
    tags: list[str] = Field(default_factory=list)
    notes: str = ""


class RunFolder:
    """One run's folder under ``root``. Raises RunNotFound for anything that is not a run id."""

    def __init__(self, root: Path, run_id: str) -> None:
        self.run_id = check_run_id(run_id)
        self.path = root / self.run_id
        self.config_path = self.path / "config.json"
        self.control_path = self.path / "control.json"
        self.labels_path = self.path / "labels.json"
        self.metrics_path = self.path / "metrics.jsonl"
        self.events_path = self.path / "events.jsonl"
        self.log_path = self.path / "worker.log"
        self.lock_path = self.path / "worker.lock"
        self.model_path = self.path / "model.zip"
        self.best_model_path = self.path / "best_model.zip"
        self.q_table_path = self.path / "q_table.json"
        self.checkpoints = self.path / "checkpoints"
        self.evaluations = self.path / "eval"
        self.sealed = self.path / "sealed"

    @classmethod
    def at(cls, path: Path) -> RunFolder:
        """The run folder that lies at ``path``."""
        path = path.resolve()
        return cls(path.parent, path.name)

    def create(self, config: RunConfig) -> None:
        """Make the folder with its configuration. Raises FileExistsError if it is there already."""
        self.path.mkdir(parents=True)
        self.checkpoints.mkdir()
        self.evaluations.mkdir()
        write_atomically(self.config_path, config.model_dump_json(indent=2).encode())

    def read_config(self) -> RunConfig:
        """Raises RunFolderError, naming file and reason, if the configuration is missing or unreadable."""
        return _read(self.config_path, RunConfig)

    def read_control(self) -> Control:
        return read_control(self.control_path)

    def change_control(self, **changes: object) -> Control:
        """Replace some of what is wanted, and what is damaged as a whole. Returns what is wanted now."""
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
        """The labels; those of the configuration as long as nobody changed them."""
        if not self.labels_path.exists():
            return Labels(name=self.read_config().name)
        return _read(self.labels_path, Labels)

    def write_labels(self, labels: Labels) -> None:
        write_atomically(self.labels_path, labels.model_dump_json(indent=2).encode())

    def tidy(self) -> None:
        """Remove what a trainer that was killed left half-written. For a run that has ended."""
        for path in (self.path, self.checkpoints):
            remove_leftovers(path)

    # Policies

    def checkpoint_path(self, step: int) -> Path:
        return self.checkpoints / f"step_{step}.zip"

    def checkpoint_files(self) -> list[tuple[int, Path]]:
        """Checkpoints as (step, path), oldest first."""
        found = (
            (int(match[1]), path)
            for path in self.checkpoints.glob("step_*.zip")
            if (match := _CHECKPOINT.fullmatch(path.name))
        )
        return sorted(found)

    def newest_policy(self) -> Path | None:
        """The final model, else the last checkpoint, else None."""
        if self.model_path.exists():
            return self.model_path
        checkpoints = self.checkpoint_files()
        return checkpoints[-1][1] if checkpoints else None

    def best_policy(self) -> BestPolicy | None:
        """What is known of the best policy; None as long as none was kept. Raises RunFolderError."""
        return read_best(self.best_model_path)

    # Evaluations

    def video_path(self, evaluation_id: str) -> Path:
        return self.evaluations / f"{check_evaluation_id(evaluation_id)}.mp4"

    def evaluation_path(self, evaluation_id: str) -> Path:
        return self.evaluations / f"{check_evaluation_id(evaluation_id)}.json"

    def pinned_policy_path(self, evaluation_id: str) -> Path:
        """Where an evaluation finds its policy, however many checkpoints are dropped meanwhile."""
        return self.evaluations / f".{check_evaluation_id(evaluation_id)}.zip.tmp"

    def pin_policy(self, evaluation_id: str, policy: Path) -> None:
        """Keep ``policy`` for an evaluation. Raises FileNotFoundError if it is gone already."""
        pinned = self.pinned_policy_path(evaluation_id)
        pinned.unlink(missing_ok=True)
        try:
            pinned.hardlink_to(policy)
        except FileNotFoundError:
            raise
        except OSError:  # a file system without hard links
            shutil.copyfile(policy, pinned)

    def read_evaluation(self, evaluation_id: str) -> EvaluationRecord:
        """Raises RunFolderError if the record is missing or unreadable."""
        return _read(self.evaluation_path(evaluation_id), EvaluationRecord)

    def write_evaluation(self, record: EvaluationRecord) -> None:
        write_atomically(self.evaluation_path(record.id), record.model_dump_json(indent=2).encode())

    def evaluation_ids(self) -> list[str]:
        """Ids of all evaluations, oldest first."""
        return sorted(path.stem for path in self.evaluations.glob("eval_*.json") if is_evaluation_id(path.stem))


def run_folders(root: Path, known: Container[str] = ()) -> Iterator[RunFolder]:
    """Every run folder under ``root`` but those in ``known``: subfolders named like a run that hold a configuration."""
    for path in sorted(root.iterdir() if root.is_dir() else ()):
        if path.name not in known and is_run_id(path.name) and (path / "config.json").is_file():
            yield RunFolder(root, path.name)


M = TypeVar("M", bound=BaseModel)


def _read(path: Path, model: type[M]) -> M:
    try:
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise RunFolderError(f"{path} cannot be read: {error}") from error
