"""What the machine has, as far as this process may use it."""

from __future__ import annotations

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
