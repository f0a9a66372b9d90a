"""Reading a journal: continuously, as a whole, or from its end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from rlviz.rundir.journal.compressed import open_journal
from rlviz.rundir.journal.lines import (
    MAX_LINE_BYTES,
    READ_BYTES,
    Line,
    Records,
    block_lines,
    blocks,
    parse_block,
    split_lines,
)
from rlviz.rundir.journal.seek import CHUNK_BYTES, last_newline, next_newline

_KEPT_BYTES = 200


class _Piece(NamedTuple):
    """The whole lines from byte ``start`` on, or the one line there that is too long to be read."""

    start: int
    data: bytes
    long: Line | None = None


def _lines(piece: _Piece) -> list[Line]:
    return [piece.long] if piece.long else list(split_lines(piece.data, piece.start))


def _records(piece: _Piece) -> Records:
    found = Records([], [piece.long] if piece.long else [])
    for offset, block in blocks(piece.data, piece.start):
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
            found += _lines(piece)
        return found

    def read_records(self, limit: int | None = None) -> Records:
        """As ``read``, but only records: half the time, a third of the memory."""
        found = Records([], [])
        for piece in self._pieces(limit or CHUNK_BYTES, only_one=limit is not None):
            records, broken = _records(piece)
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
        return map(_lines, self._pieces(limit, end=end))

    def record_batches(self, *, limit: int = READ_BYTES) -> Iterator[Records]:
        """As ``batches``, but only records."""
        return map(_records, self._pieces(limit))

    def byte_batches(self, *, limit: int = READ_BYTES) -> Iterator[bytes]:
        """As ``batches``, but unparsed; empty for a line that is too long to be read."""
        return (piece.data for piece in self._pieces(limit))

    def _pieces(self, limit: int, *, only_one: bool = False, end: int | None = None) -> Iterator[_Piece]:
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

    def _take(self, file: BinaryIO, size: int, limit: int) -> _Piece | None:
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
                return _Piece(start, b"", _overlong(file, start, start + end))
            file.seek(start)
            data = file.read(end)
        self.offset = self._searched = start + end
        return _Piece(start, data[:end])


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
