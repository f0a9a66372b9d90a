"""Append-only journals of JSON lines: one writer, any number of readers, in any processes.

Obligations of the writer: a line is appended whole or, if the process dies, left torn at the very
end; lines are never changed. Obligations of the readers: a torn last line is not there yet; a line
in the middle that is not JSON is handed over as broken, never dropped in silence.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

FLUSH_SECONDS = 0.1
"""A reader waits at most this long for a line, given a writer whose ``flush_if_due`` is called as often."""

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Line:
    """A whole line: where it begins and ends (bytes, newline included), and what it says.

    ``record`` is None for a broken line.
    """

    start: int
    end: int
    raw: bytes
    record: dict[str, Any] | None


class JournalWriter:
    """Appends numbered records (``seq`` from 1, without gaps), buffered for at most ``flush_seconds``.

    Opening a journal again goes on after its last whole line; a torn one is cut off.
    Safe to use from several threads.
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
        self._flushed_at = monotonic()

    def append(self, record: Mapping[str, Any]) -> int:
        """Add ``record`` with its ``seq`` and ``time`` in front; return the ``seq``."""
        with self._lock:
            self._seq += 1
            line = {"seq": self._seq, "time": round(self._clock(), 3), **record}
            self._buffer.append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            if self._monotonic() - self._flushed_at >= self._flush_seconds:
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

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                self._flush()
                os.close(self._file)
                self._file = -1

    def _flush(self) -> None:
        self._flushed_at = self._monotonic()
        if not self._buffer:
            return
        data = memoryview(b"".join(self._buffer))
        self._buffer.clear()
        while data:
            data = data[os.write(self._file, data) :]


def _cut_torn_tail(file: int, path: Path) -> int:
    """Truncate ``file`` after its last newline; return the ``seq`` of its last readable record."""
    size = os.fstat(file).st_size
    whole = _last_newline(file, size)
    if whole < size:
        os.ftruncate(file, whole)
    last = 0
    for line in read_backwards(path, whole):
        if line.record is not None:
            last = int(line.record["seq"])
            break
        last += 1
    return last


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
        try:
            with self.path.open("rb") as file:
                available = os.fstat(file.fileno()).st_size - self.offset
                if available <= 0:
                    return []
                file.seek(self.offset)
                data = file.read(available if limit is None else min(available, limit))
                if limit is not None and b"\n" not in data:
                    data += file.readline()
        except FileNotFoundError:
            return []
        lines = list(split_lines(data, self.offset))
        if lines:
            self.offset = lines[-1].end
        return lines


def split_lines(data: bytes, offset: int = 0) -> Iterator[Line]:
    """The whole lines of ``data``, which begins at byte ``offset`` of its journal."""
    start = 0
    while (newline := data.find(b"\n", start)) >= 0:
        raw = data[start:newline]
        yield Line(offset + start, offset + newline + 1, raw, _parse(raw))
        start = newline + 1


def _parse(raw: bytes) -> dict[str, Any] | None:
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) and "seq" in record else None


def read_journal(path: Path) -> list[Line]:
    """All whole lines of the journal at ``path``; none if there is no such file."""
    return JournalTail(path).read()


def read_backwards(path: Path, end: int | None = None) -> Iterator[Line]:
    """Whole lines from the last to the first, without reading more of the file than is asked for."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        size = os.fstat(file.fileno()).st_size
        position = size if end is None else min(end, size)
        tail = b""
        while position > 0:
            start = max(0, position - _CHUNK)
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
    """Offset of the first line whose ``time`` (Unix seconds) is later than ``since``; bisects the file."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return 0
    with file:
        low, high = 0, os.fstat(file.fileno()).st_size
        while low < high:
            middle = (low + high) // 2
            file.seek(middle)
            if middle > 0:
                file.seek(middle - 1)
                file.readline()
            start, raw = file.tell(), file.readline()
            if start >= high or not raw.endswith(b"\n"):
                high = middle
                continue
            record = _parse(raw[:-1])
            if record is None or float(record["time"]) <= since:
                low = start + len(raw)
            else:
                high = middle
        return low
