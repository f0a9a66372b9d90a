"""JournalWriter: the only writer of a journal."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from rlviz.rundir.files import open_descriptor
from rlviz.rundir.journal.compressed import expand
from rlviz.rundir.journal.lines import MAX_LINE_BYTES
from rlviz.rundir.journal.reader import read_backwards
from rlviz.rundir.journal.seek import last_newline

FLUSH_SECONDS = 0.1
"""Seconds that a line is buffered at most, provided that ``flush_if_due`` is called as often."""

SYNC_SECONDS = 0.5
"""Seconds between syncs. After a power cut, lines of about this time plus FLUSH_SECONDS may be missing, and no more."""

MAX_WAITING_BYTES = 1 << 26
"""Maximum bytes that wait for a full disk; beyond it, ``append`` raises."""


class JournalWriter:
    """Appends numbered records (``seq`` from 1, without gaps), buffered for at most ``flush_seconds``.

    Opening a journal again goes on after its last whole line; a torn one is cut off. One that was compressed is
    expanded first.
    What cannot be written (OSError: disk full) stays in the buffer for the next flush, up to MAX_WAITING_BYTES.
    Raises FileNotFoundError without a folder to write into, RunFolderError if something else lies in the place of
    the file. Safe to use from several threads. ``sync_if_due`` makes what was written survive a power cut.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        flush_seconds: float = FLUSH_SECONDS,
    ) -> None:
        self._clock, self._monotonic, self._flush_seconds = clock, monotonic, flush_seconds
        self._lock = threading.Lock()
        self._buffer: list[bytes] = []
        expand(path)
        self._file = open_descriptor(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._seq = _cut_torn_tail(self._file, path)
        self._flushed_at = self._synced_at = monotonic()
        self._waiting = 0
        self._unsynced = False
        self._syncing = threading.Lock()

    @property
    def last_seq(self) -> int:
        """Of the line that was appended last, on disk or not; 0 for an empty journal."""
        return self._seq

    def append(self, record: Mapping[str, Any], *, at: float | None = None, flush: bool = True) -> int:
        """Add ``record`` with its ``seq`` and ``time`` in front; return the ``seq``.

        ``at`` is the time of the record in Unix seconds, now by default. Without ``flush`` it is only buffered, even if
        a flush is due, for a record that others follow.

        Raises TypeError for values that JSON cannot represent, and ValueError for a line longer than MAX_LINE_BYTES;
        neither uses up a ``seq``. Raises ValueError once closed, and OSError when too much waits for the disk.
        """
        with self._lock:
            if self._file < 0:
                raise ValueError("The journal is closed; nothing can be appended.")
            if self._waiting > MAX_WAITING_BYTES:
                raise OSError(errno.ENOSPC, "The disk has been full for too long; nothing more can wait for it")
            line = {"seq": self._seq + 1, "time": round(self._clock() if at is None else at, 3), **record}
            raw = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
            if len(raw) > MAX_LINE_BYTES:
                raise ValueError(f"A line of a journal has {MAX_LINE_BYTES:,} bytes at most, not {len(raw):,}.")
            self._buffer.append(raw)
            self._waiting += len(raw)
            self._seq += 1
            if flush and self._monotonic() - self._flushed_at >= self._flush_seconds:
                with suppress(OSError):  # the line waits for the next flush
                    self._flush()
            return self._seq

    def flush_if_due(self) -> None:
        """Write what has been buffered for ``flush_seconds``. For a watcher thread, while the owner is busy."""
        with self._lock:
            if self._monotonic() - self._flushed_at >= self._flush_seconds:
                self._flush()

    def flush(self) -> None:
        with self._lock:
            self._flush()

    def sync_if_due(self) -> None:
        """Every SYNC_SECONDS, have the disk store what was written. Others may append meanwhile."""
        with self._syncing:
            if self._file >= 0 and self._unsynced and self._monotonic() - self._synced_at >= SYNC_SECONDS:
                self._unsynced = False  # before the sync: what is written during it is for the next one
                os.fsync(self._file)
                self._synced_at = self._monotonic()

    def sync(self) -> None:
        """Have the disk store all that was appended. Raises OSError."""
        self.flush()
        with self._syncing:
            if self._file >= 0:
                self._unsynced = False
                os.fsync(self._file)
                self._synced_at = self._monotonic()

    def close(self) -> None:
        with self._syncing, self._lock:
            if self._file >= 0:
                self._flush()
                os.fsync(self._file)
                os.close(self._file)
                self._file = -1

    def _flush(self) -> None:
        self._flushed_at = self._monotonic()
        if not self._buffer:
            return
        data = memoryview(b"".join(self._buffer))
        try:
            while data:
                data = data[os.write(self._file, data) :]
                self._unsynced = True
        finally:
            self._buffer = [bytes(data)] if data else []
            self._waiting = len(data)


def _cut_torn_tail(file: int, path: Path) -> int:
    """Truncate ``file`` after its last newline; return the ``seq`` of its last line.

    Broken lines at the end have used up a ``seq`` each.
    """
    size = os.fstat(file).st_size
    with os.fdopen(file, "rb", closefd=False) as journal:
        whole = last_newline(journal, size)
    if whole < size:
        os.ftruncate(file, whole)
    broken = 0
    for line in read_backwards(path, whole):
        if line.record is not None:
            return broken + int(line.record["seq"])
        broken += 1
    return broken
