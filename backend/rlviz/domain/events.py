"""What a run's ``events.jsonl`` holds: one lifecycle event a line, with data that each kind has of its own.

A line is ``{"seq": 4, "time": 1795236126.977, "event": "stopped", "step": 14337, "data": {"path": "model.zip"}}``.
Fields that are not known, and events of a kind that is not known, come from a newer version and hide nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_serializer, model_validator

from rlviz.domain.records import MAX_STEP
from rlviz.domain.status import RunStatus
from rlviz.domain.times import MAX_TIME


class EventKind(StrEnum):
    STARTED = "started"
    CHECKPOINT = "checkpoint"
    BEST = "best"
    WARNING = "warning"
    STOPPED = "stopped"
    FINISHED = "finished"
    ERROR = "error"
    INTERRUPTED = "interrupted"


class EventData(BaseModel):
    """What an event says besides its time and step. Each model has a ``kind``, which tells them apart."""

    model_config = ConfigDict(frozen=True)


class Ending(EventData):
    """An event that ends an attempt to train."""

    leads_to: ClassVar[RunStatus]
    """The status that the run then has."""

    attempt: int | None = Field(
        default=None, ge=1, description="Which attempt it ends; null: the one that began last, in older journals."
    )


class StartedData(EventData):
    """The worker has read its configuration."""

    kind: Literal[EventKind.STARTED] = EventKind.STARTED
    attempt: int = Field(default=1, ge=1, description="Which attempt to train the run begins.")
    worker: str | None = Field(default=None, description="By what its launcher finds the worker again.")

    @model_validator(mode="before")
    @classmethod
    def _read_version_0_1_0(cls, data: Any) -> Any:
        """The process of the worker stood in three fields then."""
        if isinstance(data, Mapping) and type(data.get("pid")) is int:
            process = (data["pid"], data.get("process_started_at"), data.get("boot_id") or "")
            return {"worker": "process:{}:{}:{}".format(*process), **data}
        return data


class CheckpointData(EventData):
    """A policy was saved."""

    kind: Literal[EventKind.CHECKPOINT] = EventKind.CHECKPOINT
    path: str = Field(description="Where, within the run folder.")
    request: int = Field(default=0, description="The last request for a checkpoint that this one answers.")


class BestData(EventData):
    """The best policy so far was kept. The figures are of the episodes that decided so."""

    kind: Literal[EventKind.BEST] = EventKind.BEST
    path: str = Field(description="Where, within the run folder.")
    mean_return: float
    std_return: float
    episodes: int


class WarningData(EventData):
    """Something that the user should know."""

    kind: Literal[EventKind.WARNING] = EventKind.WARNING
    message: str


class StoppedData(Ending):
    """Training ended on request."""

    leads_to = RunStatus.STOPPED
    kind: Literal[EventKind.STOPPED] = EventKind.STOPPED
    path: str | None = Field(default=None, description="The final policy; null if there was none to save yet.")


class FinishedData(Ending):
    """All timesteps were done, or the aim was reached."""

    leads_to = RunStatus.COMPLETED
    kind: Literal[EventKind.FINISHED] = EventKind.FINISHED
    path: str | None = Field(default=None, description="The final policy.")
    ended_early: str | None = Field(default=None, description="Why training ended before its timesteps were done.")


class ErrorData(Ending):
    """Training raised an error."""

    leads_to = RunStatus.FAILED
    kind: Literal[EventKind.ERROR] = EventKind.ERROR
    type: str = Field(description="Name of the exception.")
    message: str
    traceback: str = Field(default="", description="Its last lines; empty if the worker never began.")


class InterruptedData(Ending):
    """The worker went away without a word; written by the service."""

    leads_to = RunStatus.INTERRUPTED
    kind: Literal[EventKind.INTERRUPTED] = EventKind.INTERRUPTED
    cause: str


class UnknownData(EventData):
    """An event of a kind that a newer version writes."""

    kind: Literal["unknown"] = "unknown"
    name: str = Field(description="Its kind.")
    data: JsonValue = None


KnownData = (
    StartedData | CheckpointData | BestData | WarningData | StoppedData | FinishedData | ErrorData | InterruptedData
)
AnyEventData = Annotated[KnownData | UnknownData, Field(discriminator="kind")]


class EventRecord(BaseModel):
    """A line of ``events.jsonl``: one lifecycle event."""

    model_config = ConfigDict(frozen=True)

    seq: int = Field(ge=1, le=MAX_STEP)
    time: float = Field(ge=0, le=MAX_TIME, description="Unix time, seconds.")
    step: int = Field(ge=0, le=MAX_STEP)
    data: AnyEventData

    @property
    def event(self) -> str:
        """Its kind, as the journal calls it."""
        return self.data.name if isinstance(self.data, UnknownData) else self.data.kind

    @model_validator(mode="before")
    @classmethod
    def _from_line(cls, line: Any) -> Any:
        """The journal keeps the kind beside the data."""
        if not isinstance(line, Mapping) or not isinstance(name := line.get("event"), str):
            return line
        data = line.get("data", {})
        if name not in _KINDS:
            return {**line, "data": UnknownData(name=name, data=data)}
        return {**line, "data": {**data, "kind": name} if isinstance(data, Mapping) else data}

    @model_serializer
    def _to_line(self) -> dict[str, Any]:
        return {"seq": self.seq, "time": self.time, **event_line(self.step, self.data)}


def event_line(step: int, data: EventData) -> dict[str, JsonValue]:
    """An event as the journal keeps it; the writer adds ``seq`` and ``time``."""
    if isinstance(data, UnknownData):
        return {"event": data.name, "step": step, "data": data.data}
    fields = data.model_dump(mode="json", exclude_none=True)
    return {"event": fields.pop("kind"), "step": step, "data": fields}


def parse_event(record: Mapping[str, Any] | None) -> EventRecord | None:
    """The event that a line of the journal says; None for a line that says none."""
    try:
        return EventRecord.model_validate(record)
    except ValueError:
        return None


_KINDS = frozenset(EventKind)
