"""Parses conditions on step records: ``column:test``, as in ``action:2``, ``reward:>0.5``, ``terminated:true``.

| column | test | matches |
| --- | --- | --- |
| a number, such as `reward` | `2`, `!=2`, `>2`, `>=2`, `<2`, `<=2` | records for which the comparison is true |
| | `0..1` | records from 0 to 1 |
| | `1,2` | records with one of these values |
| a flag, such as `terminated` | `true`, `false` | records with this value |
| a text, such as `frame_hash` | part of it | records that contain it, ignoring case |
| any | `null` | records without a value, such as the action of a reset |
| `text` | part of it | records whose action name, end, actor or hash contains it |

A number in a list is a column too: `observation.2`, or by name `observation.pole angle`. A Discrete action is a number
and may be named: `action:push left`. Other texts are conditions in words, as in ``reward < 0 and action = push left``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import InvalidRequest
from rlviz.domain.recording import Actor
from rlviz.learning.records.names import Columns, Mask, action_names, components_of, find_column, numbers_of
from rlviz.learning.records.reader import Column, StepFile
from rlviz.stats.conditions import COMPARISONS, Comparable, QueryError, parse_condition

_ACTORS = {actor.value: float(place) for place, actor in enumerate(Actor)}


class _Part(NamedTuple):
    """Numbers that can be compared: a column, or one index of a list column."""

    name: str
    column: str
    place: int | None = None


class InWords:
    """A condition in the language of ``stats/conditions.py``. No comparison with null is true, not even ``!=``.

    This class also defines the names that a condition may use: numbers by column name, ``observation.pole angle`` or
    just ``pole angle``, Discrete actions and actors by name, and flags. Raises InvalidRequest, at pointer ``at``.
    """

    def __init__(self, file: StepFile, text: str, at: str) -> None:
        self._file, self._at = file, at
        self._parts = list(_parts(file))
        self._by_name = _by_name(self._parts)
        self.columns: list[str] = []
        try:
            self._condition = parse_condition(text, self)
        except QueryError as error:
            raise InvalidRequest.field(at, str(error)) from error

    def holds(self, columns: Columns) -> Mask:
        return self._condition(columns)

    @property
    def comparables(self) -> Sequence[str]:
        return [part.name for part in self._parts]

    @property
    def flags(self) -> Sequence[str]:
        return [name for name in self._file.names if self._file.is_flag(name)]

    def comparable(self, name: str) -> Comparable[Columns] | None:
        part = self._by_name.get(name) or self._part_of_list(name)
        if part is None:
            return None
        self.columns.append(part.column)
        if part.column == "actor":
            return Comparable(lambda columns: _actors(columns["actor"]), _ACTORS)
        actions = action_names(self._file) if part.column == "action" else {}

        def read(columns: Columns) -> tuple[NDArray[Any], Mask]:
            column = columns[part.column]
            return numbers_of(column, part.place, part.name, self._at), column.present

        return Comparable(read, {label.lower(): float(value) for value, label in actions.items()})

    def flag(self, name: str) -> Callable[[Columns], Mask] | None:
        if name not in self.flags:
            return None
        self.columns.append(name)
        return lambda columns: np.asarray(columns[name].numbers, bool) & columns[name].present

    def _part_of_list(self, name: str) -> _Part | None:
        """Return a number of a list of unknown length, for instance ``reading.q_values.0``."""
        try:
            column, place = find_column(self._file, name, self._at)
        except InvalidRequest:
            return None
        return _Part(name, column, place) if self._file.is_list(column) and place is not None else None


def _parts(file: StepFile) -> Iterator[_Part]:
    for name in file.names:
        if name == "actor" or file.is_number(name):
            yield _Part(name, name)
        elif (components := components_of(file, name)) is not None:
            width = components.layout.numbers
            labels = components.labels if len(components.labels) == width else list(map(str, range(width)))
            yield from (
                [_Part(name, name, 0)]
                if width == 1
                else [_Part(f"{name}.{label}", name, place) for place, label in enumerate(labels)]
            )


def _by_name(parts: Sequence[_Part]) -> dict[str, _Part]:
    """Index parts by lower-case name. Components of the observation also get their own name, unless it is in use."""
    found = {part.name.lower(): part for part in reversed(parts)}
    short = [part.name.partition(".")[2].lower() for part in parts]
    for name, part in zip(short, parts, strict=True):
        if part.column == "observation" and name and not name.isdigit() and short.count(name) == 1:
            found.setdefault(name, part)
    return found


def _actors(column: Column) -> tuple[NDArray[Any], Mask]:
    """Return the actor of each action, as its index in ``_ACTORS``."""
    numbers = np.full(len(column.numbers), np.nan)
    for actor, number in _ACTORS.items():
        numbers[column.numbers == actor] = number
    return numbers, column.present


MOST_CONDITIONS = 20

LONGEST_CONDITION = 1_000
"""Maximum length of a condition in characters."""

_COMPARISON = re.compile(r"(>=|<=|!=|>|<)\s*(\S+)")
_ENDS = ("terminated", "truncated")


class Condition(Protocol):
    """A condition on the records of a file."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that the condition reads."""

    def holds(self, columns: Columns) -> Mask:
        """Return a mask of the records that fulfil the condition. ``columns`` has the columns that it reads."""


def parse(file: StepFile, text: str, at: str) -> Condition:
    """Parse ``text`` as a condition on the records of ``file``. Raises InvalidRequest, at pointer ``at``."""
    name, colon, _ = text.partition(":")
    if not text.strip() or (colon and not re.search(r"[<>=!(\"']", name)):
        return ColumnTest(file, text, at)
    return InWords(file, text, at)


class ColumnTest:
    """A condition such as ``reward:>0``. Raises InvalidRequest, at pointer ``at``, if it is malformed."""

    def __init__(self, file: StepFile, text: str, at: str) -> None:
        self._file, self._at = file, at
        name, colon, test = text.partition(":")
        self._name, self._test = name.strip(), test.strip()
        if not colon or not self._test:
            raise self._wrong(f"Write a condition as column:test, such as action:2 or reward:>0.5; got {text[:80]!r}.")
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
                raise self._wrong(f"{column} must be true or false; got {self._test[:80]!r}.")
            wanted = self._test == "true"
            return lambda numbers: numbers == wanted
        if self._has_text(column):
            part = self._test.lower()
            return lambda texts: [text is not None and part in text for text in texts]
        raise self._wrong(f"{column} is a list. Name one of its numbers, such as {column}.0:>0.5.")

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
            raise self._wrong(f"{text.strip()[:80]!r} is not a number to compare {self._name} with.")
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
