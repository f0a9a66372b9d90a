"""StorageProfile: how much is stored of what is played, for each family of environments."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ByteSize, ConfigDict, Field


class StorageProfile(BaseModel):
    """Step records of the evaluations of a run, and the pictures that the agent saw."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: bool = Field(True, description="Whether evaluations record their steps unless asked otherwise.")
    frames_every: int = Field(
        8, ge=1, le=1_000_000, description="Every so many frames are hashed; the last of an episode always is."
    )
    pictures: bool = Field(
        True, description="Whether what the agent saw is kept beside the newest videos, where that are pictures."
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
"""Default profiles by family. To hash a frame of 600 × 400 takes about as long as to render it, so only some of them
are hashed; those of Atari are smaller. ``python -m benchmarks records`` measures what records add to an evaluation."""
