"""Telling processes apart, across restarts of the service and of the host."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import psutil

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class ProcessIdentity:
    """A pid alone is reused; with the time its process started (Unix seconds) it names one process."""

    pid: int
    started_at: float

    @classmethod
    def of(cls, pid: int) -> ProcessIdentity:
        """Raises psutil.NoSuchProcess if there is none."""
        return cls(pid, psutil.Process(pid).create_time())

    @classmethod
    def current(cls) -> ProcessIdentity:
        return cls.of(os.getpid())

    def is_alive(self) -> bool:
        """Whether this very process still runs (a zombie does not)."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_at) < 1.0
            return bool(same and process.status() != psutil.STATUS_ZOMBIE)
        except psutil.Error:
            return False


UNKNOWN = ProcessIdentity(0, 0.0)
"""Stands for a process that nobody knows: never alive."""


def boot_id() -> str:
    """A text that differs after each start of the host."""
    if _BOOT_ID.exists():
        return _BOOT_ID.read_text().strip()
    return str(int(psutil.boot_time()))
