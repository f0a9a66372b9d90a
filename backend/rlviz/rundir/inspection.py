"""Finds damage in a run folder without reading its journals: cheap enough for every request about a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rlviz.domain.damage import LOOK_ONLY, REPAIR, RESTORE_OR_DELETE, Damage
from rlviz.domain.errors import ArtifactNotFound, RunFolderError
from rlviz.rundir.files import LINK, MISSING, NO_FOLDER, damaged, is_file, problem_of_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import Line, compressed_path, line_number

MAX_NAMED_LINES = 10
"""Maximum number of damaged lines of a journal that are listed; the last entry gives the number of the others."""


def inspect_folder(folder: RunFolder) -> list[Damage]:
    """All damage except in lines of journals, most important first."""
    try:
        folder.check()
    except ArtifactNotFound:
        return [Damage(file=".", problem="The folder of this run is gone.", remedy=RESTORE_OR_DELETE)]
    except RunFolderError as error:
        return [error.damage]
    kinds = list(_kinds(folder))
    told = {damage.file for damage in kinds}
    documents = [damage for damage in _documents(folder) if damage.file not in told]
    return [*_configuration(folder), *kinds, *documents, *_missing(folder)]


def has_trained(folder: RunFolder) -> bool:
    """Whether there are files of a training besides events."""
    return any(map(_holds_something, (folder.metrics_path, compressed_path(folder.metrics_path), *_policies(folder))))


def _policies(folder: RunFolder) -> tuple[Path, Path]:
    return folder.model_path, folder.best_model_path


def _holds_something(path: Path) -> bool:
    """Missing journals are damage, since a worker creates both before its first event."""
    try:
        return path.lstat().st_size > 0
    except OSError:
        return False


def files_of(folder: RunFolder) -> list[Path]:
    """Paths where only regular files belong."""
    return [
        *(folder.events_path, folder.metrics_path, folder.control_path, folder.labels_path, folder.model_path),
        *(folder.best_model_path, folder.q_table_path, folder.anatomy_path, folder.log_path, folder.lock_path),
        *map(compressed_path, (folder.metrics_path, folder.anatomy_path)),
    ]


def folders_of(folder: RunFolder) -> list[Path]:
    """Paths where only folders belong."""
    return [folder.checkpoints, folder.evaluations.path, folder.film, folder.sealed, folder.watch]


def documents_of(folder: RunFolder) -> Iterator[tuple[Path, Callable[[], object]]]:
    """Each file that is read whole except the configuration, with a function that reads it. Raises RunFolderError."""
    yield folder.control_path, folder.read_control
    if os.path.lexists(folder.labels_path):
        yield folder.labels_path, folder.read_labels
    yield folder.best_model_path, folder.best_policy
    for evaluation_id in folder.evaluations.ids():
        yield folder.evaluations.record_path(evaluation_id), partial(folder.evaluations.read, evaluation_id)


def damaged_lines(path: Path, lines: list[Line], problem: str) -> list[Damage]:
    """The damage of the journal at ``path``, given its unreadable ``lines``, in order.

    Raises RunFolderError, and FileNotFoundError.
    """
    named = [
        Damage(file=path.name, line=line_number(path, line.start), problem=problem, remedy=REPAIR)
        for line in lines[:MAX_NAMED_LINES]
    ]
    if more := len(lines) - len(named):
        named[-1] = named[-1].model_copy(
            update={"problem": f"{problem} The same goes for {more:,} more lines after it."}
        )
    return named


def _configuration(folder: RunFolder) -> Iterator[Damage]:
    try:
        config = folder.read_config()
    except RunFolderError as error:
        yield error.damage
        return
    if config.is_newer:
        says = config.format.newer(config.schema_version)
        yield Damage(file=folder.config_path.name, problem=says, remedy=LOOK_ONLY, newer=True)


def _kinds(folder: RunFolder) -> Iterator[Damage]:
    for path in files_of(folder):
        try:
            problem = problem_of_file(path)
        except OSError:  # missing, which is no damage by itself
            continue
        if problem is not None:
            yield damaged(path, folder.path, problem).damage
    for path in folders_of(folder):
        if os.path.lexists(path) and (path.is_symlink() or not path.is_dir()):
            yield damaged(path, folder.path, LINK if path.is_symlink() else NO_FOLDER).damage


def _documents(folder: RunFolder) -> Iterator[Damage]:
    for _, read in documents_of(folder):
        try:
            read()
        except FileNotFoundError:  # deleted just now
            continue
        except RunFolderError as error:
            yield error.damage


def _missing(folder: RunFolder) -> Iterator[Damage]:
    """Missing events are damage if there are files of a training, which events would report."""
    if not has_trained(folder):
        return
    try:
        if folder.events_path.lstat().st_size == 0 and is_file(folder.events_path):
            yield damaged(folder.events_path, folder.path, "It is empty, though the run has trained.").damage
    except OSError:
        yield damaged(folder.events_path, folder.path, MISSING).damage
