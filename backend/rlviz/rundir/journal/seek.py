"""Positions in a journal: the end of its last line, whether a line begins at an offset, and the first line after a
time or a number."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Literal

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.journal.compressed import open_journal
from rlviz.rundir.journal.lines import MAX_LINE_BYTES, parse_line

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
