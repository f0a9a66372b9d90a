"""A full disk: the error that it raises, and the words by which a cause names it."""

from __future__ import annotations

import errno

DISK_FULL = "The disk is full"
"""Every cause of an ending for which there was no room has these words."""


def is_disk_full(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def is_for_want_of_room(cause: str | None) -> bool:
    """Whether the cause of an ending is a full disk, so that another attempt may do better once there is room."""
    return cause is not None and DISK_FULL in cause
