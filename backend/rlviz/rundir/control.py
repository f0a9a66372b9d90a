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
    IDLE = "idle"  # nobody asked for training yet
    RUN = "run"
    PAUSE = "pause"
    STOP = "stop"


class SnapshotRequest(LazyModel):
    """A snapshot that its user asks for."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1, description="Counts up.")
    name: str | None = Field(default=None, description="Null: it is called after its step.")
    message: str = ""


class RollbackRequest(LazyModel):
    """A snapshot that a run which trains shall go back to."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1, description="Counts up.")
    snapshot: str


_EARLIER_NAMES = {
    "rollback_wish": "rollback_request",
    "snapshot_wishes": "snapshot_requests",
    "knob_wishes": "knob_requests",
}


class Control(LazyModel):
    """The desired state. The service replaces it atomically; the trainer polls it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _with_current_names(cls, document: Any) -> Any:
        """Files of earlier versions call three of the fields otherwise."""
        if not isinstance(document, dict):
            return document
        return {_EARLIER_NAMES.get(name, name): value for name, value in document.items()}

    desired: Desired = Desired.IDLE
    requested_at: float | None = Field(default=None, description="Unix time of the last change, seconds.")
    queued_at: float | None = Field(default=None, description="Unix time at which training was asked for, seconds.")
    attempt: int = Field(
        default=1,
        ge=1,
        description="The attempt to train that is wanted: 1, and one more each time it is taken up again.",
    )
    reason: str | None = Field(
        default=None, description="Why it shall stop, if not because its user said so; one sentence."
    )
    pause_within: float | None = Field(
        default=None,
        ge=0,
        description="Seconds after which a pause no longer waits for the start of the next rollout, and goes back to "
        "the newest one that is in memory; null: it waits.",
    )
    resume_from: str | None = Field(
        default=None,
        description="The snapshot that the attempt begins from, by name; null: training begins anew.",
    )
    total_timesteps: int | None = Field(
        default=None, ge=1, description="Steps to train for; null: those of the configuration."
    )
    resumed_by_itself: int = Field(
        default=0, ge=0, description="Attempts in a row that began without anybody asking, after an interruption."
    )
    rollback: bool = Field(
        default=False, description="Whether what came after the snapshot is no part of the run any more."
    )
    rollback_request: RollbackRequest | None = Field(
        default=None, description="Asked for of the worker that trains; the trainer goes back for each new number."
    )
    snapshot_requests: tuple[SnapshotRequest, ...] = Field(
        default=(), description="Snapshots asked for, the newest few."
    )
    knob_requests: tuple[KnobRequest, ...] = Field(
        default=(), description="Changes of hyperparameters asked for, the newest few."
    )
    rules_number: int = Field(
        default=0, ge=0, description="Counts up; the trainer reads rules.json for each new number."
    )
    snapshots: SnapshotPlan | None = Field(
        default=None,
        description="When snapshots are taken, as somebody has changed it; null: as the configuration says.",
    )
    checkpoint_request: int = Field(
        default=0, ge=0, description="Counts up; the trainer saves a checkpoint for each new number."
    )


def next_number(requests: Sequence[SnapshotRequest | KnobRequest], now: float) -> int:
    """The number of the request that follows ``requests`` at ``now``, Unix seconds. No request has had it before, even
    if the control file that had those was lost: what trains the run would believe that it is answered."""
    return max(int(now * 1_000), requests[-1].number + 1 if requests else 1)


def read_control(path: Path) -> Control:
    """Read the control file at ``path``; the idle state if there is none. Raises RunFolderError if unreadable."""
    try:
        return read_document(path, Control)
    except FileNotFoundError:
        return Control()


def write_control(path: Path, control: Control) -> None:
    """Replace the control file, or whatever is in its place, since a stop has to reach the trainer.

    Raises FileNotFoundError without a run folder, and RunFolderError if that is no folder.
    """
    if path.is_dir() and not path.is_symlink():
        set_aside(path)
    write_atomically(path, control.model_dump_json(indent=2).encode())
