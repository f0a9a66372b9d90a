"""One trainer a folder."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from rlviz.domain.errors import RunIsActive
from rlviz.rundir.folder import RunFolder


@contextmanager
def training_lock(folder: RunFolder) -> Iterator[None]:
    """Hold ``worker.lock`` of ``folder``; the system releases it however the process ends.

    Raises RunIsActive if another trainer, in whatever process, holds it.
    """
    with folder.lock_path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunIsActive(f"Another worker trains {folder.run_id!r}.") from error
        yield
