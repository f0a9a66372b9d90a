"""How far runs share their history: a fork, its parent and its siblings have been one run up to where they parted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rlviz.catalog.models import RunRow
from rlviz.domain.errors import RunNotFound

MOST_ANCESTORS = 50


def shared_until(rows: Sequence[RunRow], get: Callable[[str], RunRow]) -> int:
    """The step up to which all of ``rows`` were one run; 0 if they are not of one family, or fewer than two. ``get``
    finds a run, or raises RunNotFound: a parent that is deleted still has its children in common."""
    if len(rows) < 2:
        return 0
    lines = [_line(row, get) for row in rows]
    return int(min(_shared(lines[0], line) for line in lines[1:]))


def _line(row: RunRow, get: Callable[[str], RunRow]) -> dict[str, float]:
    """The run and those that it was forked from: by id, up to which step each is part of its line."""
    line: dict[str, float] = {row.id: math.inf}
    until = math.inf
    for _ in range(MOST_ANCESTORS):
        if row.parent is None:
            break
        until = min(until, row.parent["step"])
        line[row.parent["run_id"]] = until
        try:
            row = get(row.parent["run_id"])
        except RunNotFound:
            break
    return line


def _shared(first: dict[str, float], second: dict[str, float]) -> float:
    return max((min(first[run], second[run]) for run in first.keys() & second.keys()), default=0)
