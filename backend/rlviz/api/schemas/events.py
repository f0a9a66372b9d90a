"""The lifecycle of a run, in words."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.events import AnyEventData


class RunEvent(Wire):
    seq: int = Field(description="Position in the journal, from 1.")
    time: float = Field(description="Unix time, seconds.")
    step: int | None = Field(description="Environment steps done; null where the event belongs to none.")
    kind: str = Field(
        description="As in events.jsonl: started, checkpoint, warning, …; or one that a newer version writes."
    )
    level: Literal["info", "warning", "error"]
    message: str
    details: AnyEventData


class RunEvents(Wire):
    run_id: str
    events: list[RunEvent] = Field(description="Oldest first; the newest 5,000 if there are more.")
    broken_lines: int = Field(description="Lines among these that are no events and were left out.")
