"""The lines and CSV records of text files that other programs wrote, in whatever encoding, whole or torn.

A reader never gives up on a file because of one line: a line that cannot be used comes with the reason.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from rlviz.domain.plain_text import decode

MOST_LINE_BYTES = 1 << 20
MOST_LINES_OF_A_TEXT = 1_000
"""Lines that a quoted text may have. A quote that is not closed within them is taken for a torn line."""

TORN = "There is no line break behind it, so it may be cut."
TOO_LONG = f"It is longer than {MOST_LINE_BYTES:,} bytes."
NO_CSV = "It is no CSV: a quote is not closed or stands in the wrong place, or a cell is too long."
MORE_CELLS, FEWER_CELLS = (f"It has {how} cells than the line with the names." for how in ("more", "fewer"))

DELIMITERS = (",", ";", "\t", "|")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHUNK = 1 << 16
_DELIMITER_HINT = re.compile(r"sep=.", re.IGNORECASE)
"""With which Excel begins a file. The names say the same."""

_PADDING = " \t\0\ufeff"
"""Around cells. Zeros are what some file systems leave after a crash, byte order marks what ``cat`` leaves."""


class Line(NamedTuple):
    """One line without its line break. ``number`` counts from 1; ``problem`` says why it cannot be used, if so."""

    number: int
    text: str
    problem: str | None = None


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a text file, however it marks the end of a line.

    A byte order mark at the beginning names the encoding; without one it is UTF-8, and bytes that are none are letters
    of Windows-1252. A line without a line break is the last one, and was cut: it has ``TORN`` as its problem. Raises
    OSError.
    """
    with path.open("rb") as file:
        start = file.read(4)
        mark, encoding = next(((mark, name) for mark, name in _MARKS if start.startswith(mark)), (b"", "utf-8"))
        file.seek(len(mark))
        recoded = file if encoding == "utf-8" else codecs.EncodedFile(file, "utf-8", encoding, errors="replace")
        for number, (content, problem) in enumerate(_byte_lines(recoded), 1):
            yield Line(number, decode(content), problem)


def first_line(path: Path) -> str:
    """Return the first line of a text file that is not empty; an empty text if it has none. Raises OSError."""
    lines = (line.text.strip(_PADDING) for line in read_lines(path) if line.problem != TOO_LONG)
    return next(filter(None, lines), "")


def _byte_lines(file: IO[bytes]) -> Iterator[tuple[bytes, str | None]]:
    """Yield each line and the reason why it cannot be used. No more than one line is held."""
    held, is_skipping = b"", False
    while chunk := file.read(_CHUNK):
        lines = (held + chunk).splitlines(keepends=True)
        held = b"" if lines[-1].endswith(b"\n") else lines.pop()  # a break of two bytes may go on in the next chunk
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
    """One record of a CSV file. ``line``: the number of its first line; ``problem``: why it cannot be used, if so."""

    line: int
    cells: list[str]
    problem: str | None = None
    is_names: bool = False
    is_comment: bool = False


class CsvRecords:
    """The records of a CSV file. Those of names decide how many cells the records behind them have to have.

    Names are the first record, and each one of which ``is_names`` is true: files that were put together have several. A
    quoted text may go over several lines. Empty lines are left out. A line that begins with # is a comment.

    ``delimiter``: what is between cells, known from the names on.
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
            self.delimiter = delimiter_of(text)
        if is_comment:
            cells = self._cells([text])
            if not cells or not self._is_names(cells):
                return Record(line.number, [text], is_comment=True)
        else:
            cells = (self._joined(line) if text.count('"') % 2 else None) or self._cells([line.text])
        if not cells:
            return Record(line.number, [], NO_CSV)
        is_names = self._count is None or self._is_names(cells)
        if is_names or self._count is None:
            self._count = len(cells)
        problem = None if len(cells) == self._count else MORE_CELLS if len(cells) > self._count else FEWER_CELLS
        return Record(line.number, cells, problem, is_names)

    def _joined(self, line: Line) -> list[str] | None:
        """Return the cells of a record over several lines, the first of which has an open quote.

        None if that is no record with as many cells as there are names: then the lines behind it are read on their own.
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
        """Return the cells of one record; None if that is no CSV."""
        try:
            records = list(csv.reader(lines, delimiter=self.delimiter, strict=True))
        except csv.Error:
            return None
        return [cell.strip(_PADDING) for cell in records[0]] if len(records) == 1 else None


def delimiter_of(names: str) -> str:
    """Return the character between the cells of a CSV file, by its line of names."""
    return next((delimiter for delimiter in DELIMITERS if delimiter in names), ",")
