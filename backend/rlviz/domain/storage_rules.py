"""Storage rules: what may be deleted, compressed or archived automatically, and quotas for each kind of file.

You write the rules, and each says in a sentence what it does. Without rules, nothing is deleted.
"""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.storage_profile import DEFAULT_PROFILES

KEEP_TAG = "keep"
"""Tag that protects a run from all rules."""

WARN_SHARE = 0.8
"""Share of a quota from which on the app warns."""

MOST_RULES = 50


class StoredKind(StrEnum):
    """Kinds of files in a runs folder."""

    METRICS = "metrics"
    SEALED = "sealed"
    POLICIES = "policies"
    SNAPSHOTS = "snapshots"
    REPLAY = "replay"
    FILM = "film"
    CLIPS = "clips"
    VIDEOS = "videos"
    RECORDS = "records"
    LOGS = "logs"
    SINKS = "sinks"
    ANALYTICS = "analytics"
    EXPERIMENTS = "experiments"
    TRASH = "trash"
    CATALOGUE = "catalogue"
    OTHER = "other"

    @property
    def words(self) -> str:
        return _TITLES[self]


_TITLES = {
    StoredKind.METRICS: "Metrics and events",
    StoredKind.SEALED: "Sealed copies of metrics",
    StoredKind.POLICIES: "Policies and checkpoints",
    StoredKind.SNAPSHOTS: "Snapshots",
    StoredKind.REPLAY: "Replay buffers",
    StoredKind.FILM: "Filmstrips",
    StoredKind.CLIPS: "Clips",
    StoredKind.VIDEOS: "Videos, and what the agent saw",
    StoredKind.RECORDS: "Step records",
    StoredKind.LOGS: "Logs",
    StoredKind.SINKS: "Copies for other trackers",
    StoredKind.ANALYTICS: "Curves for the Analyse page",
    StoredKind.EXPERIMENTS: "Experiments",
    StoredKind.TRASH: "Trash",
    StoredKind.CATALOGUE: "Catalogue",
    StoredKind.OTHER: "Everything else",
}


class _OfRuns(LazyModel):
    """Shared fields of rules on runs. They apply to runs that have ended and do not have the tag ``keep``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    families: tuple[str, ...] = Field((), description="Families of environments; empty: all.", max_length=20)
    after_days: float = Field(7, ge=0, le=36_500, description="Days since the run ended.")

    @model_validator(mode="after")
    def _known_families(self) -> Self:
        for family in self.families:
            if family not in DEFAULT_PROFILES:
                raise ValueError(f"There is no family {family[:80]!r}. Known: {', '.join(DEFAULT_PROFILES)}.")
        return self

    @property
    def _whose(self) -> str:
        families = f" of {_listed(self.families)}" if self.families else ""
        return f"each run{families} that ended at least {_days(self.after_days)} ago"


class _OfFiles(_OfRuns):
    """Shared fields of rules on the files of runs."""

    over_quota_only: bool = Field(
        False, description="Only while the kind exceeds its quota, in the runs that ended first."
    )

    @property
    def _while(self) -> str:
        if not self.over_quota_only:
            return ""
        return " Only while such files of all runs exceed their quota, oldest runs first."


class KeepNewest(_OfFiles):
    """Deletes all but the newest files of a kind."""

    do: Literal["keep_newest"]
    kind: Literal[StoredKind.VIDEOS, StoredKind.SNAPSHOTS, StoredKind.POLICIES, StoredKind.RECORDS]
    keep: int = Field(ge=0, le=1_000, description="Number of files that stay in each run.")

    @model_validator(mode="after")
    def _can_go_on(self) -> Self:
        if self.kind is StoredKind.SNAPSHOTS and self.keep < 1:
            raise ValueError("Keep at least 1 snapshot: without one, a run cannot be resumed.")
        return self

    @property
    def words(self) -> str:
        what, besides = _NEWEST[self.kind]
        count = f"only the newest {self.keep}" if self.keep else "none"
        return f"Of the {what} of {self._whose}, keep {count}. {besides}{self._while}".strip()


_NEWEST = {
    StoredKind.VIDEOS: ("videos", "Summaries of evaluations stay."),
    StoredKind.SNAPSHOTS: ("snapshots", "Those with a name, and the one at the best policy, stay."),
    StoredKind.POLICIES: ("checkpoints", "The final policy and the best one stay."),
    StoredKind.RECORDS: ("step records", "Summaries of evaluations stay."),
}


class Remove(_OfFiles):
    """Deletes every file of a kind."""

    do: Literal["remove"]
    what: Literal["clips", "film", "logs", "records_without_video"]

    @property
    def kind(self) -> StoredKind:
        return StoredKind.RECORDS if self.what == "records_without_video" else StoredKind(self.what)

    @property
    def words(self) -> str:
        return f"Remove {_REMOVED[self.what]} of {self._whose}.{self._while}"


_REMOVED = {
    "clips": "the clips (they are made again when you watch them)",
    "film": "the filmstrip's policies",
    "logs": "the worker's log",
    "records_without_video": "the step records of evaluations whose video is gone",
}


class Compress(_OfFiles):
    """Compresses journals. They can still be read."""

    do: Literal["compress"]

    @property
    def kind(self) -> StoredKind:
        return StoredKind.METRICS

    @property
    def words(self) -> str:
        return f"Compress the metrics of {self._whose}. They can still be read, and the runs resumed.{self._while}"


class Archive(_OfRuns):
    """Writes whole runs as bundles to RLVIZ_ARCHIVE_DIR, then moves them to the trash."""

    do: Literal["archive"]

    @property
    def words(self) -> str:
        return (
            f"Write {self._whose} to the archive (RLVIZ_ARCHIVE_DIR) as one file, with policies and snapshots; once "
            "that file is verified, move the run to the trash."
        )


class EmptyTrash(LazyModel):
    """Removes deleted runs permanently, earlier than RLVIZ_TRASH_DAYS."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: Literal["empty_trash"]
    after_days: float = Field(7, ge=0, le=36_500, description="Days since the run was deleted.")

    @property
    def words(self) -> str:
        return f"Permanently remove what has been in the trash for {_days(self.after_days)}."


FileRule = KeepNewest | Remove | Compress
RunRule = FileRule | Archive
StorageRule = Annotated[RunRule | EmptyTrash, Field(discriminator="do")]

Quota = Annotated[int, Field(ge=1_000_000, le=10**18)]


class StorageRules(LazyModel):
    """``storage.json`` of a runs folder. ``quotas`` are in bytes; rules apply in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    quotas: dict[StoredKind, Quota] = Field(default_factory=dict)
    rules: tuple[StorageRule, ...] = Field((), max_length=MOST_RULES)

    @model_validator(mode="after")
    def _quotas_are_there(self) -> Self:
        for number, rule in enumerate(self.rules, 1):
            if isinstance(rule, FileRule) and rule.over_quota_only and rule.kind not in self.quotas:
                title = StoredKind(rule.kind).words
                raise ValueError(f"Rule {number} needs a quota for {title.lower()}. Set it.")
        return self


def _days(days: float) -> str:
    return "1 day" if days == 1 else f"{days:g} days"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
