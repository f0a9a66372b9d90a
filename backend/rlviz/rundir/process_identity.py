"""ProcessIdentity: identifies a process across restarts of the service and the host."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

_TOLERANCE = 1e-3
"""Tolerance in seconds; the kernel's resolution is 0.01."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_TEXT = re.compile(r"process:(\d{1,10}):(\d{1,12}(?:\.\d{1,12})?):(.*)")


@dataclass(frozen=True)
class ProcessIdentity:
    """A process, identified by its pid and start time, because pids are reused.

    ``started_at`` is in seconds since boot on Linux, so changes of the clock do not matter; elsewhere it is Unix
    time. ``boot_id`` differs after each boot; it is empty in records of version 0.1.0. As text:
    ``process:<pid>:<started_at>:<boot_id>``.
    """

    pid: int
    started_at: float
    boot_id: str

    @classmethod
    def of(cls, pid: int) -> ProcessIdentity:
        """Return the identity of a running process. Raises psutil.NoSuchProcess."""
        return cls(pid, _started_at(pid), _boot_id())

    @classmethod
    def current(cls) -> ProcessIdentity:
        return cls.of(os.getpid())

    @classmethod
    def parse(cls, text: str) -> ProcessIdentity | None:
        """Return the process that ``text`` identifies; None if it is an identity of another launcher."""
        match = _TEXT.fullmatch(text)
        return cls(int(match[1]), float(match[2]), match[3]) if match else None

    def __str__(self) -> str:
        return f"process:{self.pid}:{self.started_at}:{self.boot_id}"

    @property
    def is_of_this_boot(self) -> bool:
        """Whether the host has not restarted since, as far as known."""
        return self.boot_id in ("", _boot_id())

    def is_alive(self) -> bool:
        """Whether this exact process still runs. A zombie does not count."""
        try:
            if not self.is_of_this_boot:
                return False
            started_at, is_zombie = _state(self.pid)
        except psutil.Error:
            return False
        return abs(started_at - self.started_at) < _TOLERANCE and not is_zombie

    def processor_seconds(self) -> float | None:
        """Return the processor time of all its threads in seconds; None once it is gone."""
        if not self.is_alive():
            return None
        try:
            times = psutil.Process(self.pid).cpu_times()
        except psutil.Error:
            return None
        return float(times.user + times.system)


def _started_at(pid: int) -> float:
    return _state(pid)[0]


def _state(pid: int) -> tuple[float, bool]:
    """Return its start time, and whether it is a zombie.

    Reads fields 22 and 3 of ``/proc/<pid>/stat`` (proc(5)), or asks psutil if that does not exist. Raises
    psutil.NoSuchProcess.
    """
    if sys.platform != "linux":
        process = psutil.Process(pid)
        return process.create_time(), process.status() == psutil.STATUS_ZOMBIE
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError as error:
        raise psutil.NoSuchProcess(pid) from error
    fields = stat.rpartition(b")")[2].split()  # the name, in parentheses, may contain spaces
    return int(fields[19]) / os.sysconf("SC_CLK_TCK"), fields[0] == b"Z"


@cache
def _boot_id() -> str:
    if _BOOT_ID.exists():
        return _BOOT_ID.read_text().strip()
    return str(int(psutil.boot_time()))
