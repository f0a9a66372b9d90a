"""A value slice of a run's policy."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.wire import Wire


class SliceAxis(Wire):
    place: int = Field(description="Of the component in the observation, from 0.")
    name: str
    unit: str = Field(description="Empty where there is none.")
    low: float
    high: float


class RunValueSlice(Wire):
    """What the policy expects over two components of the observation, the others held at ``at``."""

    run_id: str
    step: int = Field(description="Training step of the policy.")
    x: SliceAxis
    y: SliceAxis
    at: list[float] = Field(description="The whole observation; its x and y count for nothing.")
    values: list[list[float | None]] = Field(
        description="64 rows, one for each y from the lowest, of 64 numbers, one for each x; null: not finite."
    )
    low: float = Field(description="The least of the values.")
    high: float = Field(description="The greatest.")
    kind: Literal["value", "q"] = Field(
        description="V(s), or the greatest Q(s, a); with continuous actions that of the action taken without noise."
    )


class SliceUnderWay(Wire):
    """The slice is being read; ask again."""

    run_id: str
    step: int
