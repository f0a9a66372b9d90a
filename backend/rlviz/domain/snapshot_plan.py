"""SnapshotPlan: when everything that training is gets saved."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from rlviz.domain.limits import DEFAULT_SNAPSHOT_BYTES, MAX_TIMESTEPS


class SnapshotPlan(BaseModel):
    """When everything that training is gets saved, so that it can go on from there: every N steps or M seconds,
    whichever comes first, and at the end."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    every_steps: int | None = Field(
        default=None, ge=100, le=MAX_TIMESTEPS, description="Environment steps between snapshots; null: by time alone."
    )
    every_seconds: float | None = Field(
        default=60.0, ge=1, le=86_400, description="Seconds between snapshots; null: by steps alone."
    )
    keep: int = Field(default=3, ge=1, le=100, description="Newest snapshots kept; those with a name stay anyway.")
    max_bytes: int = Field(
        default=DEFAULT_SNAPSHOT_BYTES,
        ge=1_000_000,
        description="What the snapshots of the run may take together; the newest and those with a name stay anyway.",
    )

    @property
    def is_on(self) -> bool:
        """Whether any is taken without being asked for."""
        return self.every_steps is not None or self.every_seconds is not None
