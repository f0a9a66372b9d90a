"""Snapshots: the ``manifest.json`` of one, which can be read without unpickling, and the result of a verification."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from rlviz.domain.errors import InvalidRequest
from rlviz.domain.evaluation import VerificationStatus
from rlviz.domain.ids import MAX_TIME
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import MAX_STEP
from rlviz.domain.versions import SNAPSHOT, Format, VersionedDocument, version_field

MAX_NAME = LIMITS.snapshot_name.maximum
_NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{MAX_NAME - 1}}}")


class Trigger(StrEnum):
    """Why a snapshot was taken."""

    PERIODIC = "periodic"
    REQUESTED = "requested"
    BEST = "best"
    """A periodic evaluation found a better policy in the rollout that starts there."""
    SOLVED = "solved"
    """The reward threshold was reached for the first time."""
    RULE = "rule"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"


class Segment(LazyModel):
    """A file in ``replay/``: rows ``first`` (included) to ``end`` (excluded) of the replay buffer, counted from the
    start of training."""

    model_config = ConfigDict(frozen=True)

    file: str
    first: int = Field(ge=0)
    end: int = Field(ge=0)
    bytes: int = Field(ge=0)
    sha256: str


class Built(LazyModel):
    """What training was built from. A snapshot can only continue in an identical build."""

    model_config = ConfigDict(frozen=True)

    algo: str
    env_id: str
    config_digest: str = Field(description="Digest of all configuration that affects training.")
    environments: tuple[tuple[str, ...], ...] = Field(
        description="The classes of each environment, from the outermost wrapper to the environment itself."
    )


class Origin(LazyModel):
    """Everything besides the configuration that the results of training depend on, bit for bit."""

    model_config = ConfigDict(frozen=True)

    versions: dict[str, str] = Field(description="Installed version by package name.")
    capability: str = Field(description="The instructions of the processor that torch uses.")
    threads: int = Field(ge=1, description="Threads of torch.")
    environment_source: str | None = Field(None, description="Digest of a custom environment's source file.")


class SnapshotManifest(VersionedDocument):
    """``manifest.json`` of a snapshot."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    format: ClassVar[Format] = SNAPSHOT

    schema_version: int = version_field(SNAPSHOT)
    run_id: str
    name: str = Field(description="Its given name, or its step.")
    message: str = ""
    is_named: bool = Field(False, description="Whether it has a given name, and is kept until the user deletes it.")
    step: int = Field(ge=0, le=MAX_STEP)
    attempt: int = Field(ge=1)
    trigger: Trigger
    time: float = Field(ge=0, le=MAX_TIME, description="Unix time at which it was taken, seconds.")
    point: Literal["rollout", "end"] = Field(
        description="Where training was: at the start of a rollout, or after the last update."
    )
    last_row: int = Field(ge=0, description="seq of the last row of metrics.jsonl written before it.")
    exact: bool = Field(True, description="Whether training resumes from it bit for bit.")
    not_exact_because: str | None = None
    built: Built
    origin: Origin
    segments: tuple[Segment, ...] = ()
    capture_ms: float = Field(ge=0, description="Milliseconds for which it paused training.")


def check_snapshot_name(name: str) -> str:
    """Return ``name`` if it is a valid name for a snapshot. Raises InvalidRequest."""
    if _NAME.fullmatch(name) is None or name.isdigit():
        raise InvalidRequest.field(
            "/name",
            f"A snapshot cannot be called {name[:80]!r}. Use lower-case letters, digits and hyphens, at most "
            f"{MAX_NAME}, and not only digits, which name steps.",
        )
    return name


class VerifiedPart(LazyModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(description="model, optimizers, generators, environments, replay or counters.")
    identical: bool
    first_difference: str | None = Field(None, description="Where in the part the difference is, and what was found.")


class SnapshotVerification(LazyModel):
    """``snapshots/<name>.verify.json``: the service writes it on request, the worker updates it."""

    model_config = ConfigDict(frozen=True)

    status: VerificationStatus = VerificationStatus.RUNNING
    whole: bool | None = Field(
        None,
        description="Whether the file and its part of the replay buffer are as this installation wrote them. Null "
        "until completed.",
    )
    identical: bool | None = Field(
        None, description="Whether all parts are identical. Null if training cannot be restored: see `cause`."
    )
    parts: list[VerifiedPart] = Field([])
    first_difference: str | None = Field(None, description="First difference of the first part that differs.")
    exact: bool | None = Field(None, description="Whether training would resume from it bit for bit on this machine.")
    reasons: list[str] = Field([], description="Why not, one sentence each.")
    cause: str | None = Field(None, description="Why it failed, or why the snapshot is refused.")
