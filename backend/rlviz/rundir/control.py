"""``control.json``: what the service wants of the trainer."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from rlviz.rundir.aside import set_aside
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.documents import read_document


class Desired(StrEnum):
    IDLE = "idle"  # nobody asked for training yet
    RUN = "run"
    STOP = "stop"


class Control(BaseModel):
    """The desired state. The service replaces it atomically; the trainer polls it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

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
    checkpoint_request: int = Field(
        default=0, ge=0, description="Counts up; the trainer saves a checkpoint for each new number."
    )


def read_control(path: Path) -> Control:
    """The control file at ``path``; the idle state if there is none. Raises RunFolderError if unreadable."""
    try:
        return read_document(path, Control)
    except FileNotFoundError:
        return Control()


def write_control(path: Path, control: Control) -> None:
    """Replace the control file, and whatever lies in its place: a stop has to reach the trainer.

    Raises FileNotFoundError without a run folder, and RunFolderError if that is none.
    """
    if path.is_dir() and not path.is_symlink():
        set_aside(path)
    write_atomically(path, control.model_dump_json(indent=2).encode())
