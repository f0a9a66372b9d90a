"""Telling processes apart, across restarts of the service and of the host."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

_TOLERANCE = 1e-3
"""Seconds; the kernel counts in hundredths."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class ProcessIdentity:
    """A pid alone is reused; with the time its process started it names one process until the host restarts.

    ``started_at`` is in seconds since the host started where the kernel tells (Linux): no step of the wall clock
    changes it. Elsewhere it is Unix time.
    """

    pid: int
    started_at: float

    @classmethod
    def of(cls, pid: int) -> ProcessIdentity:
        """Raises psutil.NoSuchProcess if there is none."""
        return cls(pid, _started_at(pid))

    @classmethod
    def current(cls) -> ProcessIdentity:
        return cls.of(os.getpid())

    def is_alive(self) -> bool:
        """Whether this very process still runs (a zombie does not)."""
        try:
            same = abs(_started_at(self.pid) - self.started_at) < _TOLERANCE
            return same and psutil.Process(self.pid).status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False


def _started_at(pid: int) -> float:
    """Field 22 of ``/proc/<pid>/stat`` (proc(5)); what psutil says where there is none."""
    if sys.platform != "linux":
        return psutil.Process(pid).create_time()
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError as error:
        raise psutil.NoSuchProcess(pid) from error
    ticks = int(stat.rpartition(b")")[2].split()[19])  # the name, in parentheses, may hold spaces
    return ticks / os.sysconf("SC_CLK_TCK")


UNKNOWN = ProcessIdentity(0, 0.0)
"""Stands for a process that nobody knows: never alive."""


def boot_id() -> str:
    """A text that differs after each start of the host."""
    if _BOOT_ID.exists():
        return _BOOT_ID.read_text().strip()
    return str(int(psutil.boot_time()))
