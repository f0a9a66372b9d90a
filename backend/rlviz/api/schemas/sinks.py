"""The sinks of a run."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.sinks import SinkKind
from rlviz.services.use_cases.sinks import SinkState


class RunSink(Wire):
    kind: SinkKind
    label: str
    live: bool = Field(description="Whether the service keeps it up with the run; otherwise it was exported once.")
    state: SinkState
    place: str | None = Field(description="Where to look at it: an address, a file or a folder.")
    offline: bool = Field(description="It is in a folder of this machine, to be sent once there is a login.")
    rows: int = Field(description="Rows of metrics that are there.")
    step: int | None = Field(description="Of the newest row that is there.")
    waiting_bytes: int = Field(description="Of metrics that are not there yet.")
    problem: str | None = Field(description="Why the last attempt ended early; null: it did not.")
    attempts: int = Field(description="Attempts in a row that ended early.")
    updated_at: float | None = Field(description="Unix seconds; null: nothing was tried yet.")


class RunSinks(Wire):
    run_id: str
    sinks: list[RunSink]
