"""DiskGuard: refuses to start work that writes when the disk is too full."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from rlviz.domain.errors import NotEnoughDisk
from rlviz.rundir.usage import known_total
from rlviz.settings import Settings


class DiskGuard:
    """Keeps ``min_free_disk`` bytes free in the runs folder, which active runs need to end well, and starts nothing
    where its files took more than ``max_bytes`` when they were last measured."""

    def __init__(self, settings: Settings, *, free: Callable[[Path], int] | None = None) -> None:
        self._settings, self._free = settings, free or free_bytes

    def check(self) -> None:
        """Raises NotEnoughDisk, with what to do."""
        limit = self._settings.max_bytes
        if limit is not None and (taken := known_total(self._settings.runs_dir)) > limit:
            raise NotEnoughDisk(
                f"The runs folder takes {_megabytes(taken)}, more than the {_megabytes(limit)} of RLVIZ_MAX_BYTES. "
                "Make room on the Storage page or with `rlviz prune`, or raise the limit."
            )
        free, wanted = self._free(self._settings.runs_dir), self._settings.min_free_disk
        if free >= wanted:
            return
        raise NotEnoughDisk(
            f"Only {_megabytes(free)} are free where {self._settings.runs_dir} lies, less than the "
            f"{_megabytes(wanted)} that RLVIZ_MIN_FREE_DISK keeps. Delete runs that you no longer need (the trash is "
            f"emptied after {self._settings.trash_days:g} days; RLVIZ_TRASH_DAYS=0 empties it at the next start), or "
            "make room on that disk."
        )


def free_bytes(path: Path) -> int:
    return shutil.disk_usage(path).free


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
