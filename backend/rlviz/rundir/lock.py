"""One trainer a run folder, one service a runs folder.

The lock is the system's own, on a file that stays (``flock``; ``LockFileEx`` on Windows): it goes with the process that
holds it, however that ends, so there is none that is stale. ``filelock`` takes it on a file that is opened here, as all
in a run folder is (``rlviz.rundir.files``); the lock classes of that library open the path themselves.
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
from rlviz.rundir.usage import noted_usage


@contextmanager
def training_lock(folder: RunFolder) -> Iterator[int]:
    """Hold ``worker.lock`` of ``folder``, whose descriptor is given; the system releases it however the process ends.

    Raises RunIsActive if another trainer, in whatever process, holds it, and RunFolderError.
    """
    with open_in_place(folder.lock_path) as file:
        if not lock_descriptor(file.fileno(), blocking=False):
            raise RunIsActive(f"Another worker trains {folder.run_id!r}.")
        yield file.fileno()


class RunsLock:
    """``rlviz.lock`` of a runs folder, held while a service, or a rebuild, writes the catalogue.

    It holds the pid of who has it. The system releases it however the process ends.
    """

    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / "rlviz.lock"
        self._file: IO[str] | None = None

    def acquire(self) -> bool:
        """Take the lock, and make the folder if there is none; return False if this object holds it already.

        Raises RunsFolderInUse, or RunsFolderUnusable if nothing can be written there.
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
                f"The runs folder {self._path.parent} cannot be used ({error.strerror}: {error.filename}). See that it "
                "is a folder in which this user may write, or choose another with RLVIZ_RUNS_DIR."
            ) from error
        if not lock_descriptor(file.fileno(), blocking=False):
            pid = _holder(file)
            raise RunsFolderInUse(
                f"Another RL Gym Visualizer (process {pid or 'unknown'}) uses {self._path.parent}. Stop it, or choose "
                "another folder with RLVIZ_RUNS_DIR.",
                pid,
            )
        with suppress(OSError):  # the disk is full: the lock holds all the same
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"{os.getpid()}\n".encode())
        self._file = file
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def full_disk(runs_dir: Path) -> str:
    """What to say, and to do, where the service cannot work because the disk is full."""
    consumers = noted_usage(runs_dir).consumers
    return (
        f"{DISK_FULL} where the runs folder {runs_dir} lies. {consumers + ' ' if consumers else ''}Make room: delete "
        "what you do not need there, for instance videos (`*.mp4`) of old runs or whole run folders; then start again. "
        "Nothing that was saved is lost."
    )


def _holder(file: IO[str]) -> int:
    """Read the pid in the lock file ``file`` and close it; 0 if it has none."""
    with file:
        try:
            file.seek(0)
            text = file.read(32).strip()
        except (OSError, ValueError):  # Windows lets no other process read a locked file
            return 0
    return int(text) if text.isascii() and text.isdigit() else 0
