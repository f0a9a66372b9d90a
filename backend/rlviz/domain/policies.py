"""The kinds of policies that a run keeps."""

from enum import StrEnum

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel


class PolicyKind(StrEnum):
    LATEST = "latest"  # the newest saved state of training
    BEST = "best"  # the one that periodic evaluation found best
    FILM = "film"  # weights only, from a step of training, for the filmstrip
    CHECKPOINT = "checkpoint"  # one of the newest checkpoints


class KeptPolicy(LazyModel):
    """A policy on disk. What is kept of one step under several names is the same policy, listed once."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Environment steps it was trained for.")
    kinds: list[PolicyKind] = Field(description="What it is kept as.")
    file: str = Field(description="The file that plays, relative to the run folder: the one that stays longest.")
    size_bytes: int = Field(ge=0, description="Of that file.")
