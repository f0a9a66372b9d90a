"""The journal of a study, whole again after a kill or a full disk. Imports Optuna: only a study loads it.

With Optuna's own backend, the next line continues one that was cut off, after which nothing can be read any more; and
the lock of a process that was killed is waited for thirty seconds.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from optuna.storages.journal import JournalFileBackend

from rlviz.rundir.journal import last_newline

LOCK_SUFFIX = ".lock"


class OwnedJournal(JournalFileBackend):
    """For the one process that the folder belongs to. Others may read meanwhile, with Optuna's own backend."""

    def __init__(self, path: Path) -> None:
        path.with_name(path.name + LOCK_SUFFIX).unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            _cut_torn_line(path)
        super().__init__(str(path))
        self._path = path

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """All of them, or none. Raises OSError."""
        before = self._path.stat().st_size
        try:
            super().append_logs(logs)
        except OSError:
            os.truncate(self._path, before)
            raise


def _cut_torn_line(path: Path) -> None:
    """Cut off what follows the last newline: it was not written to its end. Raises OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        whole = last_newline(file, size)
    if whole < size:
        os.truncate(path, whole)
