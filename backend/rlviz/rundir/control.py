"""``control.json``: what the service wants the trainer to do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, model_validator

from rlviz.domain.config import SnapshotPlan
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.rules import KnobRequest
from rlviz.rundir.files import read_document, set_aside, write_atomically


class Desired(StrEnum):
    IDLE = "idle"  # training was never requested
    RUN = "run"
    PAUSE = "pause"
    STOP = "stop"


class SnapshotRequest(LazyModel):
    """A snapshot that the user requests."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1, description="Counts up.")
    name: str | None = Field(default=None, description="Null: named after its step.")
    message: str = ""


class RollbackRequest(LazyModel):
    """A request to roll a running training back to a snapshot."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1, description="Counts up.")
    snapshot: str


_EARLIER_NAMES = {
    "rollback_wish": "rollback_request",
    "snapshot_wishes": "snapshot_requests",
    "knob_wishes": "knob_requests",
}


class Control(LazyModel):
    """The desired state. The service replaces the file atomically; the trainer polls it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _with_current_names(cls, document: Any) -> Any:
        """Rename three fields of earlier versions."""
        if not isinstance(document, dict):
            return document
        return {_EARLIER_NAMES.get(name, name): value for name, value in document.items()}

    desired: Desired = Desired.IDLE
    requested_at: float | None = Field(default=None, description="Unix time of the last change, seconds.")
    queued_at: float | None = Field(
        default=None,
        description="Unix time at which training was requested, seconds. Queued runs start in this order; a run that "
        "is moved in the queue gets another time.",
    )
    attempt: int = Field(
        default=1,
        ge=1,
        description="Number of the desired attempt: 1, and one more for each resume.",
    )
    reason: str | None = Field(
        default=None, description="Why it should stop, if the user did not request it; one sentence."
    )
    pause_within: float | None = Field(
        default=None,
        ge=0,
        description="Seconds after which a pause stops waiting for the next rollout and goes back to "
        "the newest snapshot in memory; null: it waits.",
    )
    resume_from: str | None = Field(
        default=None,
        description="Name of the snapshot to resume from; null: training starts over.",
    )
    total_timesteps: int | None = Field(
        default=None, ge=1, description="Steps to train for; null: those of the configuration."
    )
    resumed_by_itself: int = Field(default=0, ge=0, description="Consecutive automatic attempts after interruptions.")
    rollback: bool = Field(default=False, description="Whether everything after the snapshot is discarded.")
    rollback_request: RollbackRequest | None = Field(
        default=None, description="For the running worker; the trainer goes back for each new number."
    )
    snapshot_requests: tuple[SnapshotRequest, ...] = Field(
        default=(), description="Requested snapshots, the newest few."
    )
    knob_requests: tuple[KnobRequest, ...] = Field(
        default=(), description="Requested hyperparameter changes, the newest few."
    )
    rules_number: int = Field(
        default=0, ge=0, description="Counts up; the trainer reads rules.json for each new number."
    )
    snapshots: SnapshotPlan | None = Field(
        default=None,
        description="Changed snapshot plan; null: that of the configuration.",
    )
    checkpoint_request: int = Field(
        default=0, ge=0, description="Counts up; the trainer saves a checkpoint for each new number."
    )


def next_number(requests: Sequence[SnapshotRequest | KnobRequest], now: float) -> int:
    """Return the number for the request after ``requests``.

    ``now`` (Unix seconds) makes it larger than any earlier number, even if the control file was lost: a repeated
    number would make the trainer think that it already answered the request.
    """
    return max(int(now * 1_000), requests[-1].number + 1 if requests else 1)


def read_control(path: Path) -> Control:
    """Read the control file at ``path``; return the idle state if it is missing. Raises RunFolderError if
    unreadable."""
    try:
        return read_document(path, Control)
    except FileNotFoundError:
        return Control()


def write_control(path: Path, control: Control) -> None:
    """Replace the control file, or anything else in its place, because a stop must reach the trainer.

    Raises FileNotFoundError without a run folder, and RunFolderError if it is not a folder.
    """
    if path.is_dir() and not path.is_symlink():
        set_aside(path)
    write_atomically(path, control.model_dump_json(indent=2).encode())
