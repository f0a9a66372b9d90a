"""Superseded: the rows of a run's journal in whose place those of a later attempt have come.

They stay in the journal and can be shown, but no figure counts them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from rlviz.domain.events import Stretch


class Superseded:
    """Stretches of rows by their ``seq``; they may overlap, and come in any order."""

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self.stretches = tuple(stretches)
        self._merged = _merge(self.stretches)
        self._firsts = [first for first, _ in self._merged]

    def by(self, attempt: int) -> Superseded:
        """Those that ``attempt`` and the ones before it took the place of: how things stood while it trained."""
        return Superseded(stretch for stretch in self.stretches if stretch.attempt <= attempt)

    def __contains__(self, seq: int) -> bool:
        place = bisect_right(self._firsts, seq) - 1
        return place >= 0 and seq <= self._merged[place][1]

    @property
    def merged(self) -> tuple[tuple[int, int], ...]:
        """The same rows as stretches, each its first and its last row, that neither overlap nor adjoin, in order."""
        return tuple(self._merged)

    def __bool__(self) -> bool:
        return bool(self._merged)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Superseded) and self._merged == other._merged

    def __hash__(self) -> int:
        return hash(tuple(self._merged))


def _merge(stretches: Iterable[Stretch]) -> list[tuple[int, int]]:
    """The same rows in stretches that neither overlap nor adjoin, in order."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted((one.first, one.last) for one in stretches if one.first <= one.last):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return merged
