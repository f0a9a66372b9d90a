"""Report disk use, change the storage rules, and apply them.

``StorageWatch`` measures the runs folder while runs train, and applies the rules when a quota is exceeded.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import InvalidRequest, StorageRulesUnusable
from rlviz.domain.storage_rules import WARN_SHARE, Archive, FileRule, StorageRules
from rlviz.rundir.usage import Usage
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import find_runs
from rlviz.server.storage.meter import Measured, StorageMeter
from rlviz.server.storage.models import LoggedStorageAction
from rlviz.server.storage.pruner import Pruning, StoragePruner
from rlviz.server.storage.rules import StorageActionLog, StorageRulesStore
from rlviz.settings import Settings
from rlviz.stats.number_text import percent

log = logging.getLogger(__name__)


LOG_ENTRIES = 100


@dataclass(frozen=True)
class StorageState:
    """Disk use and rules.

    Attributes:
        measured: The newest measurement; None before the first has ended.
        is_measuring: Whether a newer measurement is running.
        rules_problem: Why no rule is applied; None if the rules are valid.
        largest: The largest runs, largest first; the row is None if the catalogue lacks the run.
        pruning: The running pass over the rules, or the last one.
        log: The latest actions, newest first.
    """

    measured: Measured | None
    is_measuring: bool
    free_bytes: int
    disk_bytes: int
    rules: StorageRules
    rules_problem: str | None
    warnings: list[str]
    largest: list[tuple[str, RunRow | None]]
    pruning: Pruning | None
    log: list[LoggedStorageAction]


class StorageService:
    def __init__(
        self,
        settings: Settings,
        database: Database,
        meter: StorageMeter,
        pruner: StoragePruner,
        store: StorageRulesStore,
        action_log: StorageActionLog,
    ) -> None:
        self._settings, self._database = settings, database
        self._meter, self._pruner, self._store, self._action_log = meter, pruner, store, action_log

    def get_state(self, count: int) -> StorageState:
        """Return disk use and rules, with the ``count`` largest runs. Never waits for a measurement."""
        measured = self._meter.latest()
        disk = shutil.disk_usage(self._settings.runs_dir)
        rules, problem = self._rules()
        usage = measured.usage if measured else Usage()
        return StorageState(
            measured=measured,
            is_measuring=self._meter.is_measuring,
            free_bytes=disk.free,
            disk_bytes=disk.total,
            rules=rules,
            rules_problem=problem,
            warnings=self._warnings(usage, rules, disk.free),
            largest=self._largest(usage, count),
            pruning=self._pruner.latest,
            log=self._action_log.newest(LOG_ENTRIES),
        )

    def warnings(self) -> list[str]:
        """Return a sentence on everything at or above 80 % of its limit in the last measurement. Cheap."""
        measured = self._meter.known
        rules, _ = self._rules()
        free = shutil.disk_usage(self._settings.runs_dir).free
        return self._warnings(measured.usage if measured else Usage(), rules, free)

    def keep_within(self) -> None:
        """Measure, and apply the rules if one depends on a quota that is exceeded.

        Raises OSError or StorageRulesUnusable.
        """
        usage = self._meter.measure().usage
        rules = self._store.read()
        if any(
            isinstance(rule, FileRule) and rule.over_quota_only and usage.kinds[rule.kind] > rules.quotas[rule.kind]
            for rule in rules.rules
        ):
            self._pruner.prune_automatically()

    def measure(self) -> None:
        """Start a new measurement."""
        self._meter.refresh()

    def change(self, rules: StorageRules) -> None:
        """Save rules, which apply from now on.

        Raises OSError, and InvalidRequest for a rule that archives runs without an archive folder.
        """
        for place, rule in enumerate(rules.rules):
            if isinstance(rule, Archive) and self._settings.archive_dir is None:
                raise InvalidRequest.field(
                    f"/rules/{place}", "There is no archive folder. Set RLVIZ_ARCHIVE_DIR and restart the app."
                )
        self._store.save(rules)

    def prune(self, *, dry_run: bool) -> None:
        """Start to apply the rules. ``dry_run``: only report what they would do.

        Raises PruningInProgress or StorageRulesUnusable.
        """
        self._pruner.begin(dry_run=dry_run)

    def _rules(self) -> tuple[StorageRules, str | None]:
        try:
            return self._store.read(), None
        except StorageRulesUnusable as error:
            return StorageRules(), str(error)

    def _warnings(self, usage: Usage, rules: StorageRules, free: int) -> list[str]:
        found = [_warn_if_near(kind.words, usage.kinds[kind], quota) for kind, quota in rules.quotas.items()]
        if self._settings.max_bytes is not None:
            found.insert(0, _warn_if_near("All runs together", usage.total_bytes, self._settings.max_bytes))
        if free < 2 * self._settings.min_free_disk:
            found.insert(
                0,
                f"{byte_text(free)} are free on the disk; below {byte_text(self._settings.min_free_disk)} "
                "(RLVIZ_MIN_FREE_DISK), nothing is started.",
            )
        return [warning for warning in found if warning]

    def _largest(self, usage: Usage, count: int) -> list[tuple[str, RunRow | None]]:
        largest = usage.largest(count)
        with self._database.read() as session:
            rows = {row.id: row for row in find_runs(session, largest)}
        return [(run_id, rows.get(run_id)) for run_id in largest]


def _warn_if_near(what: str, taken: int, quota: int) -> str:
    """Return a warning at or above WARN_SHARE of the quota; else an empty string."""
    if taken < WARN_SHARE * quota:
        return ""
    return f"{what}: {byte_text(taken)} of {byte_text(quota)}, {percent(taken / quota)}."


EVERY_SECONDS = 120.0
"""Seconds between checks; with ten thousand runs, each takes half a second of processor time."""


class StorageWatch:
    """Checks quotas while runs train; otherwise housekeeping measures often enough."""

    def __init__(self, storage: StorageService, trains: Callable[[], bool]) -> None:
        """``trains`` returns whether a run is training."""
        self._storage, self._trains = storage, trains
        self._warned = False

    def check(self) -> None:
        """Apply the rules if needed, and log warnings when the first appear. Raises the errors of ``keep_within``."""
        if not self._trains():
            return
        self._storage.keep_within()
        warnings = self._storage.warnings()
        if warnings and not self._warned:
            log.warning("Disk space for runs is running out. %s", " ".join(warnings))
        self._warned = bool(warnings)
