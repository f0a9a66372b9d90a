"""Places in a journal: where its last line ends, whether a line begins there, and what came after a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from rlviz.rundir.journal.lines import parse_line

CHUNK_BYTES = 1 << 20
"""Bytes read at a time when a line's beginning is looked for from behind."""


def whole_size(path: Path) -> int:
    """Bytes of whole lines in the journal at ``path``: where its next line begins. 0 if there is no such file."""
    try:
        with path.open("rb") as file:
            return last_newline(file.fileno(), os.fstat(file.fileno()).st_size)
    except FileNotFoundError:
        return 0


def last_newline(file: int, size: int) -> int:
    """Offset just after the last newline within the first ``size`` bytes, or 0."""
    end = size
    while end > 0:
        start = max(0, end - CHUNK_BYTES)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
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
        record = parse_line(raw[:-1])
        if record is not None and isinstance(record.get("time"), int | float):
            return float(record["time"]), file.tell()
    return None
