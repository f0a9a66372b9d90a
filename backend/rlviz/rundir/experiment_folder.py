"""ExperimentFolder: the folder of an experiment, ``experiments/<id>`` in the runs folder.

``experiment.json`` is the specification, written once; ``trials.jsonl`` the journal of its trials; ``control.json``
the desired state; ``results/`` can be recreated. A search also has Optuna's journal.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict, Field, ValidationError

from rlviz.domain import versions
from rlviz.domain.errors import ExperimentNotFound, RunFolderError
from rlviz.domain.experiments import ExperimentControl, ExperimentSpec, RunSpec, TrialLine, is_experiment_id
from rlviz.domain.versions import Format, VersionedDocument, read_versioned, version_field
from rlviz.rundir.files import check_folders, damage_error, read_small, write_atomically
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.standing import mark_own

EXPERIMENTS = "experiments"
SPECIFICATION = "experiment.json"
TRIALS = "trials.jsonl"
CONTROL = "control.json"

MOST_BYTES = 50_000_000

MOST_WRITTEN_OUT = 100
"""Maximum number of variants for which a specification's text includes all values."""

SELDOM = ("fork", "tests")
"""Keys of a specification that are stored only if they are used."""

DRAFT = ".draft-"
DELETED = ".deleted-"


class StoredExperiment(VersionedDocument):
    """Content of ``experiment.json``."""

    model_config = ConfigDict(frozen=True)
    format: ClassVar[Format] = versions.EXPERIMENT

    schema_version: int = version_field(versions.EXPERIMENT)
    id: str
    name: str
    created_at: datetime
    specification: ExperimentSpec
    resolved: dict[str, RunSpec] = Field(default={})
    """What each variant trains, by variant id (of a search, its base), with preset values from the time of creation,
    and, if its runs fork another, with the exploration and reward weights of that one. Older versions left it out and
    read presets when a trial started."""


class ExperimentFolder:
    def __init__(self, runs_dir: Path, experiment_id: str) -> None:
        """Raises ExperimentNotFound if ``experiment_id`` cannot be an id."""
        if not is_experiment_id(experiment_id):
            raise ExperimentNotFound(experiment_id)
        self.id, self.root = experiment_id, runs_dir / EXPERIMENTS
        self.path = self.root / experiment_id

    @property
    def trials_path(self) -> Path:
        return self.path / TRIALS

    def create(self, stored: StoredExperiment) -> None:
        """Create the folder, completely or not at all. Raises OSError, and RunFolderError if ``experiments`` is a
        link."""
        self.root.mkdir(parents=True, exist_ok=True)
        check_folders(self.root, self.root.parent)
        draft = self.root / f"{DRAFT}{self.id}"
        draft.mkdir()
        try:
            write_atomically(draft / SPECIFICATION, _as_json(stored))
            write_atomically(draft / CONTROL, ExperimentControl().model_dump_json().encode())
            mark_own(draft, self.root.parent, self.id)
            draft.rename(self.path)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def read(self) -> StoredExperiment:
        """Return the specification. Raises ExperimentNotFound or RunFolderError."""
        if not self.path.is_dir() or self.path.is_symlink():
            raise ExperimentNotFound(self.id)
        path = self.path / SPECIFICATION
        try:
            stored = read_versioned(StoredExperiment, read_small(path, self.path, MOST_BYTES))
        except FileNotFoundError as error:
            raise damage_error(path, self.path, "It is missing.") from error
        except (ValidationError, ValueError) as error:
            raise damage_error(path, self.path, f"It is not a specification: {str(error).splitlines()[0]}.") from error
        if stored.id != self.id:
            raise damage_error(path, self.path, f"It belongs to another experiment, {stored.id!r}.")
        return stored

    def specification_text(self) -> str:
        """Return the specification as stored; without preset values if it has very many variants.

        Raises RunFolderError or OSError.
        """
        document = json.loads(read_small(self.path / SPECIFICATION, self.path, MOST_BYTES))
        if len(document.get("resolved", {})) > MOST_WRITTEN_OUT:
            del document["resolved"]
        return json.dumps(document, indent=2)

    def read_control(self) -> ExperimentControl:
        """Return the desired state. A missing or damaged file counts as a stop, so that nothing starts unrequested."""
        try:
            return ExperimentControl.model_validate_json(read_small(self.path / CONTROL, self.path))
        except (OSError, ValidationError, ValueError, RunFolderError) as error:
            return ExperimentControl(desired="stop", cause=f"control.json could not be read: {error}")

    def write_control(self, control: ExperimentControl) -> None:
        """Raises OSError."""
        write_atomically(self.path / CONTROL, control.model_dump_json().encode(), self.path)

    def read_trials(self) -> Iterator[TrialLine]:
        """Yield all valid trial lines, oldest first. Raises RunFolderError."""
        for line in journal_lines(self.trials_path):
            with suppress(ValueError):  # skip lines edited by hand, like torn ones
                yield TrialLine.model_validate(versions.TRIALS.read(line.record or {}).document)

    def remove(self) -> None:
        """Hide the folder at once, then delete it. Raises OSError."""
        aside = self.root / f"{DELETED}{self.id}"
        self.path.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


def _as_json(stored: StoredExperiment) -> bytes:
    """Return the stored JSON.

    Variants only include given values: missing ones are the base's, and null is a value. Keys that most experiments do
    not use are left out, so that earlier versions can read them.
    """
    document = stored.model_dump(mode="json")
    given = [variant.model_dump(mode="json", exclude_unset=True) for variant in stored.specification.variants]
    document["specification"]["variants"] = given
    for name in SELDOM:
        if document["specification"][name] is None:
            del document["specification"][name]
    return json.dumps(document, indent=2).encode()


def experiment_folders(runs_dir: Path) -> Iterator[ExperimentFolder]:
    """Yield the folders of all experiments, newest first."""
    root = runs_dir / EXPERIMENTS
    if not root.is_dir() or root.is_symlink():
        return
    for path in sorted(root.iterdir(), reverse=True):
        if is_experiment_id(path.name) and path.is_dir() and not path.is_symlink():
            yield ExperimentFolder(runs_dir, path.name)


def remove_experiment_drafts(runs_dir: Path) -> None:
    """Delete folders that a killed service left half-written or half-deleted."""
    root = runs_dir / EXPERIMENTS
    if root.is_dir() and not root.is_symlink():
        for path in root.iterdir():
            if path.name.startswith((DRAFT, DELETED)) and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
