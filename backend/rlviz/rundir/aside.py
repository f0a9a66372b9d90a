"""Setting damaged files aside: they are renamed in place and keep their bytes."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import BinaryIO

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.files import check_folders, open_to_append


def set_aside(path: Path, now: float | None = None) -> Path:
    """Rename whatever lies at ``path`` to ``<name>.damaged-<UTC time>``; return the new path.

    A link is renamed itself. ``now`` is the Unix time in seconds, this moment unless given. Raises
    FileNotFoundError, and RunFolderError if the folder it lies in is a link.
    """
    check_folders(path.parent, path.parent)
    aside = name_aside(path, now)
    path.rename(aside)
    return aside


def open_in_place(path: Path) -> BinaryIO:
    """The file at ``path``, open for appending; anything else that is in its place is set aside first.

    For files whose loss does no harm. Raises FileNotFoundError without a folder, and RunFolderError.
    """
    try:
        return open_to_append(path)
    except RunFolderError:
        set_aside(path)
        return open_to_append(path)


def name_aside(path: Path, now: float | None = None) -> Path:
    """An unused name beside ``path`` for what is damaged there."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    aside, number = path.with_name(f"{path.name}.damaged-{stamp}"), 1
    while os.path.lexists(aside):
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    return aside
