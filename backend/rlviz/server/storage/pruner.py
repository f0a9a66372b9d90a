"""Apply the storage rules, in a background thread, or report what they would do.

``RunClearing`` applies a rule to one run. ``PreparedBundle`` archives a run as one file, which is written and read back
before the run itself changes.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import BinaryIO

from filelock import lock_descriptor
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session, col, select

from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import PruningInProgress, RlvizError, RunFolderError, RunIsActive, RunNotFound
from rlviz.domain.ids import DAY_SECONDS
from rlviz.domain.status import RunStatus
from rlviz.domain.storage_rules import (
    KEEP_TAG,
    Archive,
    Compress,
    EmptyTrash,
    RunRule,
    StorageRule,
    StorageRules,
    StoredKind,
)
from rlviz.exchange.bundle import check_bundle, file_stamps, write_bundle
from rlviz.learning.environments.custom import find_family
from rlviz.rundir.files import is_file, read_size, remove_leftovers
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import compress_journal
from rlviz.rundir.lock import training_lock
from rlviz.rundir.retention import delete_paths
from rlviz.rundir.storage_rules import files_to_delete
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EventBus, RunDeleted
from rlviz.server.storage.meter import StorageMeter
from rlviz.server.storage.models import StorageAction
from rlviz.server.storage.rules import StorageActionLog, StorageRulesStore
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.use_case import RunUseCases
from rlviz.settings import Settings

log = logging.getLogger(__name__)


SUFFIX = ".rlviz.zip"
DRAFT_SUFFIX = f"{SUFFIX}.tmp"


class PreparedBundle:
    """A bundle in the archive, hidden and locked until ``put_in_place``. Always call ``discard`` last: it removes an
    unused bundle. After a crash, ``remove_unfinished`` removes it."""

    def __init__(self, folder: RunFolder, archive_dir: Path) -> None:
        self._folder = folder
        self.path = archive_dir / f"{folder.run_id}{SUFFIX}"
        self._draft = archive_dir / f".{folder.run_id}{DRAFT_SUFFIX}"
        self._file: BinaryIO | None = None
        self._stamps: dict[str, tuple[int, int]] = {}

    def make(self) -> None:
        """Write the bundle with policies and snapshots, so that the imported run can be resumed.

        Raises RunFolderError, ArtifactNotFound, BundleRefused if what was written is not what was read, and OSError.
        """
        self._draft.parent.mkdir(parents=True, exist_ok=True)
        self._stamps = file_stamps(self._folder)
        self._file = target = self._draft.open("wb")
        with suppress(OSError):  # network file systems may not support locks
            lock_descriptor(target.fileno(), blocking=False)
        write_bundle(self._folder, target, policies=True, snapshots=True)
        target.flush()
        os.fsync(target.fileno())
        check_bundle(self._draft)

    @property
    def is_current(self) -> bool:
        """Return whether the run is unchanged since it was bundled. Call this while nothing else can change the run."""
        return self._stamps == file_stamps(self._folder)

    def put_in_place(self) -> None:
        """Move the bundle to its final name, replacing an older one of the run. Raises OSError."""
        self._draft.replace(self.path)
        descriptor = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def discard(self) -> None:
        self._draft.unlink(missing_ok=True)
        if self._file is not None:
            self._file.close()


def remove_unfinished(archive_dir: Path) -> None:
    """Remove unfinished bundles of killed passes, but none that is being written.

    Files that cannot be removed stay until the next call. Raises OSError if the archive cannot be read.
    """
    for draft in archive_dir.glob(f".*{DRAFT_SUFFIX}"):
        with suppress(OSError), draft.open("ab") as file:
            if lock_descriptor(file.fileno(), blocking=False):
                draft.unlink()


LEAST_BYTES = 64_000
"""Minimum size in bytes of a journal to compress."""


class RunClearing(RunUseCases):
    """Applies rules to runs that have ended, are not in use, and do not have the tag ``keep``."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        supervisor: Supervisor,
        events: EventBus,
        trash: Trash,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(settings, database, supervisor, events, clock=clock)
        self._trash = trash

    def candidates(self, rule: RunRule) -> list[str]:
        """Return the runs that a rule may apply to, by the catalogue, in the order in which they ended."""
        ended = [status.value for status in RunStatus if status.has_ended]
        before = self._clock() - rule.after_days * DAY_SECONDS
        query = (
            select(RunRow.id, RunRow.tags)
            .where(col(RunRow.status).in_(ended), col(RunRow.ended_at) <= before)
            .order_by(col(RunRow.ended_at), col(RunRow.id))
        )
        with self._database.read() as session:
            return [run_id for run_id, tags in session.exec(query) if KEEP_TAG not in tags]

    def preview(self, rule: RunRule, run_id: str) -> StorageAction | None:
        """Return what ``apply`` would do; None: nothing. Raises OSError."""
        folder = self._folder(run_id)
        if not _is_of(rule, folder):
            return None
        match rule:
            case Compress():
                return _compression(rule, folder)
            case Archive():
                return _archiving(rule, folder)
            case _:
                return _deletion(rule, folder, files_to_delete(folder, rule))

    def apply(self, rule: RunRule, run_id: str) -> StorageAction | None:
        """Apply a rule to a run and return what was done; None: nothing.

        Raises RunNotFound, RunIsActive, RunFolderError and OSError.
        """
        folder = self._folder(run_id)
        if not _is_of(rule, folder):
            return None
        if isinstance(rule, Compress):
            return self._compress(rule, folder)
        if isinstance(rule, Archive):
            return self._archive(rule, folder)
        if not files_to_delete(folder, rule):
            return None
        with self._locked(folder):
            files = files_to_delete(folder, rule)
            action = _deletion(rule, folder, files)
            delete_paths(files)
        return action

    def _compress(self, rule: Compress, folder: RunFolder) -> StorageAction | None:
        """Compress journals. The copies are made before the run is locked, which takes two renames only."""
        remove_leftovers(folder.path, folder.path)
        prepared = [copy for path in _uncompressed(folder) if (copy := compress_journal(path)) is not None]
        try:
            with self._locked(folder):
                placed = [copy for copy in prepared if copy.put_in_place()]
        finally:
            for copy in prepared:
                copy.discard()
        if not placed:
            return None
        what = ", ".join(f"{copy.journal.name} compressed to 1/{copy.journal_size / copy.size:.1f}" for copy in placed)
        return _action(rule, folder.run_id, what, sum(copy.journal_size - copy.size for copy in placed))

    def _archive(self, rule: Archive, folder: RunFolder) -> StorageAction | None:
        """Archive a run. The bundle is written and checked before the run is locked, which takes two renames only."""
        assert self._settings.archive_dir is not None
        action = _archiving(rule, folder)
        bundle = PreparedBundle(folder, self._settings.archive_dir)
        try:
            bundle.make()
            with self._locked(folder) as session:
                if not bundle.is_current:  # the run has changed meanwhile; the next pass archives it
                    return None
                bundle.put_in_place()
                self._trash.put(folder, self._clock())
                session.delete(get_run(session, folder.run_id))
        finally:
            bundle.discard()
        self._events.publish(RunDeleted(folder.run_id))
        return action.model_copy(update={"what": f"archived as {bundle.path.name}"})

    @contextmanager
    def _locked(self, folder: RunFolder) -> Iterator[Session]:
        """Lock the run in a transaction, so that it is not started or resumed. Raises RunIsActive and RunNotFound."""
        with self._database.write() as session:
            self._check_idle(session, get_run(session, folder.run_id), "freeing its disk space")
            with training_lock(folder):
                yield session


def _is_of(rule: RunRule, folder: RunFolder) -> bool:
    """Return whether a rule applies to the run's family. Runs with an unreadable configuration are left alone."""
    try:
        config = folder.read_config()
    except RunFolderError:
        return False
    return not rule.families or find_family(config) in rule.families


def _action(rule: StorageRule, run_id: str, what: str, size: int, problem: str = "") -> StorageAction:
    """Return an action. ``size``: the bytes that it frees; 0 if not known in advance."""
    return StorageAction(rule=rule.words, run_id=run_id, what=what, bytes=size, problem=problem)


def _deletion(rule: RunRule, folder: RunFolder, files: list[Path]) -> StorageAction | None:
    if not files:
        return None
    names = [path.relative_to(folder.path).as_posix() for path in files[:3]]
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return _action(rule, folder.run_id, f"delete {', '.join(names)}{more}", sum(map(read_size, files)))


def _compression(rule: Compress, folder: RunFolder) -> StorageAction | None:
    """Return what compressing would do. The freed bytes are not known in advance."""
    found = _uncompressed(folder)
    if not found:
        return None
    what = ", ".join(f"{path.name} ({byte_text(read_size(path))})" for path in found)
    return _action(rule, folder.run_id, f"compress {what}", 0)


def _archiving(rule: Archive, folder: RunFolder) -> StorageAction:
    """Return what archiving would do. Disk space is freed when the trash is emptied."""
    return _action(rule, folder.run_id, "archive, and delete it here", 0)


def _uncompressed(folder: RunFolder) -> list[Path]:
    """Return the journals that are worth compressing."""
    journals = (folder.metrics_path, folder.anatomy_path)
    return [path for path in journals if is_file(path, folder.path) and read_size(path) >= LEAST_BYTES]


MOST_ACTIONS = 1_000
"""Maximum number of actions that a pass lists; more are only counted."""


@dataclass
class Pruning:
    """One pass over the rules, updated while it runs. Times are Unix seconds.

    Attributes:
        done: Number of successful actions.
        bytes: Bytes that they freed.
        actions: The first MOST_ACTIONS actions.
        error_message: Why the pass was aborted or skipped a rule; empty if it did neither.
    """

    dry_run: bool
    began_at: float
    ended_at: float | None = None
    done: int = 0
    bytes: int = 0
    actions: list[StorageAction] = field(default_factory=list)
    error_message: str = ""

    def add_action(self, action: StorageAction) -> None:
        self.done += not action.problem
        self.bytes += action.bytes
        if len(self.actions) < MOST_ACTIONS:
            self.actions.append(action)


class StoragePruner:
    """Runs one pass at a time. It deletes only what a rule names, and logs each action before the next."""

    def __init__(
        self,
        store: StorageRulesStore,
        action_log: StorageActionLog,
        meter: StorageMeter,
        clearing: RunClearing,
        trash: Trash,
        *,
        archive_dir: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._action_log = store, action_log
        self._meter, self._clearing, self._trash = meter, clearing, trash
        self._archive_dir, self._clock = archive_dir, clock
        self._starting, self._closing = Lock(), Event()
        self._thread: Thread | None = None
        self.latest: Pruning | None = None
        """The running pass, or the last one."""

    def begin(self, *, dry_run: bool) -> Pruning:
        """Start a pass. Raises PruningInProgress or StorageRulesUnusable."""
        rules = self._store.read()
        with self._starting:
            if self._closing.is_set() or (self.latest is not None and self.latest.ended_at is None):
                raise PruningInProgress("The storage rules are being applied or tried. Wait until that has ended.")
            self.latest = pruning = Pruning(dry_run, self._clock())
            self._thread = Thread(target=self._pass, args=(pruning, rules), name="storage-pruner", daemon=True)
            self._thread.start()
        return pruning

    def prune_automatically(self) -> None:
        """Apply the rules, if there are any, and remove leftovers of killed passes. Housekeeping calls this.

        Raises StorageRulesUnusable.
        """
        self._tidy_archive()
        if self._store.read().rules:
            with suppress(PruningInProgress):
                self.begin(dry_run=False)

    def close(self) -> None:
        """Stop. A running pass ends after its current action."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _pass(self, pruning: Pruning, rules: StorageRules) -> None:
        try:
            if not pruning.dry_run:
                self._tidy_archive()
            for number, rule in enumerate(rules.rules, 1):
                if isinstance(rule, Archive) and self._archive_dir is None:
                    pruning.error_message = f"Rule {number} was skipped, because RLVIZ_ARCHIVE_DIR is not set."
                    log.warning("%s", pruning.error_message)
                    continue
                for action in self._actions(rule, rules, dry_run=pruning.dry_run):
                    pruning.add_action(action)
                    if not pruning.dry_run:
                        self._action_log.append(action)
                    if self._closing.is_set():
                        pruning.error_message = "The app ended meanwhile."
                        return
        except (OSError, RlvizError, DatabaseError) as error:
            pruning.error_message = f"It was aborted: {error}"
            log.warning("Applying the storage rules was aborted: %s", error)
        finally:
            pruning.ended_at = self._clock()
            if not pruning.dry_run:
                log.info("The storage rules were applied: %d actions, %d bytes", pruning.done, pruning.bytes)
                self._meter.refresh()

    def _tidy_archive(self) -> None:
        if self._archive_dir is not None:
            remove_unfinished(self._archive_dir)

    def _actions(self, rule: StorageRule, rules: StorageRules, *, dry_run: bool) -> Iterator[StorageAction]:
        if isinstance(rule, EmptyTrash):
            return self._empty_trash(rule, dry_run=dry_run)
        return self._clear(rule, self._beyond_quota(rule, rules), dry_run=dry_run)

    def _empty_trash(self, rule: EmptyTrash, *, dry_run: bool) -> Iterator[StorageAction]:
        before = self._clock() - rule.after_days * DAY_SECONDS
        for run_id in self._trash.run_ids():
            try:
                if self._trash.deleted_at(run_id) > before:
                    continue
                size = self._trash.size(run_id)
                if not dry_run:
                    self._trash.remove(run_id)
            except (FileNotFoundError, RunNotFound):  # restored meanwhile
                continue
            yield _action(rule, run_id, "remove for good", size)

    def _clear(self, rule: RunRule, beyond: int | None, *, dry_run: bool) -> Iterator[StorageAction]:
        """Apply a rule to all runs. ``beyond``: bytes to free; None: no limit."""
        for run_id in self._clearing.candidates(rule):
            if beyond is not None and beyond <= 0:
                return
            try:
                action = self._clearing.preview(rule, run_id) if dry_run else self._clearing.apply(rule, run_id)
            except (RunIsActive, RunNotFound):  # resumed, evaluated or deleted meanwhile
                continue
            except (OSError, RlvizError) as error:
                action = _action(rule, run_id, "not changed", 0, str(error))
            if action is not None:
                yield action
                beyond = None if beyond is None else beyond - action.bytes

    def _beyond_quota(self, rule: RunRule, rules: StorageRules) -> int | None:
        if isinstance(rule, Archive) or not rule.over_quota_only:
            return None
        kind = StoredKind(rule.kind)
        return self._meter.measure().usage.kinds[kind] - rules.quotas[kind]
