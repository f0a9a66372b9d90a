"""How much is kept of what is played, for each family of environments."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ByteSize, ConfigDict, Field


class StorageProfile(BaseModel):
    """Step records of the evaluations of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: bool = Field(True, description="Whether evaluations record their steps unless asked otherwise.")
    frames_every: int = Field(
        8, ge=1, le=1_000_000, description="Every so many frames are hashed; the last of an episode always is."
    )
    max_bytes: ByteSize = Field(
        ByteSize(200_000_000), ge=1_000_000, description="Records of a run: above, the oldest go; no file grows above."
    )


DEFAULT = StorageProfile()
DEFAULT_PROFILES: Mapping[str, StorageProfile] = {
    "toy-text": StorageProfile(frames_every=4),
    "classic-control": DEFAULT,
    "box2d": DEFAULT,
    "atari": StorageProfile(frames_every=1),
    "own": DEFAULT,
}
"""By family. To hash a frame of 600 × 400 takes about as long as to render it, so that only some of them are; those of
Atari are smaller. ``python -m benchmarks records`` measures what records add to an evaluation."""
