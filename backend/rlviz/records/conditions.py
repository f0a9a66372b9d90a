"""What is asked of a record, in text: ``column:test``, as in ``action:2``, ``reward:>0.5``, ``terminated:true``.

| column | test | true of |
| --- | --- | --- |
| a number, `reward` for instance | `2`, `!=2`, `>2`, `>=2`, `<2`, `<=2` | records where it compares so |
| | `0..1` | records where it lies from 0 to 1 |
| | `1,2` | records where it is one of these |
| a flag, `terminated` for instance | `true`, `false` | records where it is so |
| a text, `frame_hash` for instance | some of it | records that contain it, whatever the case |
| any | `null` | records that have none, as the reset has no action |
| `text` | some of it | records of which action (by its name), end, actor or a hash contains it |

One number of a list is a column as well: `observation.2`, or by its name `observation.pole angle`. A Discrete action is
a number, and may be named: `action:push left`.

A text of another form is a condition in words, as in ``reward < 0 and action = push left`` (``records/words.py``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from rlviz.analysis.condition_language import COMPARISONS
from rlviz.domain.errors import InvalidRequest
from rlviz.records.names import Columns, Mask, action_names, find_column, numbers_of
from rlviz.records.reader import Column, StepFile
from rlviz.records.words import InWords

MOST_CONDITIONS = 20

LONGEST_CONDITION = 1_000
"""Characters of one."""

_COMPARISON = re.compile(r"(>=|<=|!=|>|<)\s*(\S+)")
_ENDS = ("terminated", "truncated")


class Condition(Protocol):
    """A condition on the records of a file."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that it refers to."""

    def holds(self, columns: Columns) -> Mask:
        """A mask of the records that fulfil it; ``columns`` holds those that it refers to."""


def parse(file: StepFile, text: str, at: str) -> Condition:
    """The condition on the records of ``file`` that ``text`` says. Raises InvalidRequest, at pointer ``at``."""
    name, colon, _ = text.partition(":")
    if not text.strip() or (colon and not re.search(r"[<>=!(\"']", name)):
        return ColumnTest(file, text, at)
    return InWords(file, text, at)


class ColumnTest:
    """As in ``reward:>0``. Raises InvalidRequest, at pointer ``at``, if it is malformed."""

    def __init__(self, file: StepFile, text: str, at: str) -> None:
        self._file, self._at = file, at
        name, colon, test = text.partition(":")
        self._name, self._test = name.strip(), test.strip()
        if not colon or not self._test:
            raise self._wrong(f"A condition is column:test, as in action:2 or reward:>0.5; got {text[:80]!r}.")
        self._place: int | None = None
        if self._name == "text":
            self.columns = [name for name in file.names if name == "action" or self._has_text(name) or name in _ENDS]
        else:
            column, self._place = find_column(file, self._name, at)
            self.columns = [column]
            self._match = self._matcher(column)

    def holds(self, columns: Columns) -> Mask:
        if self._name == "text":
            found = [self._contains(name, columns[name]) for name in self.columns]
            return np.asarray(np.logical_or.reduce(found), bool)
        column = columns[self.columns[0]]
        if self._test == "null":
            return ~column.present
        numbers = numbers_of(column, self._place, self._name, self._at)
        return np.asarray(self._match(numbers), bool) & column.present

    def _matcher(self, column: str) -> Callable[[Any], Any]:
        if self._test == "null":
            return lambda numbers: numbers
        if self._place is not None or self._file.is_number(column):
            return self._of_number(column)
        if self._file.is_flag(column):
            if self._test not in ("true", "false"):
                raise self._wrong(f"{column} is true or false; got {self._test[:80]!r}.")
            wanted = self._test == "true"
            return lambda numbers: numbers == wanted
        if self._has_text(column):
            part = self._test.lower()
            return lambda texts: [text is not None and part in text for text in texts]
        raise self._wrong(f"{column} is a list. Name one of its numbers, as in {column}.0:>0.5.")

    def _of_number(self, column: str) -> Callable[[Any], Any]:
        if match := _COMPARISON.fullmatch(self._test):
            compare, value = COMPARISONS[match[1]], self._number(match[2])
            return lambda numbers: compare(numbers, value)
        low, dots, high = self._test.partition("..")
        if dots:
            least, most = self._number(low), self._number(high)
            return lambda numbers: (numbers >= least) & (numbers <= most)
        values = [self._named_or_number(column, part) for part in self._test.split(",")]
        return lambda numbers: np.isin(numbers, values)

    def _named_or_number(self, column: str, text: str) -> float:
        names = action_names(self._file) if column == "action" else {}
        by_name = {name.lower(): value for value, name in names.items()}
        known = by_name.get(text.strip().lower())
        return float(known) if known is not None else self._number(text)

    def _number(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isnan(value):
            raise self._wrong(f"{text.strip()[:80]!r} is no number that {self._name} could be compared with.")
        return value

    def _contains(self, name: str, column: Column) -> Mask:
        part = self._test.lower()
        if name in _ENDS:
            return column.numbers if part in name else np.zeros(len(column.numbers), bool)
        if self._has_text(name):
            return np.array([text is not None and part in text for text in column.numbers], bool)
        fitting = [value for value, label in action_names(self._file).items() if part in label.lower()]
        return np.isin(column.numbers, fitting).any(axis=1) & column.present

    def _has_text(self, name: str) -> bool:
        file = self._file
        return not (file.is_number(name) or file.is_flag(name) or file.is_list(name))

    def _wrong(self, what: str) -> InvalidRequest:
        return InvalidRequest.field(self._at, what)
