"""Memory and processor priority of the machine or container."""

from __future__ import annotations

import ctypes
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from rlviz.domain.byte_text import byte_text

CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Files with a container's memory limit: version 2 and version 1 of control groups."""


def machine_memory(limits: tuple[Path, ...] = CGROUP_LIMITS) -> int:
    """Return the memory of the machine, or of the container if that has less, in bytes."""
    found: list[int] = [psutil.virtual_memory().total]
    for path in limits:
        try:
            found.append(int(path.read_text()))
        except (OSError, ValueError):  # no such file, or "max": no limit
            continue
    return min(found)


def kill_children() -> None:
    """Kill all running descendants of this process, such as simulators of environments."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.kill()


MEMORY_LEVELS = (0.75, 0.9)
"""Shares of memory at which the user is warned, and at which it is urgent."""


@dataclass(frozen=True)
class MemoryUse:
    """Memory use in bytes. ``whose``: "machine" or "container"; ``used``: memory of programs, without cached files."""

    whose: str
    used: int
    total: int

    @property
    def share(self) -> float:
        return self.used / self.total

    @property
    def level(self) -> float:
        """The highest reached warning level; 0 below the first."""
        return max((level for level in MEMORY_LEVELS if self.share >= level), default=0.0)

    @property
    def words(self) -> str:
        return f"{byte_text(self.used)} of the {byte_text(self.total)} of this {self.whose}'s memory are taken."

    @property
    def to_do(self) -> str:
        """Empty below the first level."""
        if self.level == MEMORY_LEVELS[-1]:
            return "Pause or stop runs now, or end other programs: once it is full, the system ends one of them."
        if self.level:
            return (
                "Do not start more runs, or use smaller buffers and fewer runs at a time (RLVIZ_MAX_CONCURRENT_RUNS)."
            )
        return ""


def memory_use(limits: tuple[Path, ...] = CGROUP_LIMITS) -> MemoryUse:
    """Return the memory use of the machine or the container, whichever is fuller."""
    machine = psutil.virtual_memory()
    found = [MemoryUse("machine", machine.total - machine.available, machine.total)]
    for path in limits:
        try:
            limit = int(path.read_text())
            if 0 < limit < machine.total:
                found.append(MemoryUse("container", _used_by_group(path.parent), limit))
        except (OSError, ValueError):
            continue
    return max(found, key=lambda use: use.share)


def _used_by_group(folder: Path) -> int:
    """Return the memory of a control group (version 1 or 2) without cached files. Raises OSError or ValueError."""
    current = folder / "memory.current"
    used = int((current if current.exists() else folder / "memory.usage_in_bytes").read_text())
    stat = dict(line.split(maxsplit=1) for line in (folder / "memory.stat").read_text().splitlines())
    return max(0, used - int(stat.get("total_inactive_file", stat.get("inactive_file", 0))))


_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1 << 18


def return_large_memory() -> None:
    """Return the memory of large arrays to the operating system as soon as they are freed.

    By default glibc raises its threshold for that with the first large array and keeps freed memory: 45 MB after one
    curve of a million rows, as measured. Without glibc this does nothing.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


_AUTOGROUP = Path("/proc/self/autogroup")
_REFUSALS, _REFUSED_SECONDS = 10, 0.1
"""Linux lets ordinary users change the niceness of one session in a tenth of a second."""


DEFAULT_NICENESS = 10
"""Niceness of workers, so that the service and the browser respond fast on busy cores."""


def lower_priority(by: int) -> None:
    """Add ``by`` to the niceness of this process, and give its session the same niceness if it leads one.

    Where Linux shares the processor among sessions first (``autogroup`` of sched(7), on by default), the niceness of
    a process counts only within its session: a worker, which has one of its own, would get as much of a busy
    processor as the whole service.
    """
    niceness = os.nice(by)
    if os.getsid(0) != os.getpid():
        return
    for _ in range(_REFUSALS):
        try:
            _AUTOGROUP.write_text(str(niceness))
        except BlockingIOError:
            time.sleep(_REFUSED_SECONDS)
        except OSError:  # not Linux, or without autogroups
            return
        else:
            return
