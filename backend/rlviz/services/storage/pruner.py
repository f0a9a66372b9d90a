"""StoragePruner: applies the storage rules in a thread of its own, or tells what they would do."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

from sqlalchemy.exc import DatabaseError

from rlviz.domain.errors import PruningInProgress, RlvizError, RunIsActive, RunNotFound
from rlviz.domain.storage_rules import Archive, EmptyTrash, RunRule, StorageRule, StorageRules, StoredKind
from rlviz.domain.times import DAY_SECONDS
from rlviz.rundir.trash import Trash
from rlviz.services.storage.action_log import StorageAction, StorageActionLog
from rlviz.services.storage.archiving import remove_unfinished
from rlviz.services.storage.clearing import RunClearing
from rlviz.services.storage.meter import StorageMeter
from rlviz.services.storage.rules_store import StorageRulesStore

log = logging.getLogger(__name__)

MOST_ACTIONS = 1_000
"""Actions that a pass lists; the others are only counted."""


@dataclass
class Pruning:
    """One pass over the rules. ``done`` counts the actions, ``bytes`` is the room that they make; ``actions`` are the
    first of them. ``error_message`` says why it did not come to its end, or passed over a rule. Times are Unix
    seconds."""

    dry_run: bool
    began_at: float
    ended_at: float | None = None
    done: int = 0
    bytes: int = 0
    actions: list[StorageAction] = field(default_factory=list)
    error_message: str = ""

    def take(self, action: StorageAction) -> None:
        self.done += not action.problem
        self.bytes += action.bytes
        if len(self.actions) < MOST_ACTIONS:
            self.actions.append(action)


class StoragePruner:
    """One pass at a time. Nothing is deleted that no rule names, and each action is in the log before the next."""

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
        """The pass that goes on, or the last one."""

    def begin(self, *, dry_run: bool) -> Pruning:
        """Begin a pass. Raises PruningInProgress, or StorageRulesUnusable."""
        rules = self._store.read()
        with self._starting:
            if self._closing.is_set() or (self.latest is not None and self.latest.ended_at is None):
                raise PruningInProgress("The storage rules are being applied, or looked through. Wait for the end.")
            self.latest = pruning = Pruning(dry_run, self._clock())
            self._thread = Thread(target=self._pass, args=(pruning, rules), name="storage-pruner", daemon=True)
            self._thread.start()
        return pruning

    def by_itself(self) -> None:
        """What housekeeping does: apply the rules, if there are any. What a pass that was killed left in the archive
        goes whatever they are now. Raises StorageRulesUnusable."""
        self._tidy_archive()
        if self._store.read().rules:
            with suppress(PruningInProgress):
                self.begin(dry_run=False)

    def close(self) -> None:
        """A pass ends after what it is at."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _pass(self, pruning: Pruning, rules: StorageRules) -> None:
        try:
            if not pruning.dry_run:
                self._tidy_archive()
            for number, rule in enumerate(rules.rules, 1):
                if isinstance(rule, Archive) and self._archive_dir is None:
                    pruning.error_message = f"Rule {number} was passed over, for want of RLVIZ_ARCHIVE_DIR. Set it."
                    log.warning("%s", pruning.error_message)
                    continue
                for action in self._actions(rule, rules, dry_run=pruning.dry_run):
                    pruning.take(action)
                    if not pruning.dry_run:
                        self._action_log.append(action)
                    if self._closing.is_set():
                        pruning.error_message = "The app was ended."
                        return
        except (OSError, RlvizError, DatabaseError) as error:
            pruning.error_message = f"It did not come to its end: {error}"
            log.warning("The storage rules could not be applied to the end: %s", error)
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
            except (FileNotFoundError, RunNotFound):  # brought back just now
                continue
            yield StorageAction(rule.words, run_id, "remove for good", size)

    def _clear(self, rule: RunRule, beyond: int | None, *, dry_run: bool) -> Iterator[StorageAction]:
        """``beyond``: bytes to make room for, None for no bound."""
        for run_id in self._clearing.candidates(rule):
            if beyond is not None and beyond <= 0:
                return
            try:
                action = self._clearing.look(rule, run_id) if dry_run else self._clearing.apply(rule, run_id)
            except (RunIsActive, RunNotFound):  # resumed, evaluated or deleted just now
                continue
            except (OSError, RlvizError) as error:
                action = StorageAction(rule.words, run_id, "left as it is", 0, str(error))
            if action is not None:
                yield action
                beyond = None if beyond is None else beyond - action.bytes

    def _beyond_quota(self, rule: RunRule, rules: StorageRules) -> int | None:
        if isinstance(rule, Archive) or not rule.over_quota_only:
            return None
        kind = StoredKind(rule.kind)
        return self._meter.measure().usage.kinds[kind] - rules.quotas[kind]
