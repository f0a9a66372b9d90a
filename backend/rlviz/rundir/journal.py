"""Append-only journals of JSON lines: one writer, any number of readers, in any processes.

The writer appends whole lines and never changes one; if its process dies, it may leave a torn line at the very end.
Readers ignore a torn last line, and report any other line that is not JSON as broken; they never skip it silently. A
finished journal may be compressed (``metrics.jsonl.zst``) and is then read at any position as before.

Cursors of streams are byte offsets: a journal only grows, so an offset never changes its meaning, and resuming costs
one seek. Line numbers would need the whole file to be read, or an index that can disagree with it.

In order: compression, parsing, positions, ``JournalTail`` and other readers, ``JournalWriter``.
"""

from __future__ import annotations

import errno
import io
import itertools
import os
import struct
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import orjson

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.files import atomic_write, damage_error, open_descriptor, open_file, temporary_name

BLOCK_BYTES = 1 << 20
"""Bytes of the journal in one compressed frame: what is expanded to read any part of it, in about 1 ms."""

_LEVEL = 9
_MAGIC_SKIPPED, _MAGIC_TABLE = 0x184D2A5E, 0x8F92EAB1
_HEAD, _ENTRY, _FOOT = struct.Struct("<II"), struct.Struct("<II"), struct.Struct("<IBI")
_MOST_FRAMES = 1 << 17
_MOST_FRAME_BYTES = 2 * BLOCK_BYTES
_BUFFER_BYTES = 1 << 17

MOST_RATIO, FREE_BYTES = 1_000, 1 << 24
"""A journal of more than FREE_BYTES is at most MOST_RATIO times as long as its compressed form.

This bounds the time that a small file from elsewhere can take. A journal that compresses better stays uncompressed.
"""


def compressed_path(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}.zst")


def open_journal(path: Path, folder: Path | None = None) -> BinaryIO:
    """Open the journal at ``path`` for reading, compressed or not; ``folder`` as for ``open_file``.

    Its descriptor gives the time of change, but not the size: seek to the end for that. Raises FileNotFoundError and
    RunFolderError.
    """
    try:
        return open_file(path, folder)
    except FileNotFoundError:
        pass
    try:
        return io.BufferedReader(_Expanding(compressed_path(path), folder), _BUFFER_BYTES)
    except FileNotFoundError:
        return open_file(path, folder)  # it was expanded meanwhile, or does not exist


def journal_size(path: Path) -> int:
    """Return the uncompressed bytes of the journal at ``path``. Raises FileNotFoundError and RunFolderError."""
    with open_journal(path) as file:
        return file.seek(0, os.SEEK_END)


def is_compressed(path: Path) -> bool:
    """Whether the journal at ``path`` exists in compressed form only."""
    return not os.path.lexists(path) and os.path.lexists(compressed_path(path))


@dataclass(frozen=True)
class Prepared:
    """A compressed copy of a journal beside it, under a temporary name.

    ``size`` is the size of the copy, ``journal_size`` that of the journal, both in bytes.
    """

    journal: Path
    temporary: Path
    size: int
    journal_size: int

    def put_in_place(self) -> bool:
        """Replace the journal; return False if it grew or disappeared meanwhile. Raises OSError and RunFolderError."""
        with suppress(FileNotFoundError):
            with open_file(self.journal) as file:
                unchanged = os.fstat(file.fileno()).st_size == self.journal_size
            if unchanged:
                status = self.journal.stat()
                os.utime(self.temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
                self.temporary.replace(compressed_path(self.journal))
                _sync_folder(self.journal.parent)
                self.journal.unlink()
                return True
        self.discard()
        return False

    def discard(self) -> None:
        self.temporary.unlink(missing_ok=True)


def compress_journal(journal: Path, block_bytes: int = BLOCK_BYTES) -> Prepared | None:
    """Compress the journal at ``journal``; return the copy, written to disk and verified.

    Returns None if the copy would not be smaller, or so much smaller that readers would reject it (MOST_RATIO).

    Raises FileNotFoundError, RunFolderError, and OSError for a full or faulty disk; no copy is left then.
    """
    compressor = _zstandard().ZstdCompressor(level=_LEVEL, write_checksum=True)
    target = compressed_path(journal)
    temporary = temporary_name(target)
    with open_file(journal) as source:
        size = os.fstat(source.fileno()).st_size
        digest, table, left = blake2b(), bytearray(), size
        try:
            with os.fdopen(open_descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
                while left > 0 and (block := source.read(min(block_bytes, left))):
                    left -= len(block)
                    digest.update(block)
                    frame = compressor.compress(block)
                    file.write(frame)
                    table += _ENTRY.pack(len(frame), len(block))
                count = len(table) // _ENTRY.size
                file.write(_HEAD.pack(_MAGIC_SKIPPED, len(table) + _FOOT.size))
                file.write(table)
                file.write(_FOOT.pack(count, 0, _MAGIC_TABLE))
                file.flush()
                os.fsync(file.fileno())
                taken = file.tell()
            if taken >= size or _is_too_dense(size, taken):
                temporary.unlink()
                return None
            _verify(temporary, digest.digest(), journal)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    return Prepared(journal, temporary, taken, size)


def _is_too_dense(size: int, compressed_size: int) -> bool:
    return size > FREE_BYTES and size > MOST_RATIO * compressed_size


def expand_journal(path: Path, *, skip_damaged: bool = False) -> None:
    """Expand the journal at ``path`` if it is compressed. Raises OSError and RunFolderError.

    With ``skip_damaged``, parts that cannot be expanded are left out, for a repair.
    """
    compressed = compressed_path(path)
    if is_compressed(path):
        source = _Expanding(compressed)
        with source, atomic_write(path) as file:
            for number in range(source.count):
                try:
                    file.write(source.block(number))
                except RunFolderError:
                    if not skip_damaged:
                        raise
    if os.path.lexists(path):
        compressed.unlink(missing_ok=True)


class _Expanding(io.RawIOBase):
    """A compressed journal that reads like the original file. Caches the last block."""

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        """Raises FileNotFoundError and RunFolderError."""
        super().__init__()
        self._path, self._folder, self._position = path, folder or path.parent, 0
        self._expander = _zstandard().ZstdDecompressor()
        self._file = open_file(path, folder)
        try:
            frames, blocks = self._read_table()
        except BaseException:
            self._file.close()
            raise
        self._frames = list(accumulate(frames, initial=0))
        self._blocks = list(accumulate(blocks, initial=0))
        self._held = (-1, b"")

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self._blocks) - 1

    def block(self, number: int) -> bytes:
        """Return a block, uncompressed. Raises RunFolderError if it is damaged."""
        if self._held[0] != number:
            self._file.seek(self._frames[number])
            frame = self._file.read(self._frames[number + 1] - self._frames[number])
            size = self._blocks[number + 1] - self._blocks[number]
            try:
                if _zstandard().frame_content_size(frame) > size:  # zstandard would expand it anyway
                    raise self._damaged(f"Part {number + 1} of {self.count} is longer than its table says.")
                content = self._expander.decompress(frame, max_output_size=size)
            except _zstandard().ZstdError as error:
                raise self._damaged(f"Part {number + 1} of {self.count} cannot be expanded.") from error
            if len(content) != size:
                raise self._damaged(f"Part {number + 1} of {self.count} is shorter than its table says.")
            self._held = number, content
        return self._held[1]

    def fileno(self) -> int:
        return self._file.fileno()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._blocks[-1]}[whence]
        self._position = max(0, begin + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        if self._position >= self._blocks[-1]:
            return 0
        number = bisect_right(self._blocks, self._position) - 1
        within = self._position - self._blocks[number]
        part = self.block(number)[within : within + len(buffer)]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def _read_table(self) -> tuple[list[int], list[int]]:
        """Return the sizes of the compressed frames, and of their contents."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, size - _FOOT.size))
        foot = self._file.read(_FOOT.size)
        if len(foot) < _FOOT.size:
            raise self._damaged("It is empty.")
        count, flags, magic = _FOOT.unpack(foot)
        begin = size - _FOOT.size - count * _ENTRY.size
        if magic != _MAGIC_TABLE or flags != 0 or count > _MOST_FRAMES or begin < _HEAD.size:
            raise self._damaged("It is truncated or not a compressed journal.")
        self._file.seek(begin)
        entries = list(_ENTRY.iter_unpack(self._file.read(count * _ENTRY.size)))
        frames, blocks = [frame for frame, _ in entries], [block for _, block in entries]
        if (
            sum(frames) + _HEAD.size != begin
            or max(blocks, default=0) > BLOCK_BYTES
            or max(frames, default=0) > _MOST_FRAME_BYTES
        ):
            raise self._damaged("Its table of contents is damaged.")
        if _is_too_dense(sum(blocks), size):
            raise self._damaged(f"It would expand to {sum(blocks):,} bytes, more than {MOST_RATIO:,} times its size.")
        return frames, blocks

    def _damaged(self, problem: str) -> RunFolderError:
        return damage_error(self._path, self._folder, problem)


def _verify(compressed: Path, digest: bytes, journal: Path) -> None:
    """Raise OSError if the content of ``compressed`` does not have that digest."""
    found = blake2b()
    with _Expanding(compressed) as source:
        for number in range(source.count):
            found.update(source.block(number))
    if found.digest() != digest:
        raise OSError(
            f"The compressed copy of {journal.name} differs from what was written. Check the disk for errors."
        )


def _sync_folder(path: Path) -> None:
    """Sync a folder, where supported, so that a new name is on disk before the old file is deleted."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _zstandard() -> Any:
    """Import zstandard on first use."""
    import zstandard

    return zstandard


READ_BYTES = 1 << 17
"""Bytes per block. Long journals are read fastest in blocks of this size, which fit into the processor's cache."""

MAX_LINE_BYTES = 1 << 20
"""Maximum bytes of a line, including the newline. A longer line counts as broken and is never held in memory as a
whole."""

MAX_SEQ = (1 << 53) - 1
"""The largest integer that every JSON parser, including browsers', represents exactly."""


class Line(NamedTuple):
    """A whole line: where it starts and ends (bytes, including the newline), and its content.

    ``record`` is None for a broken line. If the line is too long, ``raw`` is only its beginning.
    """

    start: int
    end: int
    raw: bytes
    record: dict[str, Any] | None


class Records(NamedTuple):
    """The readable records of some lines, in order, and the broken lines."""

    records: list[dict[str, Any]]
    broken: list[Line]


def split_lines(data: bytes, offset: int = 0) -> Iterator[Line]:
    """Yield the whole lines of ``data``, which starts at byte ``offset`` of its journal."""
    for start, block in split_blocks(data, offset):
        yield from block_lines(start, block)


def split_blocks(data: bytes, offset: int) -> Iterator[tuple[int, bytes]]:
    """Yield the whole lines of ``data`` in blocks of about READ_BYTES, each with its start in the journal."""
    start, whole = 0, data.rfind(b"\n") + 1
    while start < whole:
        end = data.find(b"\n", min(start + READ_BYTES, whole) - 1) + 1
        yield offset + start, data[start:end]
        start = end


def block_lines(offset: int, block: bytes) -> Iterator[Line]:
    raws = block[:-1].split(b"\n")
    ends = list(itertools.accumulate((len(raw) + 1 for raw in raws), initial=offset))
    return map(Line, ends, ends[1:], raws, parse_block(block) or map(parse_line, raws))


def parse_block(block: bytes) -> list[dict[str, Any]] | None:
    """Parse all lines of ``block`` at once; return None if a line is broken.

    Torn lines that run into one another yield fewer records than lines. Only a line with two records could hide
    that, so blocks that may contain one are parsed line by line instead.
    """
    if b"},{" in block or len(block) > MAX_LINE_BYTES:
        return None
    try:
        records: list[dict[str, Any]] = orjson.loads(b"[" + block[:-1].replace(b"\n", b",") + b"]")
        seqs = [record["seq"] for record in records]
        numbered = set(map(type, seqs)) == {int} and min(seqs) > 0 and max(seqs) <= MAX_SEQ
    except (orjson.JSONDecodeError, TypeError, LookupError):
        return None
    return records if numbered and len(records) == block.count(b"\n") else None


def parse_line(raw: bytes) -> dict[str, Any] | None:
    """Return the record in a line without its newline; None if it is broken."""
    if len(raw) >= MAX_LINE_BYTES:
        return None
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    numbered = isinstance(record, dict) and type(record.get("seq")) is int and 0 < record["seq"] <= MAX_SEQ
    return record if numbered else None


CHUNK_BYTES = 1 << 20
"""Bytes read at a time when searching for the end of a line."""


def whole_size(path: Path) -> int:
    """Return the bytes of whole lines in the journal at ``path``, where its next line starts; 0 if the file is missing.

    Raises RunFolderError.
    """
    try:
        with open_journal(path) as file:
            return last_newline(file, file.seek(0, os.SEEK_END))
    except FileNotFoundError:
        return 0


def last_newline(file: BinaryIO, size: int) -> int:
    """Return the offset just after the last newline within the first ``size`` bytes, or 0."""
    end = size
    while end > 0:
        start = max(0, end - CHUNK_BYTES)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def next_newline(file: BinaryIO, start: int, size: int) -> int:
    """Return the offset just after the first newline from ``start`` on, within the first ``size`` bytes, or 0."""
    file.seek(start)
    while start < size:
        data = file.read(min(CHUNK_BYTES, size - start))
        found = data.find(b"\n")
        if found >= 0:
            return start + found + 1
        if not data:
            return 0
        start += len(data)
    return 0


def line_number(path: Path, offset: int) -> int:
    """Return the number, from 1, of the line that starts at byte ``offset``. Raises FileNotFoundError or
    RunFolderError."""
    number = 1
    with open_journal(path) as file:
        while offset > 0 and (data := file.read(min(CHUNK_BYTES, offset))):
            number += data.count(b"\n")
            offset -= len(data)
    return number


def is_line_start(path: Path, offset: int) -> bool:
    """Whether a line of the journal starts at ``offset``, or the journal ends there."""
    if offset == 0:
        return True
    try:
        with open_journal(path) as file:
            file.seek(offset - 1)
            return file.read(1) == b"\n"
    except (OSError, ValueError, OverflowError, RunFolderError):
        return False


def offset_after(path: Path, since: float, field: Literal["time", "seq"] = "time") -> int:
    """Return the offset of the first line whose ``time`` (Unix seconds) or ``seq`` is greater than ``since``, by
    bisection.

    Broken lines have neither, so those after the last smaller line are included. Raises RunFolderError.
    """
    try:
        file = open_journal(path)
    except FileNotFoundError:
        return 0
    with file:
        low, high = 0, file.seek(0, os.SEEK_END)
        while low < high:
            middle = (low + high) // 2
            found = _numbered_line(file, middle, high, field)
            if found is None or found[0] > since:
                high = middle
            else:
                low = found[1]
        return low


def _numbered_line(file: BinaryIO, start: int, stop: int, field: str) -> tuple[float, int] | None:
    """Return value and end of the first whole line with a number in ``field`` that starts between ``start`` and
    ``stop``."""
    if start > 0:
        start = next_newline(file, start - 1, stop) or stop
    file.seek(start)
    while start < stop and (raw := file.readline(MAX_LINE_BYTES)):
        if not raw.endswith(b"\n"):  # too long for a record, or torn
            start = next_newline(file, start + len(raw), stop) or stop
            file.seek(start)
            continue
        start += len(raw)
        record = parse_line(raw[:-1])
        if record is not None and isinstance(record.get(field), int | float):
            return float(record[field]), start
    return None


_KEPT_BYTES = 200


class Piece(NamedTuple):
    """The whole lines from byte ``start`` on, or the one line there that is too long to be read."""

    start: int
    data: bytes
    long: Line | None = None

    def lines(self) -> list[Line]:
        return [self.long] if self.long else list(split_lines(self.data, self.start))

    def records(self) -> Records:
        found = Records([], [self.long] if self.long else [])
        for offset, block in split_blocks(self.data, self.start):
            if (parsed := parse_block(block)) is not None:
                found.records.extend(parsed)
                continue
            for line in block_lines(offset, block):
                if line.record is None:
                    found.broken.append(line)
                else:
                    found.records.append(line.record)
        return found


class JournalTail:
    """Follows a journal from ``offset`` on. Each ``read`` returns the new whole lines.

    The file may not exist yet. ``offset`` is always at the start of a line. Memory is bounded by ``limit`` and
    MAX_LINE_BYTES, whatever the file holds. Raises RunFolderError if it is not a regular file.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path, self.offset = path, offset
        self._searched = offset
        """The line at ``offset`` cannot end before this byte."""

    def read(self, limit: int | None = None) -> list[Line]:
        """Return new whole lines, at most about ``limit`` bytes (but at least one line)."""
        found: list[Line] = []
        for piece in self._pieces(limit or CHUNK_BYTES, only_one=limit is not None):
            found += piece.lines()
        return found

    def read_records(self, limit: int | None = None) -> Records:
        """Like ``read``, but returns only records, in half the time and a third of the memory."""
        found = Records([], [])
        for piece in self._pieces(limit or CHUNK_BYTES, only_one=limit is not None):
            records, broken = piece.records()
            found.records.extend(records)
            found.broken.extend(broken)
        return found

    def read_bytes(self, limit: int) -> bytes:
        """Like ``read``, but returns unparsed bytes; empty if the next line is too long to read."""
        return b"".join(piece.data for piece in self._pieces(limit, only_one=True))

    def batches(self, *, end: int | None = None, limit: int = READ_BYTES) -> Iterator[list[Line]]:
        """Yield all new whole lines, about ``limit`` bytes at a time, up to byte ``end`` (default: the end of the
        file).

        The file is opened once, and each part of a compressed one is expanded once: use this to read a journal of
        any length.
        """
        return map(Piece.lines, self._pieces(limit, end=end))

    def record_batches(self, *, limit: int = READ_BYTES) -> Iterator[Records]:
        """As ``batches``, but only records."""
        return map(Piece.records, self._pieces(limit))

    def byte_batches(self, *, limit: int = READ_BYTES) -> Iterator[bytes]:
        """Like ``batches``, but yields unparsed bytes; empty for a line that is too long to read."""
        return (piece.data for piece in self._pieces(limit))

    def pieces(self, *, limit: int = READ_BYTES) -> Iterator[Piece]:
        """As ``batches``, but unparsed, each with where it begins."""
        return self._pieces(limit)

    def _pieces(self, limit: int, *, only_one: bool = False, end: int | None = None) -> Iterator[Piece]:
        """New bytes up to ``end``, in pieces of about ``limit`` bytes."""
        try:
            file = open_journal(self.path)
        except FileNotFoundError:
            return
        with file:
            size = file.seek(0, os.SEEK_END)
            while end is None or self.offset < end:
                piece = self._take(file, size, limit if end is None else min(limit, end - self.offset))
                if piece is None:
                    return
                yield piece
                if only_one:
                    return

    def _take(self, file: BinaryIO, size: int, limit: int) -> Piece | None:
        """The new whole lines, at least one, and moves ``offset`` behind them. None if there is none."""
        start = self.offset
        if self._searched >= size:
            return None
        file.seek(start)
        data = file.read(min(limit, size - start))
        if (end := data.rfind(b"\n") + 1) == 0:
            end = next_newline(file, max(self._searched, start + len(data)), size) - start
            if end <= 0:
                self._searched = size
                return None
            if end > MAX_LINE_BYTES:
                self.offset = self._searched = start + end
                return Piece(start, b"", _overlong(file, start, start + end))
            file.seek(start)
            data = file.read(end)
        self.offset = self._searched = start + end
        return Piece(start, data[:end])


def journal_lines(path: Path) -> Iterator[Line]:
    """Yield the whole lines of the journal at ``path`` in little memory. Raises RunFolderError."""
    return chain.from_iterable(JournalTail(path).batches())


def read_journal(path: Path) -> list[Line]:
    """Return all whole lines of the journal at ``path``; empty if the file is missing. Raises RunFolderError.

    All lines are in memory together. For a journal of any length, use ``journal_lines``.
    """
    return JournalTail(path).read()


def read_backwards(path: Path, end: int | None = None, *, chunk: int = CHUNK_BYTES) -> Iterator[Line]:
    """Yield whole lines from the last to the first; reads no more of the file than is consumed.

    ``end`` is the offset to start at (default: the end of the file), ``chunk`` the bytes read at a time. Raises
    RunFolderError.
    """
    try:
        file = open_journal(path)
    except FileNotFoundError:
        return
    with file:
        size = file.seek(0, os.SEEK_END)
        position = last_newline(file, size if end is None else min(end, size))
        while position > 0:
            start = max(0, position - chunk)
            file.seek(start)
            data = file.read(position - start)
            first = 0 if start == 0 else data.find(b"\n") + 1
            if first == len(data):  # the last line is longer than a chunk
                start, first = last_newline(file, position - 1), 0
                if position - start > MAX_LINE_BYTES:
                    yield _overlong(file, start, position)
                    position = start
                    continue
                file.seek(start)
                data = file.read(position - start)
            yield from reversed(list(split_lines(data[first:], start + first)))
            position = start + first


def _overlong(file: BinaryIO, start: int, end: int) -> Line:
    """Return the line between two bytes of ``file``, which is longer than MAX_LINE_BYTES, with only its beginning."""
    file.seek(start)
    return Line(start, end, file.read(_KEPT_BYTES), None)


def last_lines(path: Path, count: int) -> list[Line]:
    """Return the last ``count`` whole lines of the journal at ``path``, in order. Raises RunFolderError."""
    newest: list[Line] = []
    for line in read_backwards(path):
        if len(newest) == count:
            break
        newest.append(line)
    return newest[::-1]


FLUSH_SECONDS = 0.1
"""Maximum seconds that a line is buffered, if ``flush_if_due`` is called often enough."""

SYNC_SECONDS = 0.5
"""Seconds between syncs. A power cut loses at most the lines of this time plus FLUSH_SECONDS."""

MAX_WAITING_BYTES = 1 << 26
"""Maximum bytes that wait for a full disk; beyond it, ``append`` raises."""


class JournalWriter:
    """Appends numbered records (``seq`` from 1, without gaps), buffered for at most ``flush_seconds``.

    Reopening a journal continues after its last whole line: a torn line is cut off, and a compressed journal is
    expanded first. What cannot be written (OSError: disk full) stays in the buffer for the next flush, up to
    MAX_WAITING_BYTES. Safe to use from several threads. ``sync_if_due`` makes written lines survive a power cut.

    Raises FileNotFoundError without a folder to write into, and RunFolderError if something else is in place of the
    file.
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
        expand_journal(path)
        self._file = open_descriptor(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._seq = _cut_torn_tail(self._file, path)
        self._flushed_at = self._synced_at = monotonic()
        self._waiting = 0
        self._unsynced = False
        self._syncing = threading.Lock()

    @property
    def last_seq(self) -> int:
        """``seq`` of the newest appended line, on disk or not; 0 for an empty journal."""
        return self._seq

    def append(self, record: Mapping[str, Any], *, at: float | None = None, flush: bool = True) -> int:
        """Add ``record`` with ``seq`` and ``time`` in front; return the ``seq``.

        Args:
            record: The record, as a JSON object.
            at: Time of the record in Unix seconds; None: now.
            flush: Whether to flush if due. Without it, the record is only buffered, because others follow.

        Raises:
            TypeError: JSON cannot represent a value. No ``seq`` is used up.
            ValueError: The line is longer than MAX_LINE_BYTES (no ``seq`` is used up), or the journal is closed.
            OSError: Too much data waits for the disk.
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
        """Every SYNC_SECONDS, sync written lines to disk. Others may append meanwhile."""
        with self._syncing:
            if self._file >= 0 and self._unsynced and self._monotonic() - self._synced_at >= SYNC_SECONDS:
                self._unsynced = False  # before the sync: lines written during it wait for the next one
                os.fsync(self._file)
                self._synced_at = self._monotonic()

    def sync(self) -> None:
        """Sync all appended lines to disk. Raises OSError."""
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

    Each broken line at the end has used up one ``seq``.
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
