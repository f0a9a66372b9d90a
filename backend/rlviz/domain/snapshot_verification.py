"""Verification of a snapshot: whether training that is brought to it is what its file holds."""

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.verification import VerificationStatus


class VerifiedPart(LazyModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(description="model, optimizers, generators, environments, replay or counters.")
    identical: bool
    first_difference: str | None = Field(None, description="Where in the part, and what was found there.")


class SnapshotVerification(LazyModel):
    """``snapshots/<name>.verify.json``: written by the service when asked, replaced by the worker."""

    model_config = ConfigDict(frozen=True)

    status: VerificationStatus = VerificationStatus.RUNNING
    whole: bool | None = Field(
        None,
        description="Whether the file and its part of the replay buffer are what this installation wrote. Null before "
        "it is completed.",
    )
    identical: bool | None = Field(
        None, description="Whether all parts are. Null if training cannot be brought to the snapshot: `cause` says why."
    )
    parts: list[VerifiedPart] = Field([])
    first_difference: str | None = Field(None, description="That of the first part that is not identical.")
    exact: bool | None = Field(None, description="Whether training goes on from it bit for bit, here and now.")
    reasons: list[str] = Field([], description="Why it does not, one sentence each.")
    cause: str | None = Field(None, description="Why it failed, or why the snapshot is refused.")
