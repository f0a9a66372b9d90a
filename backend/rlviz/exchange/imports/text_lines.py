"""Lines and CSV records of text files from other programs, in any encoding, complete or torn.

A reader never rejects a file because of one line: an unusable line is returned with the reason.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from rlviz.domain.plain_text import decode_text

MOST_LINE_BYTES = 1 << 20
MOST_LINES_OF_A_TEXT = 1_000
"""Maximum lines of a quoted text. A quote that is not closed by then counts as a torn line."""

TORN = "It does not end with a line break, so it may be incomplete."
TOO_LONG = f"It is longer than {MOST_LINE_BYTES:,} bytes."
NO_CSV = "It is not valid CSV: a quote is not closed or misplaced, or a cell is too long."
MORE_CELLS, FEWER_CELLS = (f"It has {how} cells than the line with the names." for how in ("more", "fewer"))

DELIMITERS = (",", ";", "\t", "|")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHUNK = 1 << 16
_DELIMITER_HINT = re.compile(r"sep=.", re.IGNORECASE)
"""First line of some files from Excel; the names line tells the same."""

_PADDING = " \t\0\ufeff"
"""Ignored around cells: zeros, which some file systems leave after a crash, and byte order marks, which ``cat``
leaves."""


class Line(NamedTuple):
    """One line without its line break. ``number`` counts from 1; ``problem`` says why it is unusable, if it is."""

    number: int
    text: str
    problem: str | None = None


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a text file with any kind of line break.

    A byte order mark names the encoding; without one it is UTF-8, with invalid bytes read as Windows-1252. A last
    line without a line break is incomplete and has the problem ``TORN``. Raises OSError.
    """
    with path.open("rb") as file:
        start = file.read(4)
        mark, encoding = next(((mark, name) for mark, name in _MARKS if start.startswith(mark)), (b"", "utf-8"))
        file.seek(len(mark))
        recoded = file if encoding == "utf-8" else codecs.EncodedFile(file, "utf-8", encoding, errors="replace")
        for number, (content, problem) in enumerate(_byte_lines(recoded), 1):
            yield Line(number, decode_text(content), problem)


def first_line(path: Path) -> str:
    """Return the first line of a text file that is not empty, or an empty text. Raises OSError."""
    lines = (line.text.strip(_PADDING) for line in read_lines(path) if line.problem != TOO_LONG)
    return next(filter(None, lines), "")


def _byte_lines(file: IO[bytes]) -> Iterator[tuple[bytes, str | None]]:
    """Yield each line, and why it is unusable. Holds at most one line."""
    held, is_skipping = b"", False
    while chunk := file.read(_CHUNK):
        lines = (held + chunk).splitlines(keepends=True)
        held = b"" if lines[-1].endswith(b"\n") else lines.pop()  # a two-byte break may continue in the next chunk
        for line in lines:
            if not is_skipping:
                yield (b"", TOO_LONG) if len(line) > MOST_LINE_BYTES else (line.rstrip(b"\r\n"), None)
            is_skipping = False
        if len(held) > MOST_LINE_BYTES and not is_skipping:
            yield b"", TOO_LONG
            is_skipping = True
        if is_skipping:
            held = held[-1:] if held.endswith(b"\r") else b""
    if held and not is_skipping:
        yield held.rstrip(b"\r"), None if held.endswith(b"\r") else TORN


class Record(NamedTuple):
    """One record of a CSV file. ``line``: number of its first line; ``problem``: why it is unusable, if it is."""

    line: int
    cells: list[str]
    problem: str | None = None
    is_names: bool = False
    is_comment: bool = False


class CsvRecords:
    """The records of a CSV file. Names determine how many cells the following records must have.

    Names are the first record and every later one for which ``is_names`` is true, because concatenated files have
    several. A quoted text may span lines. Empty lines are skipped. A line that starts with # is a comment.

    ``delimiter``: the character between cells, known once names are read.
    """

    def __init__(self, lines: Iterator[Line], is_names: Callable[[list[str]], bool]) -> None:
        self._lines, self._is_names = lines, is_names
        self._waiting: deque[Line] = deque()
        self._count: int | None = None
        self.delimiter = ","

    def __iter__(self) -> Iterator[Record]:
        while (line := self._next()) is not None:
            text = line.text.strip(_PADDING)
            if line.problem is not None:
                yield Record(line.number, [], line.problem)
            elif text and not (self._count is None and _DELIMITER_HINT.fullmatch(text)):
                yield self._record(line, text)

    def _next(self) -> Line | None:
        return self._waiting.popleft() if self._waiting else next(self._lines, None)

    def _record(self, line: Line, text: str) -> Record:
        is_comment = text.startswith("#")
        text = text.lstrip("# ")
        if self._count is None:
            self.delimiter = find_delimiter(text)
        if is_comment:
            cells = self._cells([text])
            if not cells or not self._is_names(cells):
                return Record(line.number, [text], is_comment=True)
        else:
            cells = (self._join_lines(line) if text.count('"') % 2 else None) or self._cells([line.text])
        if not cells:
            return Record(line.number, [], NO_CSV)
        is_names = self._count is None or self._is_names(cells)
        if is_names or self._count is None:
            self._count = len(cells)
        problem = None if len(cells) == self._count else MORE_CELLS if len(cells) > self._count else FEWER_CELLS
        return Record(line.number, cells, problem, is_names)

    def _join_lines(self, line: Line) -> list[str] | None:
        """Return the cells of a record that spans lines, whose first line has an open quote.

        None if it does not have as many cells as there are names: then the following lines are read on their own.
        """
        taken, size = [line], len(line.text)
        while size <= MOST_LINE_BYTES and len(taken) < MOST_LINES_OF_A_TEXT and (follower := self._next()) is not None:
            taken.append(follower)
            size += len(follower.text)
            if follower.problem is not None:
                break
            if follower.text.count('"') % 2:
                cells = self._cells([f"{one.text}\n" for one in taken])
                if cells is not None and self._count in (None, len(cells)):
                    return cells
                break
        self._waiting.extendleft(reversed(taken[1:]))
        return None

    def _cells(self, lines: list[str]) -> list[str] | None:
        """Return the cells of one record; None if it is not CSV."""
        try:
            records = list(csv.reader(lines, delimiter=self.delimiter, strict=True))
        except csv.Error:
            return None
        return [cell.strip(_PADDING) for cell in records[0]] if len(records) == 1 else None


def find_delimiter(names: str) -> str:
    """Return the character between cells, judged by the line of names."""
    return next((delimiter for delimiter in DELIMITERS if delimiter in names), ",")
