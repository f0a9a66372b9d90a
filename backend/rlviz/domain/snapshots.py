"""Snapshot: what is known of one without unpickling it, as its ``manifest.json`` says it.

Verification of a snapshot: whether training that is brought to it is what its file holds.
"""

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
    """The periodic evaluation found a better policy in the rollout that began there."""
    SOLVED = "solved"
    """The reward threshold was reached for the first time."""
    RULE = "rule"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"


class Segment(LazyModel):
    """A file of ``replay/``: rows ``first`` up to, not including, ``end`` of the replay buffer, counted since training
    began."""

    model_config = ConfigDict(frozen=True)

    file: str
    first: int = Field(ge=0)
    end: int = Field(ge=0)
    bytes: int = Field(ge=0)
    sha256: str


class Built(LazyModel):
    """What training was built from. A snapshot continues only what is built from the same."""

    model_config = ConfigDict(frozen=True)

    algo: str
    env_id: str
    config_digest: str = Field(description="Of everything in the configuration that training depends on.")
    environments: tuple[tuple[str, ...], ...] = Field(
        description="The classes of each environment, from the outermost wrapper to the environment itself."
    )


class Origin(LazyModel):
    """What the figures of training depend on besides its configuration, to the last bit."""

    model_config = ConfigDict(frozen=True)

    versions: dict[str, str] = Field(description="Installed version by package name.")
    capability: str = Field(description="The instructions of the processor that torch uses.")
    threads: int = Field(ge=1, description="Threads of torch.")
    environment_source: str | None = Field(None, description="Digest of a custom environment's source file.")


class SnapshotManifest(VersionedDocument):
    """What a snapshot says of itself."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    format: ClassVar[Format] = SNAPSHOT

    schema_version: int = version_field(SNAPSHOT)
    run_id: str
    name: str = Field(description="How it is asked for: its step, or the name it was given.")
    message: str = ""
    is_named: bool = Field(False, description="Whether it was given its name, and is kept until somebody deletes it.")
    step: int = Field(ge=0, le=MAX_STEP)
    attempt: int = Field(ge=1)
    trigger: Trigger
    time: float = Field(ge=0, le=MAX_TIME, description="Unix time at which it was taken, seconds.")
    point: Literal["rollout", "end"] = Field(
        description="Where training was: at the start of a rollout, or behind its last update."
    )
    last_row: int = Field(ge=0, description="The seq of the last row of metrics.jsonl that was written before.")
    exact: bool = Field(True, description="Whether training goes on from it bit for bit.")
    not_exact_because: str | None = None
    built: Built
    origin: Origin
    segments: tuple[Segment, ...] = ()
    capture_ms: float = Field(ge=0, description="Milliseconds for which it held training up.")


def check_name(name: str) -> str:
    """``name`` if a snapshot can be given it. Raises InvalidRequest."""
    if _NAME.fullmatch(name) is None or name.isdigit():
        raise InvalidRequest.field(
            "/name",
            f"A snapshot cannot be called {name[:80]!r}. Use lower-case letters, digits and hyphens, at most "
            f"{MAX_NAME}, and not digits alone: those are the names of steps.",
        )
    return name


class VerifiedPart(LazyModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(description="model, optimizers, generators, environments, replay or counters.")
    identical: bool
    first_difference: str | None = Field(None, description="Where in the part, and what was found there.")


class SnapshotVerification(LazyModel):
    """``snapshots/<name>.verify.json``: written by the service when asked, replaced by the worker."""

    model_config = ConfigDict(frozen=True)

    status: VerificationStatus = VerificationStatus.RUNNING
    whole: bool | None = Field(
        None,
        description="Whether the file and its part of the replay buffer are what this installation wrote. Null before "
        "it is completed.",
    )
    identical: bool | None = Field(
        None, description="Whether all parts are. Null if training cannot be brought to the snapshot: `cause` says why."
    )
    parts: list[VerifiedPart] = Field([])
    first_difference: str | None = Field(None, description="That of the first part that is not identical.")
    exact: bool | None = Field(None, description="Whether training goes on from it bit for bit, here and now.")
    reasons: list[str] = Field([], description="Why it does not, one sentence each.")
    cause: str | None = Field(None, description="Why it failed, or why the snapshot is refused.")
