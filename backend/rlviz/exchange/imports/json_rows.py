"""Reads a JSON array object by object, so that a file of any length only needs the memory of one object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from rlviz.domain.errors import ImportRefused
from rlviz.exchange.imports.found_run import Rows
from rlviz.exchange.imports.text_lines import TORN, read_lines

MOST_CHARACTERS = 1 << 20
"""Maximum bytes of one object, as for a line of a journal."""

_CHUNK = 1 << 18
_LONGEST_INTEGER = 18
_SPACE = re.compile(r"[ \t\r\n]*")


def read_json_rows(path: Path, rows: Rows) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object with its number, from 1.

    Elements that are not objects are skipped, and so is everything after invalid JSON. Raises ImportRefused if it is
    not an array of objects at all, and OSError.
    """
    number = 0
    with path.open(encoding="utf-8-sig") as file:
        try:
            for element in _elements(_Text(file)):
                number += 1
                if isinstance(element, dict):
                    yield number, element
                else:
                    rows.leave_out(path.name, number, "It is not an object.", "row")
        except (ValueError, RecursionError) as error:
            said = getattr(error, "msg", "") or str(error)
            raise ImportRefused(f"{path.name} is not valid JSON after row {number}: {said[:200]}.") from None


JSON_ENDINGS = (".json", ".jsonl")


def read_json_lines(path: Path, rows: Rows) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield the numbers of a JSON lines file, each with its line number.

    Lines that are not objects are skipped. Raises ImportRefused for an empty file, and OSError.
    """
    is_empty = True
    for line in read_lines(path):
        is_empty = False
        if not line.text.strip() and line.problem in (None, TORN):
            continue
        try:
            element = _DECODER.decode(line.text)
        except (ValueError, RecursionError):
            element = None
        if isinstance(element, dict):
            yield line.number, select_numbers(element)
        else:
            rows.leave_out(path.name, line.number, line.problem or "It is not a JSON object.")
    if is_empty:
        raise ImportRefused(f"{path.name} is empty. Nothing was logged, or the copy is incomplete.")


def select_numbers(row: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in row.items() if type(value) in (int, float)}


def _elements(text: _Text) -> Iterator[Any]:
    """Yield the elements of an array. Raises ValueError."""
    if text.read_mark() != "[":
        raise ValueError("it is not an array")
    if text.peek() == "]":
        return
    while True:
        yield text.element()
        if (mark := text.read_mark()) != ",":
            break
    if mark != "]" or text.peek():
        raise ValueError("a comma or the end of the array is missing")


def _integer(digits: str) -> int | float:
    """Parse an integer of any length, which Python would otherwise refuse or be slow to compare."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


_DECODER = json.JSONDecoder(parse_int=_integer)


class _Text:
    """Buffers only the needed part of a file."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._held, self._at = file, "", 0

    def peek(self) -> str:
        """Return the next character that is not white space; empty at the end."""
        while True:
            found = _SPACE.match(self._held, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._read():
                return ""

    def read_mark(self) -> str:
        """Return the next character that is not white space, and move past it."""
        mark = self.peek()
        self._at += len(mark)
        return mark

    def element(self) -> Any:
        """Parse the next element. Raises ValueError (including JSONDecodeError)."""
        self.peek()
        while True:
            try:
                element, self._at = _DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError:
                if len(self._held) - self._at > MOST_CHARACTERS or not self._read():
                    raise
            else:
                return element

    def _read(self) -> bool:
        """Read more of the file and drop what was consumed. Returns False at its end."""
        more = self._file.read(_CHUNK)
        self._held, self._at = self._held[self._at :] + more, 0
        return bool(more)
