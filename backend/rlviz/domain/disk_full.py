"""Detects a full disk, both from an exception and from the recorded cause of a run's ending."""

from __future__ import annotations

import errno

DISK_FULL = "The disk is full"
"""Every recorded cause of an ending that a full disk forced contains these words."""


def is_disk_full(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def is_disk_full_cause(cause: str | None) -> bool:
    """Whether a full disk caused this ending, so another attempt may succeed once space is free."""
    return cause is not None and DISK_FULL in cause
