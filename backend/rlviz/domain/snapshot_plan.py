"""SnapshotPlan: when everything that training is gets saved, and how much of that is kept."""

from typing import Self

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_SNAPSHOT_SECONDS, DEFAULT_SNAPSHOTS_KEPT, LIMITS


class SnapshotPlan(LazyModel):
    """When everything that training is gets saved, so that it can go on from there: every N steps or M seconds,
    whichever comes first, and at the end. With neither, none is taken by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    every_steps: int | None = Field(
        default=None,
        ge=LIMITS.snapshot_every_steps.minimum,
        le=LIMITS.snapshot_every_steps.maximum,
        description="Environment steps between snapshots; null: by time alone.",
    )
    every_seconds: float | None = Field(
        default=float(DEFAULT_SNAPSHOT_SECONDS),
        ge=LIMITS.snapshot_every_seconds.minimum,
        le=LIMITS.snapshot_every_seconds.maximum,
        description="Seconds between snapshots; null: by steps alone.",
    )
    keep: int = Field(
        default=DEFAULT_SNAPSHOTS_KEPT,
        ge=LIMITS.snapshots_kept.minimum,
        le=LIMITS.snapshots_kept.maximum,
        description="Newest snapshots kept; those with a name stay anyway.",
    )
    max_bytes: int | None = Field(
        default=None,
        ge=LIMITS.snapshot_bytes.minimum,
        le=LIMITS.snapshot_bytes.maximum,
        description="What the snapshots of the run may take together; the newest and those with a name stay anyway. "
        "null: what RLVIZ_SNAPSHOT_BYTES says when the run is created.",
    )

    @property
    def is_on(self) -> bool:
        """Whether any is taken without being asked for."""
        return self.every_steps is not None or self.every_seconds is not None

    def within(self, max_bytes: int) -> Self:
        """With ``max_bytes``, unless it says otherwise."""
        return self if self.max_bytes is not None else self.model_copy(update={"max_bytes": max_bytes})
