"""Rebuilding the catalogue from the run folders, which hold everything that matters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from sqlmodel import Session, col, delete, select

from rlviz.catalog.database import Database, mark_indexed
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.damage import Damage
from rlviz.domain.errors import RunFolderError
from rlviz.importing import safe_path_in_children
from rlviz.rundir.folder import RunFolder, linked_folders, run_folders
from rlviz.services.projection.folder_projection import Indexed, index_folder

MANY_FOLDERS = 400
"""Number of folders below which one process is faster than starting others."""

BATCH = 50
"""Number of folders handed to a process at a time."""


@dataclass(frozen=True)
class Rebuilt:
    """Number of run folders and evaluations that were indexed, a sentence for each that could not be read, and one for
    each that a newer version wrote: those are indexed as far as they are understood."""

    runs: int
    evaluations: int
    unreadable: list[str]
    newer: list[str] = field(default_factory=list)


def rebuild(
    database: Database, runs_dir: Path, on_progress: Callable[[int, int], None] = lambda _done, _total: None
) -> Rebuilt:
    """Replace all rows by those of the folders. Copies of run folders, and links to them, are reported and skipped.
    ``on_progress`` is called with how many folders of how many are read."""
    found = _index_all(list(run_folders(runs_dir)), on_progress)
    with database.write() as session:
        session.exec(delete(EvaluationRow))
        session.exec(delete(RunRow))
        _add(session, found)
        mark_indexed(session)
    return _counted(found, runs_dir)


def index_new(database: Database, runs_dir: Path) -> Rebuilt:
    """Add rows for folders without one: copied there by hand, or created just before a service was killed."""
    with database.read() as session:
        known = set(session.exec(select(col(RunRow.id))))
    found = Indexed()
    for folder in run_folders(runs_dir, known):
        index_folder(folder, found)
    if found.runs:
        with database.write() as session:
            _add(session, found)
    return _counted(found, runs_dir)


def _index_all(folders: Sequence[RunFolder], on_progress: Callable[[int, int], None]) -> Indexed:
    """The rows of the folders, in their order; with many folders, computed by one process for each core."""
    if len(folders) < MANY_FOLDERS:
        found = _index(folders)
        on_progress(len(folders), len(folders))
        return found
    batches = [folders[start : start + BATCH] for start in range(0, len(folders), BATCH)]
    found = Indexed()
    with safe_path_in_children(), ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for number, part in enumerate(pool.map(_index, batches), 1):
            on_progress(min(number * BATCH, len(folders)), len(folders))
            found.runs += part.runs
            found.evaluations += part.evaluations
            found.unreadable += part.unreadable
    return found


def _index(folders: Iterable[RunFolder]) -> Indexed:
    found = Indexed()
    for folder in folders:
        index_folder(folder, found)
    return found


def _add(session: Session, found: Indexed) -> None:
    session.add_all(found.runs)
    session.flush()
    session.add_all(found.evaluations)


def _counted(found: Indexed, runs_dir: Path) -> Rebuilt:
    damage = [(row.id, Damage.model_validate(part)) for row in found.runs for part in row.damage]
    damaged = [RunFolderError(run_id, one) for run_id, one in damage if not one.newer]
    newer = [str(RunFolderError(run_id, one)) for run_id, one in damage if one.newer]
    unreadable = list(dict.fromkeys(str(error) for error in [*found.unreadable, *damaged]))
    unreadable += [f"{path} is a link. {_MOVE_IT}" for path in linked_folders(runs_dir)]
    return Rebuilt(len(found.runs), len(found.evaluations), unreadable, newer)


_MOVE_IT = "What lies outside the runs folder is never read: put the folder itself here."
