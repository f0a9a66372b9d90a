"""Rebuilds the catalogue from the run folders, which hold all the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from sqlmodel import Session, col, delete, select

from rlviz.domain.errors import Damage, RunFolderError
from rlviz.importing import safe_path_in_children
from rlviz.rundir.folder import RunFolder, linked_folders, run_folders
from rlviz.server.catalog.database import Database, mark_indexed
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import IndexedFolders, index_folder

MANY_FOLDERS = 400
"""Number of folders below which one process is faster than starting others."""

BATCH = 50
"""Number of folders handed to a process at a time."""


@dataclass(frozen=True)
class RebuildResult:
    """Number of indexed runs and evaluations; one sentence for each folder or file that could not be read, and one for
    each that a newer version wrote, which is indexed as far as this version understands it."""

    runs: int
    evaluations: int
    unreadable: list[str]
    newer: list[str] = field(default_factory=list)


def rebuild(
    database: Database, runs_dir: Path, on_progress: Callable[[int, int], None] = lambda _done, _total: None
) -> RebuildResult:
    """Replace all rows with those of the folders. Copies of run folders and links to folders are reported and skipped.

    ``on_progress`` is called with the number of folders read so far and the number of all folders.
    """
    counts = _Counts()
    with database.write() as session:
        session.exec(delete(EvaluationRow))
        session.exec(delete(RunRow))
        for part in _index_all(list(run_folders(runs_dir)), on_progress):
            counts.add(part)
            _add(session, part)
        mark_indexed(session)
    return counts.result(runs_dir)


def index_new(database: Database, runs_dir: Path) -> RebuildResult:
    """Add rows for folders without one, which were copied there or created just before a service was killed."""
    with database.read() as session:
        known = set(session.exec(select(col(RunRow.id))))
    counts = _Counts()
    for folders in _batches(list(run_folders(runs_dir, known))):
        part = _index(folders)
        counts.add(part)
        if part.runs:
            with database.write() as session:
                _add(session, part)
    return counts.result(runs_dir)


def _index_all(folders: Sequence[RunFolder], on_progress: Callable[[int, int], None]) -> Iterator[IndexedFolders]:
    """Yield the rows of the folders in order, BATCH folders at a time, so that memory does not grow with their number.
    Many folders are read by one process per core."""
    batches = _batches(folders)
    with ExitStack() as held:
        found: Iterator[IndexedFolders] = map(_index, batches)
        if len(folders) >= MANY_FOLDERS:
            held.enter_context(safe_path_in_children())
            found = held.enter_context(ProcessPoolExecutor(mp_context=get_context("spawn"))).map(_index, batches)
        for number, part in enumerate(found, 1):
            on_progress(min(number * BATCH, len(folders)), len(folders))
            yield part


def _batches(folders: Sequence[RunFolder]) -> list[Sequence[RunFolder]]:
    return [folders[start : start + BATCH] for start in range(0, len(folders), BATCH)]


def _index(folders: Iterable[RunFolder]) -> IndexedFolders:
    found = IndexedFolders()
    for folder in folders:
        index_folder(folder, found)
    return found


def _add(session: Session, found: IndexedFolders) -> None:
    session.add_all(found.runs)
    session.flush()
    session.add_all(found.evaluations)
    session.flush()
    session.expunge_all()


class _Counts:
    """Collects a ``RebuildResult`` batch by batch."""

    def __init__(self) -> None:
        self._runs = self._evaluations = 0
        self._unreadable: list[str] = []
        self._damaged: list[str] = []
        self._newer: list[str] = []

    def add(self, found: IndexedFolders) -> None:
        self._runs += len(found.runs)
        self._evaluations += len(found.evaluations)
        self._unreadable += map(str, found.unreadable)
        for row in found.runs:
            for damage in map(Damage.model_validate, row.damage):
                says = str(RunFolderError(row.id, damage))
                (self._newer if damage.newer else self._damaged).append(says)

    def result(self, runs_dir: Path) -> RebuildResult:
        links = [f"{path} is a link. {_MOVE_IT}" for path in linked_folders(runs_dir)]
        unreadable = dict.fromkeys([*self._unreadable, *self._damaged])
        return RebuildResult(self._runs, self._evaluations, [*unreadable, *links], self._newer)


_MOVE_IT = "Files outside the runs folder are never read: move the folder itself here."
