"""Verification: whether an evaluation that is played again gives the same step records."""

from enum import StrEnum

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel


class VerificationStatus(StrEnum):
    RUNNING = "running"  # waits for a worker, or the episodes are being played again
    COMPLETED = "completed"  # all records were compared, or a difference was found
    FAILED = "failed"  # the cause says why


class Difference(LazyModel):
    """The first record that came out otherwise, and the first of its columns that did."""

    model_config = ConfigDict(frozen=True)

    episode: int
    index: int
    column: str


class Verification(LazyModel):
    """``eval/<id>.verify.json``: written by the service when asked, replaced by the worker."""

    model_config = ConfigDict(frozen=True)

    status: VerificationStatus = VerificationStatus.RUNNING
    film: bool = Field(False, description="Whether it is filmed as well: there is a video if it is identical.")
    identical: bool | None = Field(None, description="Null before it is completed.")
    steps: int = Field(0, description="Records that were compared so far.")
    first_difference: Difference | None = None
    cause: str | None = Field(None, description="Why it failed, or what differs that no step shows.")
