"""How a run is recorded, and frames that are kept."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Body, Wire
from rlviz.domain.recording import Detail, FrameReason, Lowered


class RecordingLevel(Wire):
    """A detail that can be chosen, from the lowest up."""

    detail: Detail
    keeps: str = Field(description="What is kept at it, in a sentence.")


class RunRecording(Wire):
    run_id: str
    detail: Detail = Field(description="At which it is recorded now.")
    chosen: Detail | None = Field(description="Chosen for this run; null: it is recorded as its family is.")
    of_family: Detail = Field(description="What the storage profile of its environment's family says.")
    levels: list[RecordingLevel]
    cost: float | None = Field(
        description="Time that recording took while the run went on, as a share of the time without it; null: nothing "
        "was recorded."
    )
    most_cost: float = Field(description="The share above which the detail is lowered by itself.")
    lowered: Lowered | None = Field(description="How it was lowered by itself since it was chosen; null: it was not.")
    lowered_at: int | None = Field(description="The step at which it was.")


class RecordingBody(Body):
    detail: Detail | None = Field(description="null: as the storage profile of its environment's family says.")


class KeptFrame(Wire):
    """A frame that is kept as a picture."""

    episode: int = Field(description="From 0.")
    index: int = Field(description="Of the step that it shows; 0 is the reset.")
    reason: FrameReason
    url: str


class KeptFrames(Wire):
    run_id: str
    evaluation_id: str
    frames: list[KeptFrame] = Field(description="In the order in which they were played; empty if none is kept.")
