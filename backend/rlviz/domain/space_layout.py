"""How an element of a space is stored as a row of numbers in the columns of step records."""

from collections.abc import Sequence

from pydantic import ConfigDict, Field, JsonValue

from rlviz.domain.lazy_model import LazyModel

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
    parts: tuple["SpaceLayout", ...] = Field((), description="Of Dict and Tuple.")

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
