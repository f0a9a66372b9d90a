"""Space: a description of a Gymnasium space for code that must not import Gymnasium.

How an element of a space is stored as a row of numbers in the columns of step records.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

from rlviz.domain.lazy_model import LazyModel


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class StateFactor:
    """One of several quantities that the number of a state stands for; it has ``n`` values, the least is ``start``.

    ``labels`` name the values, from the least on; without any they are the numbers themselves.
    """

    name: str
    n: int
    start: int = 0
    labels: tuple[str, ...] = ()

    def value(self, place: int) -> str:
        """The value at ``place``, from 0 for the least."""
        return self.labels[place] if self.labels else str(self.start + place)


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Space:
    """``kind`` is the space's class name; ``labels`` name dimensions or actions.

    ``units`` are those of the dimensions, in the order of their labels: ``m/s``, or an empty text where there is none.
    ``n`` is how many elements there are, of Discrete and MultiDiscrete only; ``counts`` are how many values each number
    of a MultiDiscrete has. ``starts`` are the least value of a Discrete, or of each number of a MultiDiscrete; empty if
    all are 0. ``factors`` are the quantities that the states of a Discrete space number; the last one changes from
    each state to the next. ``is_bounded``: whether each number of a Box has two finite bounds that differ.
    """

    kind: str
    shape: tuple[int, ...] = ()
    n: int | None = None
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    dtype: str = "float32"
    factors: tuple[StateFactor, ...] = ()
    counts: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    is_bounded: bool = True

    @property
    def size(self) -> int:
        """Number of components of one element."""
        return prod(self.shape)

    def decoded(self, state: int) -> list[str]:
        """The value of each factor in ``state``."""
        values = []
        for factor in reversed(self.factors):
            state, place = divmod(state, factor.n)
            values.append(factor.value(place))
        return values[::-1]

    @property
    def is_real(self) -> bool:
        """Whether an element has real components; those of pictures are integers."""
        return self.kind == "Box" and self.dtype.startswith("float")

    @property
    def is_picture(self) -> bool:
        """Whether an element is a picture: height, width and possibly colours, in bytes."""
        return self.kind == "Box" and len(self.shape) >= 2 and self.dtype == "uint8"


def discrete(n: int, *labels: str) -> Space:
    """A Discrete space of ``n`` elements."""
    return Space("Discrete", n=n, labels=labels, dtype="int64")


def box(
    *labels: str, units: tuple[str, ...] = (), shape: tuple[int, ...] | None = None, dtype: str = "float32"
) -> Space:
    """A Box; its shape is that of its labels unless one is given."""
    return Space("Box", shape=shape or (len(labels),), labels=labels, units=units, dtype=dtype)


def factored(*factors: StateFactor) -> Space:
    """A Discrete space whose states number all combinations of ``factors``."""
    return Space("Discrete", n=prod(factor.n for factor in factors), dtype="int64", factors=factors)


def grid_states(rows: int, columns: int) -> Space:
    """The squares of a grid, row by row."""
    return factored(StateFactor("row", rows, start=1), StateFactor("column", columns, start=1))


MOST_NUMBERS = 1_024
"""Arrays with more numbers than this are stored as a hash, as pictures are."""


class SpaceLayout(LazyModel):
    """A Gymnasium space, and how many numbers of each of its elements are stored, one part after the other."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    kind: str = Field(description="The space's class name.")
    key: str | None = Field(None, description="By what a Dict space knows this part.")
    shape: tuple[int, ...] = ()
    dtype: str = "float64"
    numbers: int = Field(0, ge=0, description="How many are kept; 0: its elements are known by their hash.")
    low: list[float] | None = Field(None, description="Of a Box that is kept, number by number.")
    high: list[float] | None = None
    counts: list[int] | None = Field(
        None, description="Of Discrete (one) and MultiDiscrete: how many values there are."
    )
    starts: list[int] | None = Field(None, description="And the least of them.")
    parts: tuple[SpaceLayout, ...] = Field((), description="Of Dict and Tuple.")

    @property
    def is_hashed(self) -> bool:
        """Whether some part of an element is stored as a hash alone."""
        return any(part.is_hashed for part in self.parts) if self.parts else self.numbers == 0

    def element(self, numbers: Sequence[JsonValue]) -> JsonValue:
        """The element that ``numbers`` stand for: a number for a Discrete space, a list for an array, a list of parts
        for a composed space; None for what is stored as a hash."""
        if self.parts:
            found, start = [], 0
            for part in self.parts:
                found.append(part.element(numbers[start : start + part.numbers]))
                start += part.numbers
            return found
        if not self.numbers:
            return None
        return numbers[0] if self.kind == "Discrete" else list(numbers)
