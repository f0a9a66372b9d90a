"""Value slices: what a policy expects over two components of the observation, with the others held constant."""

import hashlib
from typing import Literal

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel

RESOLUTION = 64
"""Number of points along each of the two components."""

MOST_COMPONENTS = 1_024
"""Observations with more numbers than this are treated as pictures, for which two numbers say nothing."""


class SlicePlan(LazyModel):
    """Which slice: two places in the observation, and where the others are held."""

    model_config = ConfigDict(frozen=True)

    x: int = Field(ge=0)
    y: int = Field(ge=0)
    at: list[float] | None = Field(None, description="The whole observation; null: the middle of its bounds.")
    evaluation_id: str | None = Field(
        None, description="Its step records say how far a component without bounds reaches; null: nothing is known."
    )

    def slice_id(self, step: int) -> str:
        """Id of the slice for the policy at ``step``. The values of x and y themselves in ``at`` make no difference."""
        held = [number for place, number in enumerate(self.at or []) if place not in (self.x, self.y)]
        text = f"{self.at is None} {held} {self.evaluation_id}"
        digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        return f"slice_{step}_{self.x}_{self.y}_{digest}"


class SliceRange(LazyModel):
    """How far a slice reaches along one component."""

    model_config = ConfigDict(frozen=True)

    low: float
    high: float


class ValueSlice(LazyModel):
    """What the worker has read. ``values``: one row for each y, from the lowest; in it one number for each x."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["value", "q"]
    x: SliceRange
    y: SliceRange
    at: list[float]
    values: list[list[float | None]]
    low: float
    high: float
