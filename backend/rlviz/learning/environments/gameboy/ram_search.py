"""Searches the memory of a Game Boy for the address of a number, by how the number changes while the game is played.

Each narrowing keeps the addresses whose value passes a test. Importing this does not import PyBoy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.games import SearchTest, TapType

REGIONS = ((0xC000, 0xDFFF), (0xFF80, 0xFFFE))
"""First and last addresses of work RAM and high RAM."""

MOST_UNDONE = 50
"""Narrowings that can be undone; older ones are forgotten."""

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]


class Candidate(NamedTuple):
    """An address that is still possible, with its value now and at the last narrowing."""

    address: int
    value: int
    before: int


class _Moment(NamedTuple):
    """The positions of the candidates in ``RamSearch.addresses``, and the values of all addresses at a narrowing."""

    places: NDArray[np.intp]
    values: Numbers


class RamSearch:
    """One search. Its size is bounded: 8,319 addresses, and ``MOST_UNDONE`` narrowings.

    Args:
        width: ``u8``, or a word of two bytes: ``u16`` (low byte first) or ``u16be``.
        memory: The bytes of ``REGIONS``, one region after the other.
    """

    def __init__(self, width: TapType, memory: bytes) -> None:
        self.width = width
        length = 1 if width is TapType.U8 else 2
        starts = [np.arange(first, last + 2 - length) for first, last in REGIONS]
        self.addresses = np.concatenate(starts)
        offsets, before = [], 0
        for (first, last), found in zip(REGIONS, starts, strict=True):
            offsets.append(found - first + before)
            before += last - first + 1
        self._offsets = np.concatenate(offsets)
        self._now = self._read(memory)
        self._history = [_Moment(np.arange(len(self.addresses)), self._now)]

    @property
    def total(self) -> int:
        """Number of candidates."""
        return len(self._history[-1].places)

    @property
    def narrowings(self) -> int:
        """Number of narrowings that can be undone."""
        return len(self._history) - 1

    def update(self, memory: bytes) -> None:
        """Set the memory of this moment, which is searched next."""
        self._now = self._read(memory)

    def narrow(self, test: SearchTest, number: int | None = None) -> None:
        """Keep the candidates that pass a test, compared with their values at the last narrowing.

        Raises ValueError with a sentence if the test needs a number, or another one.
        """
        places, values = self._history[-1]
        most = 0xFF if self.width is TapType.U8 else 0xFFFF
        kept = _pass(test, number, most, self._now[places], values[places])
        self._history = [*self._history[-MOST_UNDONE:], _Moment(places[kept], self._now)]

    def undo(self) -> None:
        """Return to the candidates before the last narrowing. Raises ValueError if there was none."""
        if not self.narrowings:
            raise ValueError("There is no narrowing to undo.")
        self._history.pop()

    def candidates(self, most: int) -> list[Candidate]:
        """Return the first ``most`` candidates, by address."""
        places, values = self._history[-1]
        first = places[:most]
        columns = (self.addresses[first].tolist(), self._now[first].tolist(), values[first].tolist())
        return [Candidate(*row) for row in zip(*columns, strict=True)]

    def _read(self, memory: bytes) -> Numbers:
        content: Numbers = np.frombuffer(memory, np.uint8).astype(np.int64)
        one = content[self._offsets]
        if self.width is TapType.U8:
            return one
        two = content[self._offsets + 1]
        return one | two << 8 if self.width is TapType.U16 else one << 8 | two


def _pass(test: SearchTest, number: int | None, most: int, now: Numbers, before: Numbers) -> Any:
    """Return which values, 0 to ``most``, pass a test, as an array. Changes by a number wrap around: 255 increased
    by 1 is 0 in a byte.

    Raises ValueError with a sentence if the test needs a number, or another one.
    """
    is_change = test in (SearchTest.INCREASED, SearchTest.DECREASED)
    if number is not None and not (-most if is_change else 0) <= number <= most:
        what = "change by at most" if is_change else "are 0 to"
        raise ValueError(f"The numbers of this search {what} {most:,}. Enter such a number.")
    match test:
        case SearchTest.CHANGED:
            return now != before
        case SearchTest.UNCHANGED:
            return now == before
        case SearchTest.INCREASED:
            return now > before if number is None else (now - before - number) % (most + 1) == 0
        case SearchTest.DECREASED:
            return now < before if number is None else (before - now - number) % (most + 1) == 0
    if number is None:
        raise ValueError("Enter the number to compare with.")
    match test:
        case SearchTest.EQUAL:
            return now == number
        case SearchTest.NOT_EQUAL:
            return now != number
        case SearchTest.LESS:
            return now < number
        case SearchTest.GREATER:
            return now > number
