"""API models of disk use and storage rules."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rlviz.domain.ids import Instant
from rlviz.domain.storage_rules import MOST_RULES, Quota, StorageRule, StoredKind
from rlviz.server.wire import Body, Wire


class StoredKindInfo(Wire):
    """Total size of all files of a kind."""

    kind: StoredKind
    words: str
    bytes: int
    files: int
    quota: int | None = Field(description="Maximum bytes; null: no limit.")


class StoredRun(Wire):
    id: str
    name: str
    algo: str | None = Field(
        description="null, like the environment and the status, for a run that is not in the catalogue."
    )
    env_id: str | None
    status: str | None
    bytes: int
    kinds: dict[StoredKind, int] = Field(description="Bytes by kind.")


class StorageAction(Wire):
    """An action of a storage rule."""

    rule: str = Field(description="Its sentence.")
    run_id: str
    what: str
    bytes: int = Field(description="Bytes that it frees; 0 if not known in advance.")
    problem: str = Field(description="Why it failed; empty if it succeeded.")


class LoggedStorageAction(StorageAction):
    time: Instant


class StoragePruning(Wire):
    """A pass over the rules."""

    dry_run: bool
    began_at: Instant
    ended_at: Instant | None = Field(description="null while it is running.")
    done: int
    bytes: int
    actions: list[StorageAction] = Field(description="The first 1,000.")
    error_message: str = Field(description="Why it was aborted; empty if it was not.")


class Storage(Wire):
    measured_at: Instant | None = Field(description="null, without sizes, before the first measurement has ended.")
    measuring: bool = Field(description="Whether a newer measurement is running.")
    measured_in_seconds: float | None
    total_bytes: int
    free_bytes: int
    disk_bytes: int
    max_bytes: int | None = Field(description="RLVIZ_MAX_BYTES: above it, nothing is started.")
    kinds: list[StoredKindInfo] = Field(description="Every kind, largest first.")
    runs: list[StoredRun] = Field(description="The largest runs, largest first.")
    run_count: int = Field(description="Number of measured runs.")
    warnings: list[str] = Field(description="Sentences on everything at or above 80 % of its limit.")
    rules: list[StorageRule]
    words: list[str] = Field(description="Each rule in words.")
    rules_problem: str | None = Field(description="Why no rule is applied, if the rules file is invalid.")
    trash_days: float = Field(description="RLVIZ_TRASH_DAYS: days after which a deleted run is removed for good.")
    pruning: StoragePruning | None = Field(description="The running pass, or the last one since the start.")
    log: list[LoggedStorageAction] = Field(description="The latest actions, newest first.")


class StorageRulesBody(Body):
    quotas: dict[StoredKind, Quota] = Field(default_factory=dict, description="Maximum bytes by kind.")
    rules: Annotated[list[StorageRule], Field(max_length=MOST_RULES)] = Field(description="Applied in order.")


class PruneBody(Body):
    dry_run: bool = Field(False, description="Only report what the rules would do.")
