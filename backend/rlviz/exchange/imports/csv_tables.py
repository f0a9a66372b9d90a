"""The numbers of a CSV file by their columns; what cannot be taken is left out, and the run says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from rlviz.domain.errors import ImportRefused
from rlviz.domain.naming import distinct
from rlviz.exchange.imports.found_run import Rows
from rlviz.exchange.imports.text_lines import CsvRecords, read_lines

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?")
_LIKE_A_NUMBER = re.compile(r"[-+]?[\d.,'\u00a0\u202f ]*\d[\d.,'\u00a0\u202f ]*%?")
_LONGEST_INTEGER = 15


class NumberRow(NamedTuple):
    """``values``: the numbers of a line by the names of their columns."""

    line: int
    values: dict[str, float]


class Comment(NamedTuple):
    """A line that begins with #, without it."""

    line: int
    text: str


def first_names(path: Path) -> list[str]:
    """Return the names of the columns, as the first line of a CSV file has them. Raises OSError."""
    record = next(iter(CsvRecords(read_lines(path), lambda cells: True)), None)
    return [] if record is None else record.cells


def read_table(
    path: Path, rows: Rows, is_names: Callable[[list[str]], bool], needs: str
) -> Iterator[NumberRow | Comment]:
    """Yield the numbers of each line of a CSV file, and its comments.

    A line that cannot be used is left out, and ``rows`` notes its number and why. ``is_names`` tells whether a line has
    the names of columns, of which files that were put together have several, and ``needs`` says which those are. Raises
    ImportRefused for a file that is empty, or has no names, and OSError.
    """
    records = CsvRecords(read_lines(path), is_names)
    columns: _Columns | None = None
    is_empty = True
    for record in records:
        is_empty = False
        if record.is_comment:
            yield Comment(record.line, record.cells[0])
        elif record.problem is not None and columns is None:
            raise ImportRefused(f"{path.name}, line {record.line}: {record.problem} Is it a CSV file?")
        elif record.problem is not None:
            rows.leave_out(path.name, record.line, record.problem)
        elif record.is_names:
            if not is_names(record.cells):
                raise ImportRefused(f"{path.name} lacks {needs}.")
            columns = _Columns(record.cells, records.delimiter, path.name, rows)
        elif columns is not None:
            yield NumberRow(record.line, columns.numbers(record.line, record.cells))
    if is_empty:
        raise ImportRefused(f"{path.name} is empty. Nothing was logged into it, or it was not copied whole.")


class _Columns:
    """What each column is called, and how its numbers are written."""

    def __init__(self, names: list[str], delimiter: str, file: str, rows: Rows) -> None:
        self._file, self._rows = file, rows
        self._has_decimal_commas = delimiter != ","
        self._has_numbers: set[str] = set()
        self._texts: dict[str, int] = {}
        """Columns with texts, and the line of the first one."""
        self._names: list[str] = []
        for number, name in enumerate(names, 1):
            own = name or f"column {number}"
            if own in self._names:
                own = distinct(own, {*self._names, *names})
            if own != name:
                why = f"there are two of the name {name!r}" if name else "it has no name"
                rows.warn(f"{file}: column {number} is called {own!r}, since {why}.")
            self._names.append(own)

    def numbers(self, line: int, cells: list[str]) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, cell in zip(self._names, cells, strict=True):
            if (value := _number(cell, self._has_decimal_commas)) is not None:
                found[name] = value
                self._has_numbers.add(name)
                if name in self._texts:
                    self._warn(name)
            elif cell:
                self._texts.setdefault(name, line)
                if name in self._has_numbers or _LIKE_A_NUMBER.fullmatch(cell):
                    self._warn(name)
        return found

    def _warn(self, name: str) -> None:
        why = f"{name} is no number; there is a gap, and wherever else it is none"
        self._rows.warn(f"{self._file}, line {self._texts[name]}: {why}.")


def _number(cell: str, has_decimal_commas: bool) -> float | None:
    """None for an empty cell, or one that is a text. A whole number stays one."""
    if has_decimal_commas and _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    if "_" in cell:  # which Python allows between digits
        return None
    try:
        is_whole = cell.lstrip("+-").isdecimal() and len(cell) <= _LONGEST_INTEGER
        return int(cell) if is_whole else float(cell)
    except ValueError:
        return {"True": 1, "False": 0}.get(cell)
