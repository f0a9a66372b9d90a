"""RunClearing: what a storage rule does to one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sqlmodel import Session, col, select

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import get_run
from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import RunFolderError
from rlviz.domain.status import RunStatus
from rlviz.domain.storage_rules import KEEP_TAG, Archive, Compress, RunRule
from rlviz.domain.times import DAY_SECONDS
from rlviz.environments.custom import family_of
from rlviz.rundir.atomic import remove_leftovers
from rlviz.rundir.files import is_file, size_of
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import prepare
from rlviz.rundir.lock import training_lock
from rlviz.rundir.retention import delete
from rlviz.rundir.storage_rule_files import doomed
from rlviz.rundir.trash import Trash
from rlviz.services.storage.action_log import StorageAction
from rlviz.services.storage.archiving import PreparedBundle
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.supervisor import Supervisor
from rlviz.services.use_cases.base import RunUseCases
from rlviz.settings import Settings

LEAST_BYTES = 64_000
"""Bytes below which a journal is not worth compressing."""


class RunClearing(RunUseCases):
    """Only of runs that have ended, that nobody trains or evaluates, and that do not have the tag ``keep``."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        supervisor: Supervisor,
        broadcast: Broadcast,
        trash: Trash,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(settings, database, supervisor, broadcast, clock=clock)
        self._trash = trash

    def candidates(self, rule: RunRule) -> list[str]:
        """The runs that may be concerned, by the catalogue; those that ended first come first."""
        ended = [status.value for status in RunStatus if status.has_ended]
        before = self._clock() - rule.after_days * DAY_SECONDS
        query = (
            select(RunRow.id, RunRow.tags)
            .where(col(RunRow.status).in_(ended), col(RunRow.ended_at) <= before)
            .order_by(col(RunRow.ended_at), col(RunRow.id))
        )
        with self._database.read() as session:
            return [run_id for run_id, tags in session.exec(query) if KEEP_TAG not in tags]

    def look(self, rule: RunRule, run_id: str) -> StorageAction | None:
        """What ``apply`` would do; None: nothing. Raises OSError."""
        folder = self._folder(run_id)
        if not _is_of(rule, folder):
            return None
        match rule:
            case Compress():
                return _compression(rule, folder)
            case Archive():
                return _archiving(rule, folder)
            case _:
                return _deletion(rule, folder, doomed(folder, rule))

    def apply(self, rule: RunRule, run_id: str) -> StorageAction | None:
        """Do it; None: nothing was to be done. Raises RunNotFound, RunIsActive, RunFolderError and OSError."""
        folder = self._folder(run_id)
        if not _is_of(rule, folder):
            return None
        if isinstance(rule, Compress):
            return self._compress(rule, folder)
        if isinstance(rule, Archive):
            return self._archive(rule, folder)
        if not doomed(folder, rule):
            return None
        with self._alone_with(folder):
            files = doomed(folder, rule)
            action = _deletion(rule, folder, files)
            delete(files)
        return action

    def _compress(self, rule: Compress, folder: RunFolder) -> StorageAction | None:
        """The copies are made before the run is taken from others, which is then for two renames only."""
        remove_leftovers(folder.path, folder.path)
        prepared = [copy for path in _uncompressed(folder) if (copy := prepare(path)) is not None]
        try:
            with self._alone_with(folder):
                placed = [copy for copy in prepared if copy.put_in_place()]
        finally:
            for copy in prepared:
                copy.discard()
        if not placed:
            return None
        what = ", ".join(f"{copy.journal.name} compressed to 1/{copy.journal_size / copy.size:.1f}" for copy in placed)
        return StorageAction(rule.words, folder.run_id, what, sum(copy.journal_size - copy.size for copy in placed))

    def _archive(self, rule: Archive, folder: RunFolder) -> StorageAction | None:
        """The bundle is made and read back before the run is taken from others, which is then for two renames only."""
        assert self._settings.archive_dir is not None
        action = _archiving(rule, folder)
        bundle = PreparedBundle(folder, self._settings.archive_dir)
        try:
            bundle.make()
            with self._alone_with(folder) as session:
                if not bundle.is_current:  # it was changed while it was bundled: the next pass sees to it
                    return None
                bundle.put_in_place()
                self._trash.put(folder, self._clock())
                session.delete(get_run(session, folder.run_id))
        finally:
            bundle.discard()
        self._broadcast.run_deleted(folder.run_id)
        return replace(action, what=f"archived as {bundle.path.name}")

    @contextmanager
    def _alone_with(self, folder: RunFolder) -> Iterator[Session]:
        """In a transaction, so that nobody starts or resumes the run meanwhile. Raises RunIsActive and RunNotFound."""
        with self._database.write() as session:
            self._check_idle(session, get_run(session, folder.run_id), "making room in it")
            with training_lock(folder):
                yield session


def _is_of(rule: RunRule, folder: RunFolder) -> bool:
    """Whether it is a run of the rule's families. A damaged one, of which nobody knows what it is, is left alone."""
    try:
        config = folder.read_config()
    except RunFolderError:
        return False
    return not rule.families or family_of(config) in rule.families


def _deletion(rule: RunRule, folder: RunFolder, files: list[Path]) -> StorageAction | None:
    if not files:
        return None
    names = [path.relative_to(folder.path).as_posix() for path in files[:3]]
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return StorageAction(rule.words, folder.run_id, f"delete {', '.join(names)}{more}", sum(map(size_of, files)))


def _compression(rule: Compress, folder: RunFolder) -> StorageAction | None:
    """How much smaller they become is not known before."""
    found = _uncompressed(folder)
    if not found:
        return None
    what = ", ".join(f"{path.name} ({byte_text(size_of(path))})" for path in found)
    return StorageAction(rule.words, folder.run_id, f"compress {what}", 0)


def _archiving(rule: Archive, folder: RunFolder) -> StorageAction:
    """The room is made once the trash is emptied."""
    return StorageAction(rule.words, folder.run_id, "archive, and delete it here", 0)


def _uncompressed(folder: RunFolder) -> list[Path]:
    """Journals that are worth compressing."""
    journals = (folder.metrics_path, folder.anatomy_path)
    return [path for path in journals if is_file(path, folder.path) and size_of(path) >= LEAST_BYTES]
