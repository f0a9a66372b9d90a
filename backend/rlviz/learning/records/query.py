"""Filters and sorts the step records of an evaluation, and limits them to the size of one response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import InvalidRequest
from rlviz.learning.records.conditions import Condition, parse
from rlviz.learning.records.names import find_column, numbers_of
from rlviz.learning.records.reader import Column, StepFile

MOST_ROWS = 30_000
MOST_NUMBERS = 2_000_000
"""Maximum number of values in one response: enough for an Atari episode, or 27,000 steps with 70 numbers each."""


@dataclass(frozen=True)
class StepQuery:
    """A query for step records.

    ``start`` and ``stop`` are positions among the matching records; for one whole episode, they are step indices.
    ``sort`` names columns; a leading - sorts in descending order.
    """

    episode: int | None = None
    where: Sequence[str] = ()
    sort: Sequence[str] = ()
    columns: Sequence[str] | None = None
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True)
class FoundSteps:
    """The result of a query: ``total`` records match; ``columns`` has lists of those from ``start`` up to ``stop``."""

    total: int
    start: int
    stop: int
    columns: dict[str, list[Any]]


def find_steps(file: StepFile, query: StepQuery) -> FoundSteps:
    """Find the records that match ``query``.

    Raises InvalidRequest for an unknown column or a malformed condition, ValueError for a damaged file.
    """
    shown = list(query.columns) if query.columns is not None else list(file.names)
    if unknown := [name for name in shown if name not in file.names]:
        raise InvalidRequest.field("/columns", f"No column {unknown[0][:80]!r}. Known: {', '.join(file.names)}.")
    conditions = [parse(file, text, f"/where/{place}") for place, text in enumerate(query.where)]
    order = [_key(file, name, f"/sort/{place}") for place, name in enumerate(query.sort)]
    groups = file.groups(query.episode)
    needed = {"episode", *(name for one in conditions for name in one.columns), *(name for name, _, _ in order)}
    looked_at = file.read(sorted(needed), groups)
    found = _found(looked_at, query.episode, conditions)
    found = _sorted(found, looked_at, order)
    rest = file.read([name for name in shown if name not in looked_at], groups)
    columns = {name: looked_at.get(name) or rest[name] for name in shown}
    start = min(query.start, len(found))
    stop = min(len(found) if query.stop is None else query.stop, len(found), start + _most_rows(columns))
    rows = found[start : max(start, stop)]
    return FoundSteps(
        len(found), start, start + len(rows), {name: cells(file, name, columns[name][rows]) for name in shown}
    )


class Selection:
    """The records of one or all episodes that fulfil the conditions, in the order of the file."""

    def __init__(self, file: StepFile, episode: int | None = None, where: Sequence[str] = ()) -> None:
        """Parse the conditions ``where``. Raises InvalidRequest for a malformed one."""
        self._file, self.episode = file, episode
        self._conditions = [parse(file, text, f"/where/{place}") for place, text in enumerate(where)]
        self.has_conditions = bool(self._conditions)

    def by_group(self, names: Sequence[str]) -> Iterator[tuple[int, NDArray[np.intp], dict[str, Column]]]:
        """Yield for each row group its number, the selected rows, and the given columns of these rows."""
        looked_at = {"episode", *(name for one in self._conditions for name in one.columns)}
        for group in self._file.groups(self.episode):
            columns = self._file.read(sorted({*names, *looked_at}), [group])
            rows = _found(columns, self.episode, self._conditions)
            yield group, rows, {name: columns[name][rows] for name in names}


def cells(file: StepFile, name: str, column: Column) -> list[Any]:
    """Return the values of each row, ready for JSON except for NaN and infinity."""
    values: list[Any] = column.numbers.tolist()
    if (layout := file.layout(name)) is not None and (layout.parts or layout.kind == "Discrete"):
        values = [layout.element(numbers) for numbers in values]
    elif name == "reading.quantiles":
        actions = len(values[0]) // (file.about.quantiles or 1) if values else 0
        values = [_by_action(numbers, actions) for numbers in values]
    if column.present.all():
        return values
    return [value if present else None for value, present in zip(values, column.present.tolist(), strict=True)]


def _by_action(numbers: list[float], actions: int) -> list[list[float]]:
    """Group the quantiles of a row by action; the file stores them by quantile."""
    return [numbers[action::actions] for action in range(actions)]


def _found(columns: dict[str, Column], episode: int | None, conditions: Sequence[Condition]) -> NDArray[np.intp]:
    episodes = columns["episode"].numbers
    mask = np.ones(len(episodes), bool) if episode is None else episodes == episode
    for condition in conditions:
        mask &= condition.holds(columns)
    return np.flatnonzero(mask)


def _key(file: StepFile, name: str, at: str) -> tuple[str, int | None, bool]:
    column, place = find_column(file, name.removeprefix("-"), at)
    if place is None and not (file.is_number(column) or file.is_flag(column)):
        raise InvalidRequest.field(at, f"Sort records by a number or a flag; {column} is neither.")
    return column, place, name.startswith("-")


def _sorted(
    rows: NDArray[np.intp], columns: dict[str, Column], order: Sequence[tuple[str, int | None, bool]]
) -> NDArray[np.intp]:
    """Sort rows. Equal keys keep the order of the file; null and NaN come last in both directions."""
    keys = []
    for name, place, descending in reversed(order):
        column = columns[name]
        numbers = numbers_of(column, place, name, "/sort")
        values = np.where(column.present, numbers.astype(np.float64), np.nan)[rows]
        keys.append(-values if descending else values)
    return rows[np.lexsort(keys)] if keys else rows


def _most_rows(columns: dict[str, Column]) -> int:
    width = sum(column.numbers.shape[1] if column.numbers.ndim > 1 else 1 for column in columns.values())
    return max(1, min(MOST_ROWS, MOST_NUMBERS // max(1, width)))
