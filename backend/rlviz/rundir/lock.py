"""Locks: one trainer per run folder, one service per runs folder.

The operating system holds the lock on a file (``flock``; ``LockFileEx`` on Windows) and releases it when the process
ends, so no lock is ever stale. ``filelock`` locks a file that we open ourselves, as for all files of a run folder
(``rlviz.rundir.files``), because its own lock classes open the path themselves.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from filelock import lock_descriptor

from rlviz.domain.disk_full import DISK_FULL, is_disk_full
from rlviz.domain.errors import RunIsActive, RunsFolderInUse, RunsFolderUnusable
from rlviz.rundir.files import open_in_place
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.usage import read_usage


@contextmanager
def training_lock(folder: RunFolder) -> Iterator[int]:
    """Hold ``worker.lock`` of ``folder`` and yield its descriptor; the system releases the lock when the process ends.

    Raises RunIsActive if another trainer holds it, in any process, and RunFolderError.
    """
    with open_in_place(folder.lock_path) as file:
        if not lock_descriptor(file.fileno(), blocking=False):
            raise RunIsActive(f"Another worker is training {folder.run_id!r}.")
        yield file.fileno()


class RunsLock:
    """``rlviz.lock`` of a runs folder, held while a service or a rebuild writes the catalogue.

    The file contains the pid of its holder. The system releases the lock when the process ends.
    """

    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / "rlviz.lock"
        self._file: IO[str] | None = None

    def acquire(self) -> bool:
        """Take the lock, and create the folder if needed; return False if this object already holds it.

        Raises RunsFolderInUse, or RunsFolderUnusable if the folder is not writable.
        """
        if self._file is not None:
            return False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("a+")
        except OSError as error:
            if is_disk_full(error):
                raise RunsFolderUnusable(full_disk(self._path.parent)) from error
            raise RunsFolderUnusable(
                f"The runs folder {self._path.parent} cannot be used ({error.strerror}: {error.filename}). Make sure "
                "that it is a folder that you may write to, or choose another with RLVIZ_RUNS_DIR."
            ) from error
        if not lock_descriptor(file.fileno(), blocking=False):
            pid = _holder(file)
            raise RunsFolderInUse(
                f"Another RL Gym Visualizer (process {pid or 'unknown'}) uses {self._path.parent}. Stop it, or choose "
                "another folder with RLVIZ_RUNS_DIR.",
                pid,
            )
        with suppress(OSError):  # a full disk does not affect the lock
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"{os.getpid()}\n".encode())
        self._file = file
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def full_disk(runs_dir: Path) -> str:
    """Return a message that the service cannot work because the disk is full, and what to do."""
    consumers = read_usage(runs_dir).consumers
    return (
        f"{DISK_FULL} where the runs folder {runs_dir} lies. {consumers + ' ' if consumers else ''}Free some space: "
        "delete files that you do not need, such as videos (`*.mp4`) of old runs or whole run folders, and start "
        "again. Saved data is not lost."
    )


def _holder(file: IO[str]) -> int:
    """Return the pid in the lock file ``file`` and close it; 0 if there is none."""
    with file:
        try:
            file.seek(0)
            text = file.read(32).strip()
        except (OSError, ValueError):  # Windows lets no other process read a locked file
            return 0
    return int(text) if text.isascii() and text.isdigit() else 0
