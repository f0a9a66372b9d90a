"""What the machine has, as far as this process may use it."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path

import psutil

CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container's limit stands: version 2 of control groups, and version 1."""


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
    """From now on, memory of large arrays goes back to the operating system as soon as they are gone.

    Glibc would raise its limit for that with the first large array and keep the rest for later: measured, 45 MB after
    one curve of a million rows. Elsewhere than with glibc this does nothing.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
