"""Append-only journals of JSON lines: one writer, any number of readers, in any processes.

Obligations of the writer: a line is appended whole or, if the process dies, left torn at the very
end; lines are never changed. Obligations of the readers: a torn last line is not there yet; a line
in the middle that is not JSON is handed over as broken, never dropped in silence.
"""

from __future__ import annotations

import errno
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

FLUSH_SECONDS = 0.1
"""A reader waits at most this long for a line, given a writer whose ``flush_if_due`` is called as often."""

SYNC_SECONDS = 0.5
"""After a power cut, what was appended in about this time and FLUSH_SECONDS before may be missing, and no more."""

MAX_WAITING_BYTES = 1 << 26
"""So much may wait for a disk that is full; then the writer gives up."""

READ_BYTES = 1 << 17
"""A long journal is read fastest in pieces of this size: what was parsed is still in the processor's cache."""

_CHUNK = 1 << 20


class Line(NamedTuple):
    """A whole line: where it begins and ends (bytes, newline included), and what it says.

    ``record`` is None for a broken line.
    """

    start: int
    end: int
    raw: bytes
    record: dict[str, Any] | None


class Records(NamedTuple):
    """The readable records of some lines, in order, and the lines that were broken."""

    records: list[dict[str, Any]]
    broken: list[Line]


class JournalWriter:
    """Appends numbered records (``seq`` from 1, without gaps), buffered for at most ``flush_seconds``.

    Opening a journal again goes on after its last whole line; a torn one is cut off.
    What cannot be written (OSError: disk full) stays in the buffer for the next flush, up to MAX_WAITING_BYTES.
    Safe to use from several threads. ``sync_if_due`` makes what was written survive a power cut.
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
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._seq = _cut_torn_tail(self._file, path)
        self._flushed_at = self._synced_at = monotonic()
        self._waiting = 0
        self._unsynced = False
        self._syncing = threading.Lock()

    def append(self, record: Mapping[str, Any], *, at: float | None = None, flush: bool = True) -> int:
        """Add ``record`` with its ``seq`` and ``time`` in front; return the ``seq``.

        ``at`` is when it came, seconds since the epoch, if not now. Without ``flush`` it is not written even if it is
        time to: for the first of many.

        Raises TypeError for what JSON cannot say, which uses up no ``seq``, ValueError once closed, and OSError
        when too much waits already.
        """
        with self._lock:
            if self._file < 0:
                raise ValueError("The journal is closed; nothing can be appended.")
            if self._waiting > MAX_WAITING_BYTES:
                raise OSError(errno.ENOSPC, "The disk has been full for too long; nothing more can wait for it")
            line = {"seq": self._seq + 1, "time": round(self._clock() if at is None else at, 3), **record}
            raw = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
            self._buffer.append(raw)
            self._waiting += len(raw)
            self._seq += 1
            if flush and self._monotonic() - self._flushed_at >= self._flush_seconds:
                with suppress(OSError):  # the line waits for the next flush
                    self._flush()
            return self._seq

    def flush_if_due(self) -> None:
        """Write what has waited for ``flush_seconds``. A watcher calls this while the owner is busy."""
        with self._lock:
            if self._monotonic() - self._flushed_at >= self._flush_seconds:
                self._flush()

    def flush(self) -> None:
        with self._lock:
            self._flush()

    def sync_if_due(self) -> None:
        """Wait, every SYNC_SECONDS, until the disk holds what was written. Others may append meanwhile."""
        with self._syncing:
            if self._file >= 0 and self._unsynced and self._monotonic() - self._synced_at >= SYNC_SECONDS:
                self._unsynced = False  # before: what is written meanwhile is for the next time
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
    whole = _last_newline(file, size)
    if whole < size:
        os.ftruncate(file, whole)
    broken = 0
    for line in read_backwards(path, whole):
        if line.record is not None:
            return broken + int(line.record["seq"])
        broken += 1
    return broken


def _last_newline(file: int, size: int) -> int:
    """Offset just after the last newline within the first ``size`` bytes, or 0."""
    end = size
    while end > 0:
        start = max(0, end - _CHUNK)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


class JournalTail:
    """Follows a journal from ``offset`` on. Each ``read`` returns the whole lines that are new.

    The file may not exist yet. ``offset`` is always at the start of a line.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path, self.offset = path, offset

    def read(self, limit: int | None = None) -> list[Line]:
        """New whole lines, at most about ``limit`` bytes of them (but at least one line)."""
        start = self.offset
        return list(split_lines(self._take(limit), start))

    def read_records(self, limit: int | None = None) -> Records:
        """As ``read``, for those who need the records only: half the time, a third of the memory."""
        start = self.offset
        records: list[dict[str, Any]] = []
        broken: list[Line] = []
        for offset, block in _blocks(self._take(limit), start):
            if (parsed := _parse_block(block)) is not None:
                records += parsed
                continue
            for line in _block_lines(offset, block):
                if line.record is None:
                    broken.append(line)
                else:
                    records.append(line.record)
        return Records(records, broken)

    def _take(self, limit: int | None) -> bytes:
        """The bytes of the new whole lines; moves ``offset`` behind them."""
        try:
            with self.path.open("rb") as file:
                available = os.fstat(file.fileno()).st_size - self.offset
                if available <= 0:
                    return b""
                file.seek(self.offset)
                data = file.read(available if limit is None else min(available, limit))
                if limit is not None and b"\n" not in data:
                    data += file.readline()
        except FileNotFoundError:
            return b""
        data = data[: data.rfind(b"\n") + 1]
        self.offset += len(data)
        return data


def split_lines(data: bytes, offset: int = 0) -> Iterator[Line]:
    """The whole lines of ``data``, which begins at byte ``offset`` of its journal."""
    for start, block in _blocks(data, offset):
        yield from _block_lines(start, block)


def _blocks(data: bytes, offset: int) -> Iterator[tuple[int, bytes]]:
    """The whole lines of ``data`` in blocks of about READ_BYTES, each with where it begins in the journal."""
    start, whole = 0, data.rfind(b"\n") + 1
    while start < whole:
        end = data.find(b"\n", min(start + READ_BYTES, whole) - 1) + 1
        yield offset + start, data[start:end]
        start = end


def _block_lines(offset: int, block: bytes) -> Iterator[Line]:
    raws = block[:-1].split(b"\n")
    ends = list(itertools.accumulate((len(raw) + 1 for raw in raws), initial=offset))
    return map(Line, ends, ends[1:], raws, _parse_block(block) or map(_parse, raws))


def _parse_block(block: bytes) -> list[dict[str, Any]] | None:
    """The records of all lines of ``block``, parsed at once; None if any line is broken.

    Lines that run into one another, torn within a text or a list, make fewer records than lines. Only a line
    of two records could make up for that: where there may be one, each line is parsed by itself.
    """
    if b"},{" in block:
        return None
    try:
        records: list[dict[str, Any]] = orjson.loads(b"[" + block[:-1].replace(b"\n", b",") + b"]")
        whole = len(records) == block.count(b"\n") and {type(record["seq"]) for record in records} == {int}
    except (orjson.JSONDecodeError, TypeError, LookupError):
        return None
    return records if whole else None


def _parse(raw: bytes) -> dict[str, Any] | None:
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) and type(record.get("seq")) is int else None


def read_journal(path: Path) -> list[Line]:
    """All whole lines of the journal at ``path``; none if there is no such file.

    They stay in memory together. For a journal of any length, call ``JournalTail.read_records(READ_BYTES)``
    until nothing comes.
    """
    return JournalTail(path).read()


def read_backwards(path: Path, end: int | None = None, *, chunk: int = _CHUNK) -> Iterator[Line]:
    """Whole lines from the last to the first, without reading more of the file than is asked for.

    ``end`` is the offset to begin at (the end of the file unless given), ``chunk`` the bytes read at a time.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        size = os.fstat(file.fileno()).st_size
        position = size if end is None else min(end, size)
        tail = b""
        while position > 0:
            start = max(0, position - chunk)
            file.seek(start)
            data = file.read(position - start) + tail
            first = 0 if start == 0 else data.find(b"\n") + 1
            if start > 0 and first == 0:
                tail, position = data, start
                continue
            yield from reversed(list(split_lines(data[first:], start + first)))
            tail, position = data[:first], start


def last_lines(path: Path, count: int) -> list[Line]:
    """The last ``count`` whole lines of the journal at ``path``, in order."""
    newest: list[Line] = []
    for line in read_backwards(path):
        if len(newest) == count:
            break
        newest.append(line)
    return newest[::-1]


def whole_size(path: Path) -> int:
    """Bytes of whole lines in the journal at ``path``: where its next line begins. 0 if there is no such file."""
    try:
        with path.open("rb") as file:
            return _last_newline(file.fileno(), os.fstat(file.fileno()).st_size)
    except FileNotFoundError:
        return 0


def is_line_start(path: Path, offset: int) -> bool:
    """Whether ``offset`` is where a line of the journal begins, or its end."""
    if offset == 0:
        return True
    try:
        with path.open("rb") as file:
            file.seek(offset - 1)
            return file.read(1) == b"\n"
    except (OSError, ValueError, OverflowError):
        return False


def offset_after(path: Path, since: float) -> int:
    """Where to read on for the lines whose ``time`` (Unix seconds) is later than ``since``; bisects the file.

    That is just after the last line that is not later; broken lines have no time and are handed over.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return 0
    with file:
        low, high = 0, os.fstat(file.fileno()).st_size
        while low < high:
            middle = (low + high) // 2
            found = _timed_line(file, middle, high)
            if found is None or found[0] > since:
                high = middle
            else:
                low = found[1]
        return low


def _timed_line(file: IO[bytes], start: int, stop: int) -> tuple[float, int] | None:
    """Time and end of the first whole line with a ``time`` that begins at ``start`` or later, before ``stop``."""
    file.seek(max(0, start - 1))
    if start > 0:
        file.readline()
    while file.tell() < stop and (raw := file.readline()).endswith(b"\n"):
        record = _parse(raw[:-1])
        if record is not None and isinstance(record.get("time"), int | float):
            return float(record["time"]), file.tell()
    return None
