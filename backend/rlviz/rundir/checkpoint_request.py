"""Asking the trainer of a run for a checkpoint, through its control file."""

from __future__ import annotations

from datetime import datetime

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder


def request_checkpoint(folder: RunFolder, *, stopping: bool, now: datetime) -> int:
    """Ask the trainer for a checkpoint; return the number that its ``checkpoint`` event will repeat.

    A damaged control file is replaced. The run keeps running or ``stopping``, and numbers continue from the clock's
    milliseconds, which is beyond any earlier number.
    """
    try:
        control = folder.read_control()
    except RunFolderError:
        desired = Desired.STOP if stopping else Desired.RUN
        control = Control(desired=desired, checkpoint_request=int(now.timestamp() * 1000))
    number = control.checkpoint_request + 1
    folder.write_control(control.model_copy(update={"checkpoint_request": number}))
    return number
