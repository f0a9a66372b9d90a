"""Append-only journals of JSON lines: one writer, any number of readers, in any processes.

Obligations of the writer: it appends whole lines (or, if the process dies, leaves a torn one at the very end) and never
changes a line. Obligations of readers: a torn last line does not exist yet; a line in the middle that is not JSON is
reported as broken, never skipped silently.

Compressed journals: ``metrics.jsonl.zst`` in the place of ``metrics.jsonl``, read at any position as if it
were not.

Lines: splits and parses the bytes of a journal.

Positions in a journal: the end of its last line, whether a line begins at an offset, and the first line after
a time or a number.

Reading a journal: continuously, as a whole, or from its end.

JournalWriter: the only writer of a journal.
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
from rlviz.rundir.files import atomic_write, damaged, open_descriptor, open_file, temporary_name

BLOCK_BYTES = 1 << 20
"""Bytes of the journal in a frame: what is expanded to read any one of them, some 1 ms."""

_LEVEL = 9
_MAGIC_SKIPPED, _MAGIC_TABLE = 0x184D2A5E, 0x8F92EAB1
_HEAD, _ENTRY, _FOOT = struct.Struct("<II"), struct.Struct("<II"), struct.Struct("<IBI")
_MOST_FRAMES = 1 << 17
_MOST_FRAME_BYTES = 2 * BLOCK_BYTES
_BUFFER_BYTES = 1 << 17

MOST_RATIO, FREE_BYTES = 1_000, 1 << 24
"""A journal of more than FREE_BYTES is at most MOST_RATIO times as long as its compressed form.

That bounds the time that a small file from elsewhere can take. A journal that compresses better stays as it is.
"""


def compressed_path(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}.zst")


def open_journal(path: Path, folder: Path | None = None) -> BinaryIO:
    """The journal at ``path``, open for reading, compressed or not; ``folder`` as for ``open_file``.

    Its descriptor tells the time of change, not the size: seek to the end for that. Raises FileNotFoundError and
    RunFolderError.
    """
    try:
        return open_file(path, folder)
    except FileNotFoundError:
        pass
    try:
        return io.BufferedReader(_Expanding(compressed_path(path), folder), _BUFFER_BYTES)
    except FileNotFoundError:
        return open_file(path, folder)  # expanded just now, or in neither form


def journal_size(path: Path) -> int:
    """Bytes of the journal at ``path``, uncompressed. Raises FileNotFoundError and RunFolderError."""
    with open_journal(path) as file:
        return file.seek(0, os.SEEK_END)


def is_compressed(path: Path) -> bool:
    """Whether the journal at ``path`` is there in compressed form alone."""
    return not os.path.lexists(path) and os.path.lexists(compressed_path(path))


@dataclass(frozen=True)
class Prepared:
    """A compressed copy of a journal that lies beside it under a temporary name: ``size`` bytes of the journal's
    ``journal_size``."""

    journal: Path
    temporary: Path
    size: int
    journal_size: int

    def put_in_place(self) -> bool:
        """Have it replace the journal; False if that has grown or gone meanwhile. Raises OSError, RunFolderError."""
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


def prepare(journal: Path, block_bytes: int = BLOCK_BYTES) -> Prepared | None:
    """A compressed copy of the journal at ``journal``, on the disk and read back.

    None if it would not be smaller, or so much smaller that it would not be read (MOST_RATIO).

    Raises FileNotFoundError, RunFolderError, and OSError, with no copy left: a full disk, say, or one that gives back
    something else than what was written.
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


def expand(path: Path, *, skip_damaged: bool = False) -> None:
    """Bring the journal at ``path`` back into its uncompressed form, if it is not. Raises OSError and RunFolderError.

    ``skip_damaged``: leave out the parts that cannot be expanded, for a repair.
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
    """A compressed journal as the file that it was. Holds the one block that was read last."""

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
        """Of blocks."""
        return len(self._blocks) - 1

    def block(self, number: int) -> bytes:
        """Raises RunFolderError if it is damaged."""
        if self._held[0] != number:
            self._file.seek(self._frames[number])
            frame = self._file.read(self._frames[number + 1] - self._frames[number])
            size = self._blocks[number + 1] - self._blocks[number]
            try:
                if _zstandard().frame_content_size(frame) > size:  # it would be expanded all the same
                    raise self._damaged(f"Its part {number + 1} of {self.count} is longer than its table says.")
                content = self._expander.decompress(frame, max_output_size=size)
            except _zstandard().ZstdError as error:
                raise self._damaged(f"Its part {number + 1} of {self.count} cannot be expanded.") from error
            if len(content) != size:
                raise self._damaged(f"Its part {number + 1} of {self.count} is not as long as it was.")
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
        """Sizes of the frames, and of what each holds."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, size - _FOOT.size))
        foot = self._file.read(_FOOT.size)
        if len(foot) < _FOOT.size:
            raise self._damaged("It is empty.")
        count, flags, magic = _FOOT.unpack(foot)
        begin = size - _FOOT.size - count * _ENTRY.size
        if magic != _MAGIC_TABLE or flags != 0 or count > _MOST_FRAMES or begin < _HEAD.size:
            raise self._damaged("It is cut, or no compressed journal.")
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
        return damaged(self._path, self._folder, problem)


def _verify(compressed: Path, digest: bytes, journal: Path) -> None:
    """Raises OSError if ``compressed`` does not hold what has that digest."""
    found = blake2b()
    with _Expanding(compressed) as source:
        for number in range(source.count):
            found.update(source.block(number))
    if found.digest() != digest:
        raise OSError(f"The compressed copy of {journal.name} is not what was written. Is the disk sound?")


def _sync_folder(path: Path) -> None:
    """So that the new name is on the disk before the old file goes; where folders can be synced."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _zstandard() -> Any:
    """Imported when the first compressed journal is met."""
    import zstandard

    return zstandard


READ_BYTES = 1 << 17
"""Bytes per block. Long journals are read fastest in blocks of this size, which stay in the processor's cache."""

MAX_LINE_BYTES = 1 << 20
"""Maximum bytes of a line, newline included. A longer one is broken, and is never held in memory as a whole."""

MAX_SEQ = (1 << 53) - 1
"""The largest integer that every JSON parser, including browsers', represents exactly."""


class Line(NamedTuple):
    """A whole line: its beginning and end (bytes, newline included), and its content.

    ``record`` is None for a broken line; of one that is too long, ``raw`` is only the beginning.
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
    """The whole lines of ``data``, which begins at byte ``offset`` of its journal."""
    for start, block in blocks(data, offset):
        yield from block_lines(start, block)


def blocks(data: bytes, offset: int) -> Iterator[tuple[int, bytes]]:
    """The whole lines of ``data`` in blocks of about READ_BYTES, each with where it begins in the journal."""
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
    """The records of all lines of ``block``, parsed at once; None if a line is broken.

    Lines that were torn within a string or a list and run into one another make fewer records than lines. Only a line
    with two records could make up for that, so lines are parsed one by one where there may be one.
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
    """The record in a line, without its newline; None if it is broken."""
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
    """Bytes of whole lines in the journal at ``path``, which is where its next line begins; 0 if there is no such file.

    Raises RunFolderError.
    """
    try:
        with open_journal(path) as file:
            return last_newline(file, file.seek(0, os.SEEK_END))
    except FileNotFoundError:
        return 0


def last_newline(file: BinaryIO, size: int) -> int:
    """Offset just after the last newline within the first ``size`` bytes, or 0."""
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
    """Offset just after the first newline from ``start`` on, within the first ``size`` bytes, or 0."""
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
    """The number, from 1, of the line that begins at byte ``offset``. Raises FileNotFoundError or RunFolderError."""
    number = 1
    with open_journal(path) as file:
        while offset > 0 and (data := file.read(min(CHUNK_BYTES, offset))):
            number += data.count(b"\n")
            offset -= len(data)
    return number


def is_line_start(path: Path, offset: int) -> bool:
    """Whether ``offset`` is where a line of the journal begins, or its end."""
    if offset == 0:
        return True
    try:
        with open_journal(path) as file:
            file.seek(offset - 1)
            return file.read(1) == b"\n"
    except (OSError, ValueError, OverflowError, RunFolderError):
        return False


def offset_after(path: Path, since: float, field: Literal["time", "seq"] = "time") -> int:
    """Where to read on for the lines whose ``time`` (Unix seconds) or ``seq`` is greater than ``since``;
    bisects the file.

    That is just after the last line that is not; broken lines have neither and are handed over.
    Raises RunFolderError.
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
    """Value and end of the first whole line with a number in ``field`` that begins between ``start`` and ``stop``."""
    if start > 0:
        start = next_newline(file, start - 1, stop) or stop
    file.seek(start)
    while start < stop and (raw := file.readline(MAX_LINE_BYTES)):
        if not raw.endswith(b"\n"):  # too long to be a record, or torn
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
        for offset, block in blocks(self.data, self.start):
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
    """Follows a journal from ``offset`` on. Each ``read`` returns the whole lines that are new.

    The file may not exist yet. ``offset`` is always at the start of a line. Memory is bounded by ``limit`` and
    MAX_LINE_BYTES, whatever the file holds. Raises RunFolderError if it is no regular file.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path, self.offset = path, offset
        self._searched = offset
        """The line that begins at ``offset`` is known not to end before this byte."""

    def read(self, limit: int | None = None) -> list[Line]:
        """New whole lines, at most about ``limit`` bytes of them (but at least one line)."""
        found: list[Line] = []
        for piece in self._pieces(limit or CHUNK_BYTES, only_one=limit is not None):
            found += piece.lines()
        return found

    def read_records(self, limit: int | None = None) -> Records:
        """As ``read``, but only records: half the time, a third of the memory."""
        found = Records([], [])
        for piece in self._pieces(limit or CHUNK_BYTES, only_one=limit is not None):
            records, broken = piece.records()
            found.records.extend(records)
            found.broken.extend(broken)
        return found

    def read_bytes(self, limit: int) -> bytes:
        """As ``read``, but unparsed; empty if the next line is too long to be read."""
        return b"".join(piece.data for piece in self._pieces(limit, only_one=True))

    def batches(self, *, end: int | None = None, limit: int = READ_BYTES) -> Iterator[list[Line]]:
        """All new whole lines, about ``limit`` bytes at a time, up to byte ``end`` (default: the end of the file).

        The file is opened once and each part of a compressed one is expanded once, so this is the way to read a
        journal of any length.
        """
        return map(Piece.lines, self._pieces(limit, end=end))

    def record_batches(self, *, limit: int = READ_BYTES) -> Iterator[Records]:
        """As ``batches``, but only records."""
        return map(Piece.records, self._pieces(limit))

    def byte_batches(self, *, limit: int = READ_BYTES) -> Iterator[bytes]:
        """As ``batches``, but unparsed; empty for a line that is too long to be read."""
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
    """The whole lines of the journal at ``path`` one by one, in little memory. Raises RunFolderError."""
    return chain.from_iterable(JournalTail(path).batches())


def read_journal(path: Path) -> list[Line]:
    """All whole lines of the journal at ``path``; none if there is no such file. Raises RunFolderError.

    They stay in memory together. For a journal of any length, use ``journal_lines``.
    """
    return JournalTail(path).read()


def read_backwards(path: Path, end: int | None = None, *, chunk: int = CHUNK_BYTES) -> Iterator[Line]:
    """Whole lines from the last to the first; reads no more of the file than is consumed.

    ``end`` is the offset to begin at (default: the end of the file), ``chunk`` the bytes read at a time. Raises
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
    """The line between two bytes of ``file``, which is longer than MAX_LINE_BYTES, with only its beginning."""
    file.seek(start)
    return Line(start, end, file.read(_KEPT_BYTES), None)


def last_lines(path: Path, count: int) -> list[Line]:
    """The last ``count`` whole lines of the journal at ``path``, in order. Raises RunFolderError."""
    newest: list[Line] = []
    for line in read_backwards(path):
        if len(newest) == count:
            break
        newest.append(line)
    return newest[::-1]


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
