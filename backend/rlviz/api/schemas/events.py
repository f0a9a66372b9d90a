"""The lifecycle of a run, in words."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.events import KnownData, UnknownData


class EvaluationEnded(Wire):
    """An evaluation that somebody asked for has ended. It stands in no journal."""

    kind: Literal["evaluation"] = "evaluation"
    evaluation_id: str
    status: Literal["completed", "failed"]


EventDetails = Annotated[KnownData | UnknownData | EvaluationEnded, Field(discriminator="kind")]


class RunEvent(Wire):
    seq: int | None = Field(description="Position in the journal, from 1; null for an evaluation.")
    time: float = Field(description="Unix time, seconds.")
    step: int | None = Field(description="Environment steps done; null where the event belongs to none.")
    kind: str = Field(
        description="As in events.jsonl: started, checkpoint, warning, …; or one that a newer version writes; or "
        "evaluation."
    )
    level: Literal["info", "warning", "error"]
    message: str
    details: EventDetails


class RunEvents(Wire):
    run_id: str
    events: list[RunEvent] = Field(description="Oldest first; the newest 5,000 if there are more.")
    broken_lines: int = Field(description="Lines among these that are no events and were left out.")
