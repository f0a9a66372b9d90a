"""Space: a description of a Gymnasium space for code that must not import Gymnasium."""

from __future__ import annotations

from math import prod

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Space:
    """``kind`` is the space's class name; ``labels`` name dimensions or actions.

    ``units`` are those of the dimensions, in the order of their labels: ``m/s``, or an empty text where there is none.
    ``n`` is how many elements there are, of Discrete and MultiDiscrete only.
    """

    kind: str
    shape: tuple[int, ...] = ()
    n: int | None = None
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    dtype: str = "float32"

    @property
    def size(self) -> int:
        """Number of components of one element."""
        return prod(self.shape)

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
