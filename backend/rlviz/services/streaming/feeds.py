"""Metric rows on their way to streams: one tail a run, however many clients."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, Line, whole_size

RECENT_BYTES = 1 << 20


class MetricsFeed:
    """The journal of one run. ``poll`` (one thread) reads what is new; ``read`` (any thread) hands it out.

    Recent lines are kept in memory; older ones are read from the file again for the client that asks. A journal
    that is damaged as a whole has no lines.
    """

    def __init__(self, path: Path, recent_bytes: int = RECENT_BYTES) -> None:
        self._path, self._recent_bytes = path, recent_bytes
        self._tail = JournalTail(path, _size_of(path))
        self._recent: list[Line] = []
        self._lock = Lock()
        self.end = self._tail.offset
        """Offset, bytes, after the last whole line that was read."""

    def poll(self) -> list[Line]:
        """Read the lines that are new. Raises RunFolderError while the journal is no file that can be read."""
        lines = self._tail.read()
        if lines:
            with self._lock:
                self._recent = self._newest([*self._recent, *lines])
                self.end = self._tail.offset
        return lines

    def read(self, offset: int, limit: int) -> list[Line]:
        """Lines from ``offset`` on, at most about ``limit`` bytes (but one at least), none beyond ``end``."""
        with self._lock:
            recent, end = self._recent, self.end
        if offset >= end:
            return []
        if recent and offset >= recent[0].start:
            first = bisect_left(recent, offset, key=lambda line: line.start)
            enough = bisect_left(recent, offset + limit, key=lambda line: line.end)
            return recent[first : max(enough, first + 1)]
        try:
            return [line for line in JournalTail(self._path, offset).read(limit) if line.end <= end]
        except RunFolderError:
            return []

    def in_memory(self, offset: int) -> bool:
        """Whether ``read(offset, …)`` can answer without touching the disk."""
        with self._lock:
            return offset >= self.end or (bool(self._recent) and offset >= self._recent[0].start)

    def _newest(self, lines: list[Line]) -> list[Line]:
        first = bisect_left(lines, lines[-1].end - self._recent_bytes, key=lambda line: line.start)
        return lines[first:]


def _size_of(path: Path) -> int:
    try:
        return whole_size(path)
    except RunFolderError:
        return 0


class Feeds:
    """The feeds that somebody uses; a feed is forgotten with its last user."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._feeds: WeakValueDictionary[str, MetricsFeed] = WeakValueDictionary()
        self._lock = Lock()

    def of(self, run_id: str) -> MetricsFeed:
        """The feed of a run, shared with whoever else follows it."""
        with self._lock:
            feed = self._feeds.get(run_id)
            if feed is None:
                feed = MetricsFeed(RunFolder(self._runs_dir, run_id).metrics_path)
                self._feeds[run_id] = feed
            return feed
