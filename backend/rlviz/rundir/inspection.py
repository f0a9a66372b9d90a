"""What is damaged in a run folder: found without reading its journals, so cheap enough for every look at a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rlviz.domain.damage import REPAIR, RESTORE_OR_DELETE, Damage
from rlviz.domain.errors import ArtifactNotFound, RunFolderError
from rlviz.rundir.files import LINK, MISSING, NO_FOLDER, damaged, is_file, problem_of_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import Line, line_number

MAX_NAMED_LINES = 10
"""Damaged lines of one journal that are named; the last of them says how many more there are."""


def inspect_folder(folder: RunFolder) -> list[Damage]:
    """Everything that is damaged but lines of journals, in the order in which it matters."""
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
    """Whether training has left anything but events."""
    return any(map(_holds_something, (folder.metrics_path, folder.model_path, folder.best_model_path)))


def _holds_something(path: Path) -> bool:
    """A worker makes its journals before it says that it has begun."""
    try:
        return path.lstat().st_size > 0
    except OSError:
        return False


def files_of(folder: RunFolder) -> list[Path]:
    """Where regular files belong, whether they are there or not."""
    return [
        *(folder.events_path, folder.metrics_path, folder.control_path, folder.labels_path, folder.model_path),
        *(folder.best_model_path, folder.q_table_path, folder.anatomy_path, folder.log_path, folder.lock_path),
    ]


def folders_of(folder: RunFolder) -> list[Path]:
    """Where folders belong."""
    return [folder.checkpoints, folder.evaluations, folder.film, folder.sealed, folder.watch]


def documents_of(folder: RunFolder) -> Iterator[tuple[Path, Callable[[], object]]]:
    """Each file that is read whole, but the configuration, with what reads it and raises RunFolderError."""
    yield folder.control_path, folder.read_control
    if os.path.lexists(folder.labels_path):
        yield folder.labels_path, folder.read_labels
    yield folder.best_model_path, folder.best_policy
    for evaluation_id in folder.evaluation_ids():
        yield folder.evaluation_path(evaluation_id), partial(folder.read_evaluation, evaluation_id)


def damaged_lines(path: Path, lines: list[Line], problem: str) -> list[Damage]:
    """What is damaged about a journal at ``path``, given the ``lines`` that say nothing, in order.

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
        folder.read_config()
    except RunFolderError as error:
        yield error.damage


def _kinds(folder: RunFolder) -> Iterator[Damage]:
    for path in files_of(folder):
        try:
            problem = problem_of_file(path)
        except OSError:  # not there, which is not damage by itself
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
        except FileNotFoundError:  # taken away just now
            continue
        except RunFolderError as error:
            yield error.damage


def _missing(folder: RunFolder) -> Iterator[Damage]:
    """A run that has trained says so in its events."""
    if not has_trained(folder):
        return
    try:
        if folder.events_path.lstat().st_size == 0 and is_file(folder.events_path):
            yield damaged(folder.events_path, folder.path, "It is empty, though the run has trained.").damage
    except OSError:
        yield damaged(folder.events_path, folder.path, MISSING).damage
