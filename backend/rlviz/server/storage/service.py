"""Use cases on storage: what takes space, the rules, and applying them.

StorageWatch: measures the runs folder while runs train, and has the rules applied once a quota is exceeded.
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
    """``measured`` is None before the first measurement has ended. ``largest``: runs with what each takes, the largest
    first; None for a folder that is in no catalogue. ``rules_problem``: why no rule is followed."""

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
        """What there is to know, with the ``count`` largest runs. Never waits for a measurement."""
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
        """A sentence each: what was at 80 % of what it may take, or beyond, when that was last measured. Cheap."""
        measured = self._meter.known
        rules, _ = self._rules()
        free = shutil.disk_usage(self._settings.runs_dir).free
        return self._warnings(measured.usage if measured else Usage(), rules, free)

    def keep_within(self) -> None:
        """Measure, and have the rules applied where one of them waits for a quota that is exceeded.

        Nothing else is deleted. Raises OSError, or StorageRulesUnusable.
        """
        usage = self._meter.measure().usage
        rules = self._store.read()
        if any(
            isinstance(rule, FileRule) and rule.over_quota_only and usage.kinds[rule.kind] > rules.quotas[rule.kind]
            for rule in rules.rules
        ):
            self._pruner.prune_automatically()

    def measure(self) -> None:
        """Begin a new measurement."""
        self._meter.refresh()

    def change(self, rules: StorageRules) -> None:
        """Follow these rules from now on. Raises InvalidRequest for one that archives where there is no archive, and
        OSError."""
        for place, rule in enumerate(rules.rules):
            if isinstance(rule, Archive) and self._settings.archive_dir is None:
                raise InvalidRequest.field(
                    f"/rules/{place}", "There is no archive. Start the app with RLVIZ_ARCHIVE_DIR set to a folder."
                )
        self._store.save(rules)

    def prune(self, *, dry_run: bool) -> None:
        """Begin to apply the rules, or to look what they would do. Raises PruningInProgress, StorageRulesUnusable."""
        self._pruner.begin(dry_run=dry_run)

    def _rules(self) -> tuple[StorageRules, str | None]:
        try:
            return self._store.read(), None
        except StorageRulesUnusable as error:
            return StorageRules(), str(error)

    def _warnings(self, usage: Usage, rules: StorageRules, free: int) -> list[str]:
        found = [_near(kind.words, usage.kinds[kind], quota) for kind, quota in rules.quotas.items()]
        if self._settings.max_bytes is not None:
            found.insert(0, _near("All runs together", usage.total_bytes, self._settings.max_bytes))
        if free < 2 * self._settings.min_free_disk:
            found.insert(
                0,
                f"{byte_text(free)} are free on the disk; with less than {byte_text(self._settings.min_free_disk)} "
                "(RLVIZ_MIN_FREE_DISK) nothing is started.",
            )
        return [warning for warning in found if warning]

    def _largest(self, usage: Usage, count: int) -> list[tuple[str, RunRow | None]]:
        largest = usage.largest(count)
        with self._database.read() as session:
            rows = {row.id: row for row in find_runs(session, largest)}
        return [(run_id, rows.get(run_id)) for run_id in largest]


def _near(what: str, taken: int, quota: int) -> str:
    """Empty as long as there is room."""
    if taken < WARN_SHARE * quota:
        return ""
    return f"{what}: {byte_text(taken)} of {byte_text(quota)}, {percent(taken / quota)}."


EVERY_SECONDS = 120.0
"""With ten thousand runs a look takes half a second of processor time."""


class StorageWatch:
    """Where nothing trains, housekeeping measures often enough."""

    def __init__(self, storage: StorageService, trains: Callable[[], bool]) -> None:
        """``trains``: whether a run trains just now."""
        self._storage, self._trains = storage, trains
        self._warned = False

    def check(self) -> None:
        """Warnings are logged when there are some after there were none. Raises what ``keep_within`` does."""
        if not self._trains():
            return
        self._storage.keep_within()
        warnings = self._storage.warnings()
        if warnings and not self._warned:
            log.warning("Room for runs comes to its end. %s", " ".join(warnings))
        self._warned = bool(warnings)
