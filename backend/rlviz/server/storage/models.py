"""What takes space, and the rules by which it is made room."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rlviz.domain.ids import Instant
from rlviz.domain.storage_rules import MOST_RULES, Quota, StorageRule, StoredKind
from rlviz.server.wire import Body, Wire


class StoredKindInfo(Wire):
    """What all files of a kind take."""

    kind: StoredKind
    words: str
    bytes: int
    files: int
    quota: int | None = Field(description="Bytes that they may take; null: as many as they like.")


class StoredRun(Wire):
    id: str
    name: str
    algo: str | None = Field(description="Null, as are the environment and the status, for a run that is in no list.")
    env_id: str | None
    status: str | None
    bytes: int
    kinds: dict[StoredKind, int] = Field(description="Bytes of each kind that it has.")


class StorageAction(Wire):
    """Something that a rule does, or has done."""

    rule: str = Field(description="Its sentence.")
    run_id: str
    what: str
    bytes: int = Field(description="Room that it makes; 0 if that is not known before.")
    problem: str = Field(description="Why it was not done; empty if it was.")


class LoggedStorageAction(StorageAction):
    time: Instant


class StoragePruning(Wire):
    """A pass over the rules."""

    dry_run: bool
    began_at: Instant
    ended_at: Instant | None = Field(description="Null while it goes on.")
    done: int
    bytes: int
    actions: list[StorageAction] = Field(description="The first 1,000.")
    error_message: str = Field(description="Why it did not come to its end; empty if it did.")


class Storage(Wire):
    measured_at: Instant | None = Field(description="Null, and no sizes, before the first measurement has ended.")
    measuring: bool = Field(description="Whether a newer measurement goes on.")
    measured_in_seconds: float | None
    total_bytes: int
    free_bytes: int
    disk_bytes: int
    max_bytes: int | None = Field(description="RLVIZ_MAX_BYTES: with more, nothing is started.")
    kinds: list[StoredKindInfo] = Field(description="Every kind, the largest first.")
    runs: list[StoredRun] = Field(description="The largest runs, the largest first.")
    run_count: int = Field(description="Of all runs that were measured.")
    warnings: list[str] = Field(description="A sentence each: what is at 80 % of what it may take, or beyond.")
    rules: list[StorageRule]
    words: list[str] = Field(description="Each rule in words.")
    rules_problem: str | None = Field(description="Why no rule is followed, if their file cannot be understood.")
    trash_days: float = Field(description="RLVIZ_TRASH_DAYS: after so many a deleted run is removed for good anyway.")
    pruning: StoragePruning | None = Field(description="The pass that goes on, or the last one since the start.")
    log: list[LoggedStorageAction] = Field(description="What was done last, the newest first.")


class StorageRulesBody(Body):
    quotas: dict[StoredKind, Quota] = Field(default_factory=dict, description="Bytes that a kind may take.")
    rules: Annotated[list[StorageRule], Field(max_length=MOST_RULES)] = Field(description="Followed in their order.")


class PruneBody(Body):
    dry_run: bool = Field(False, description="Only tell what the rules would do.")
