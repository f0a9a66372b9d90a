"""Space: describes a Gymnasium space for code that must not import Gymnasium; ``SpaceLayout`` says how step records
store its elements as rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

from rlviz.domain.lazy_model import LazyModel


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class StateFactor:
    """One of the quantities that a discrete state encodes; it has ``n`` values from ``start`` on.

    ``labels`` name the values in order; without labels, they are plain numbers.
    """

    name: str
    n: int
    start: int = 0
    labels: tuple[str, ...] = ()

    def value(self, place: int) -> str:
        """Return the value at index ``place`` as text."""
        return self.labels[place] if self.labels else str(self.start + place)


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Space:
    """Description of a space.

    Attributes:
        kind: Class name of the space.
        shape: Shape of an element.
        n: Number of elements (Discrete and MultiDiscrete only).
        labels: Names of the dimensions or actions.
        units: Units of the dimensions, in the order of their labels, such as ``m/s``; empty text for none.
        dtype: NumPy type of an element.
        factors: Quantities that the states of a Discrete space encode; the last one varies fastest.
        counts: Number of values of each number of a MultiDiscrete.
        starts: Least value of a Discrete, or of each number of a MultiDiscrete; empty if all are 0.
        is_bounded: Whether each number of a Box has two different finite bounds.
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
        """Return the value of each factor in ``state``."""
        values = []
        for factor in reversed(self.factors):
            state, place = divmod(state, factor.n)
            values.append(factor.value(place))
        return values[::-1]

    @property
    def is_real(self) -> bool:
        """Whether elements have real components; those of pictures are integers."""
        return self.kind == "Box" and self.dtype.startswith("float")

    @property
    def is_picture(self) -> bool:
        """Whether an element is a picture: height, width and optional colours, in bytes."""
        return self.kind == "Box" and len(self.shape) >= 2 and self.dtype == "uint8"


def discrete(n: int, *labels: str) -> Space:
    """Return a Discrete space of ``n`` elements."""
    return Space("Discrete", n=n, labels=labels, dtype="int64")


def box(
    *labels: str, units: tuple[str, ...] = (), shape: tuple[int, ...] | None = None, dtype: str = "float32"
) -> Space:
    """Return a Box space; by default its shape follows from the labels."""
    return Space("Box", shape=shape or (len(labels),), labels=labels, units=units, dtype=dtype)


def factored(*factors: StateFactor) -> Space:
    """Return a Discrete space whose states encode all combinations of ``factors``."""
    return Space("Discrete", n=prod(factor.n for factor in factors), dtype="int64", factors=factors)


def grid_states(rows: int, columns: int) -> Space:
    """Return the squares of a grid, row by row, as a Discrete space."""
    return factored(StateFactor("row", rows, start=1), StateFactor("column", columns, start=1))


MOST_NUMBERS = 1_024
"""Arrays with more numbers are stored as a hash, like pictures."""


class SpaceLayout(LazyModel):
    """A Gymnasium space, and how many numbers of each element are stored; parts follow one another."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    kind: str = Field(description="The space's class name.")
    key: str | None = Field(None, description="Key of this part in a Dict space.")
    shape: tuple[int, ...] = ()
    dtype: str = "float64"
    numbers: int = Field(0, ge=0, description="Stored numbers per element; 0: only a hash is stored.")
    low: list[float] | None = Field(None, description="Lower bounds of a stored Box, one per number.")
    high: list[float] | None = None
    counts: list[int] | None = Field(None, description="Number of values of a Discrete (one entry) or MultiDiscrete.")
    starts: list[int] | None = Field(None, description="The least of these values.")
    parts: tuple[SpaceLayout, ...] = Field((), description="Parts of a Dict or Tuple.")

    @property
    def is_hashed(self) -> bool:
        """Whether some part of an element is stored as a hash only."""
        return any(part.is_hashed for part in self.parts) if self.parts else self.numbers == 0

    def element(self, numbers: Sequence[JsonValue]) -> JsonValue:
        """Return the element that ``numbers`` encode.

        A number for a Discrete space, a list for an array, a list of parts for a composed space; None for hashed
        elements.
        """
        if self.parts:
            found, start = [], 0
            for part in self.parts:
                found.append(part.element(numbers[start : start + part.numbers]))
                start += part.numbers
            return found
        if not self.numbers:
            return None
        return numbers[0] if self.kind == "Discrete" else list(numbers)
