"""The resources of the machine that this process may use."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path

import psutil

CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Files with a container's memory limit: version 2 and version 1 of control groups."""


def machine_memory(limits: tuple[Path, ...] = CGROUP_LIMITS) -> int:
    """Bytes of memory of the machine, or of the container if that has less."""
    found: list[int] = [psutil.virtual_memory().total]
    for path in limits:
        try:
            found.append(int(path.read_text()))
        except (OSError, ValueError):  # no such file, or "max": no limit
            continue
    return min(found)


_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1 << 18


def return_large_memory() -> None:
    """Return the memory of large arrays to the operating system as soon as they are freed.

    By default glibc raises its threshold for that with the first large array and keeps freed memory: 45 MB after one
    curve of a million rows, as measured. Without glibc this does nothing.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
