"""Finds columns, numbers in lists, and actions of a step records file by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import InvalidRequest
from rlviz.learning.records.about import Components
from rlviz.learning.records.reader import Column, StepFile

Columns = dict[str, Column]
Mask = NDArray[np.bool_]


def find_column(file: StepFile, name: str, at: str) -> tuple[str, int | None]:
    """Return the column ``name``, and the index of the number if the column is a list. Raises InvalidRequest.

    A list of one number, such as a Discrete action or a torque, needs no index.
    """
    if name in file.names:
        layout = file.layout(name)
        return name, 0 if layout is not None and layout.numbers == 1 else None
    column, _, part = name.partition(".")
    if name.startswith("reading."):
        column, _, part = name.rpartition(".")
    if column in file.names and file.is_list(column):
        place = _place(components_of(file, column), part)
        if place is not None:
            return column, place
    known = ", ".join(file.names)
    raise InvalidRequest.field(at, f"There is no column {name[:80]!r}. Known: {known}; one number of a list: {name}.0.")


def action_names(file: StepFile) -> dict[int, str]:
    """Return the names of the actions of a Discrete space by number; empty if there are none."""
    action = file.about.action
    if action.layout.kind != "Discrete" or not action.labels:
        return {}
    first = (action.layout.starts or [0])[0]
    return {first + place: label for place, label in enumerate(action.labels)}


def numbers_of(column: Column, place: int | None, name: str, at: str) -> NDArray[Any]:
    """Return the numbers of a column, shape (n,); those at index ``place`` if it is a list.

    If every record has null, the length of the list is unknown, and the numbers are 0. Raises InvalidRequest if there
    is no such index.
    """
    if place is None:
        return column.numbers
    width = column.numbers.shape[1]
    if place < width:
        return np.asarray(column.numbers[:, place])
    if column.present.any():
        raise InvalidRequest.field(at, f"There is no {name[:80]!r}: the list has {width} numbers, from 0.")
    return np.zeros(len(column.numbers))


def components_of(file: StepFile, column: str) -> Components | None:
    """Return the names of the numbers in ``column``, if they are known."""
    return {"observation": file.about.observation, "action": file.about.action}.get(column)


def _place(components: Components | None, part: str) -> int | None:
    if components is not None and part in components.labels:
        return components.labels.index(part)
    place = int(part) if part.isascii() and part.isdigit() and len(part) < 7 else None
    if place is None or (components is not None and place >= components.layout.numbers):
        return None
    return place
