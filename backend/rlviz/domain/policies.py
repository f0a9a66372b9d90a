"""Which policies of a run are kept."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class PolicyKind(StrEnum):
    LATEST = "latest"  # what training has come to, as far as it was saved
    BEST = "best"  # the one that periodic evaluation kept
    FILM = "film"  # weights alone, of a moment of training
    CHECKPOINT = "checkpoint"  # one of the newest few


class KeptPolicy(BaseModel):
    """A policy on disk. What is kept of one step under several names is the same policy, listed once."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Environment steps it was trained for.")
    kinds: list[PolicyKind] = Field(description="What it is kept as.")
    file: str = Field(description="The file that plays, relative to the run folder: the one that stays longest.")
    size_bytes: int = Field(ge=0, description="Of that file.")
