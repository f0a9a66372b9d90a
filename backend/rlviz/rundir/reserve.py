"""Reserve: room that is kept free for endings, so that a full disk does not make a failure of them."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

RESERVE = ".reserve"

RESERVE_BYTES = 32_000_000
"""What snapshots of a few runs, their last events and the catalogue's take."""

SHARE = 20
"""At most one part in so many of the free disk is reserved."""

LEAST_BYTES = 64_000


class Reserve:
    """A file in the runs folder that takes up the room, and is deleted when the app begins to end."""

    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / RESERVE

    def keep(self) -> None:
        """Reserve the room, as far as there is some. A disk that is full already has none to reserve."""
        with suppress(OSError):
            size = min(RESERVE_BYTES, shutil.disk_usage(self._path.parent).free // SHARE)
            if size >= LEAST_BYTES and (not self._path.exists() or self._path.stat().st_size < size):
                take_room(self._path, size)

    def release(self) -> None:
        """From now on the room can be used. Never raises."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def take_room(path: Path, size: int) -> None:
    """Make the file at ``path`` take ``size`` bytes of the disk, or none. Raises OSError."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0), 0o644)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file, 0, size)
        else:
            os.write(file, bytes(size))
    except OSError:
        os.ftruncate(file, 0)
        raise
    finally:
        os.close(file)
