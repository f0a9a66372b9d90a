"""InWords: a condition on step records such as ``reward < 0 and not terminated``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlviz.analysis.condition_language import Comparable, QueryError, parse_condition
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.step_record import Actor
from rlviz.records.names import Columns, Mask, action_names, components_of, find_column, numbers_of
from rlviz.records.reader import Column, StepFile

_ACTORS = {actor.value: float(place) for place, actor in enumerate(Actor)}


class _Part(NamedTuple):
    """Numbers that can be compared: a column, or those at one place of a list."""

    name: str
    column: str
    place: int | None = None


class InWords:
    """A condition in the language of ``analysis/condition_language.py``. What is null neither compares nor is unequal.

    It is itself the vocabulary: numbers by the names of columns, ``observation.pole angle`` or only ``pole angle``,
    values of a Discrete action and of the actor by their names, and flags. Raises InvalidRequest, at pointer ``at``.
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
        """For instance ``reading.q_values.0``, of a list whose length stands nowhere."""
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
    """By lower-case names; a component of the observation also by its own alone, unless that names something else."""
    found = {part.name.lower(): part for part in reversed(parts)}
    short = [part.name.partition(".")[2].lower() for part in parts]
    for name, part in zip(short, parts, strict=True):
        if part.column == "observation" and name and not name.isdigit() and short.count(name) == 1:
            found.setdefault(name, part)
    return found


def _actors(column: Column) -> tuple[NDArray[Any], Mask]:
    """Who took each action, as its number in ``_ACTORS``."""
    numbers = np.full(len(column.numbers), np.nan)
    for actor, number in _ACTORS.items():
        numbers[column.numbers == actor] = number
    return numbers, column.present
