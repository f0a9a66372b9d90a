"""Detail: how much is recorded of what is played, and what happens when that costs too much."""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel


class Detail(StrEnum):
    """How much of each step is recorded, from nothing to everything."""

    OFF = "off"
    MINIMAL = "minimal"
    STANDARD = "standard"
    FULL = "full"

    @property
    def below(self) -> Detail:
        """The next lower one; of ``off`` itself."""
        return _ORDER[max(0, _ORDER.index(self) - 1)]

    def is_at_least(self, other: Detail) -> bool:
        return _ORDER.index(self) >= _ORDER.index(other)


_ORDER = tuple(Detail)


ONLY_THE_LAST = 1_000_000
"""Where one frame in so many is hashed, only the last of an episode is: none is so long."""


class FrameReason(StrEnum):
    """Why a frame is kept as a picture. Where there is not room for all, those that come first here stay."""

    ERROR = "error"  # it is one of the last before the environment failed
    END = "end"  # it shows the end of an episode
    SPIKE = "spike"  # the reward stands out from all before
    INTERVAL = "interval"  # its turn came


class Lowered(LazyModel):
    """The detail was lowered, since recording cost more than it may."""

    model_config = ConfigDict(frozen=True)

    before: Detail
    after: Detail
    cost: float = Field(description="Time that recording took, as a share of the time without it.")
    most: float = Field(description="The share that it may take.")


class RecordingFacts(LazyModel):
    """At which detail something was recorded, and at what cost."""

    model_config = ConfigDict(frozen=True)

    detail: Detail = Field(description="As it was asked for.")
    lowered: Lowered | None = Field(None, description="The last time that it was lowered by itself; null: never.")
    cost: float | None = Field(
        None, description="Time that recording took, as a share of the time without it; null: too short to tell."
    )
