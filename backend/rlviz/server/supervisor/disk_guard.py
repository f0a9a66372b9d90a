"""Refuse new work while the disk is too full."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import NotEnoughDisk
from rlviz.rundir.usage import read_usage
from rlviz.settings import Settings

MAKE_ROOM = (
    "To make room: compress the journals of runs that have ended, or have storage rules delete what you do not need "
    "(Storage page, `rlviz storage add`, then `rlviz prune`); archive runs elsewhere (`rlviz export RUN --bundle`) and "
    "delete them here; then empty the trash (`rlviz trash empty`)."
)


class DiskGuard:
    """Checks the disk before work starts.

    It keeps ``min_free_disk`` bytes free, which active runs need to end properly, and keeps the runs folder below
    ``max_bytes`` as last measured.
    """

    def __init__(self, settings: Settings, *, free: Callable[[Path], int] | None = None) -> None:
        self._settings, self._free = settings, free or free_bytes

    def check(self) -> None:
        """Raise NotEnoughDisk, naming what takes most space and how to free some, if the disk is too full."""
        runs_dir, limit = self._settings.runs_dir, self._settings.max_bytes
        if limit is not None and (taken := read_usage(runs_dir).total_bytes) > limit:
            raise NotEnoughDisk(
                f"The runs folder takes {byte_text(taken)}, more than the {byte_text(limit)} of RLVIZ_MAX_BYTES. "
                f"{how_to_make_room(runs_dir)} Or raise the limit."
            )
        free, wanted = self._free(runs_dir), self._settings.min_free_disk
        if free >= wanted:
            return
        raise NotEnoughDisk(
            f"Only {byte_text(free)} are free on the disk of {runs_dir}, less than the {byte_text(wanted)} of "
            f"RLVIZ_MIN_FREE_DISK. {how_to_make_room(runs_dir)} The trash empties itself after "
            f"{self._settings.trash_days:g} days."
        )


def how_to_make_room(runs_dir: Path) -> str:
    """Return sentences on what takes most of the runs folder, as last measured, and how to free space."""
    return f"{read_usage(runs_dir).consumers} {MAKE_ROOM}".strip()


def free_bytes(path: Path) -> int:
    return shutil.disk_usage(path).free
