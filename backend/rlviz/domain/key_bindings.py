"""Controls: which keys a person plays an environment with. A table, read by the browser and by the worker."""

from __future__ import annotations

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

RISE_SECONDS = 0.25
FALL_SECONDS = 0.15


@dataclass(frozen=True, config=ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True))
class Binding:
    """While all of ``keys`` are held, ``component`` of the action is ``value``, or on its way there.

    Of bindings for the same component that are held, the one with the most keys counts, and among those the one
    pressed last.
    """

    keys: tuple[str, ...] = Field(
        description="Held together; each by the name of its place (`KeyboardEvent.code`): `ArrowLeft`, `Space`, `KeyA`."
    )
    value: float = Field(description="The action, where actions are counted; otherwise the number to reach.")
    component: int = Field(
        default=0, ge=0, description="Place in the action, an array read row by row; 0 of a counted one."
    )
    label: str = Field(default="", description="What it does.")


@dataclass(frozen=True, config=ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True))
class Controls:
    bindings: tuple[Binding, ...]
    neutral: tuple[float | None, ...] = Field(
        description="Of each component: its value while none of its keys is held. Null: each of its values does "
        "something, and the episode waits for a key."
    )
    is_continuous: bool = Field(
        default=False,
        description="Whether components move gradually: to a bound within `rise_seconds`, back within `fall_seconds`.",
    )
    rise_seconds: float = Field(
        default=RISE_SECONDS, gt=0, description="From neutral to the bound, at the usual speed."
    )
    fall_seconds: float = Field(
        default=FALL_SECONDS, gt=0, description="From the bound back to neutral, at the usual speed."
    )
