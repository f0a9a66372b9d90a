"""A line of a run's ``events.jsonl``: one lifecycle event, with data that its kind has of its own.

A line is ``{"seq": 4, "time": 1795236126.977, "schema_version": 2, "event": "stopped", "step": 14337, "data": {…}}``.
Fields that are not known, and events of a kind that is not known, come from a newer version and hide nothing else.
Lines of older versions are brought up to date by the registry in ``domain/versions``.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, JsonValue, model_serializer, model_validator

from rlviz.domain.events import AnyEventData, EventData, EventKind, UnknownData
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.records import MAX_STEP
from rlviz.domain.times import MAX_TIME
from rlviz.domain.versions import EVENTS, UnknownVersion
from rlviz.domain.versions.format import KEY

_KINDS = frozenset(EventKind)


class EventRecord(LazyModel):
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
        line = event_line(self.step, self.data)
        return {"seq": self.seq, "time": self.time, **{name: line[name] for name in ("event", "step", "data")}}


def event_line(step: int, data: EventData) -> dict[str, JsonValue]:
    """An event as the journal keeps it; the writer adds ``seq`` and ``time``."""
    if isinstance(data, UnknownData):
        return {"event": data.name, "step": step, "data": data.data}
    fields = data.model_dump(mode="json", exclude_none=True)
    return {KEY: EVENTS.current, "event": fields.pop("kind"), "step": step, "data": fields}


def parse_event(record: Mapping[str, Any] | None) -> EventRecord | None:
    """The event that a line of the journal says, whatever version wrote it; None for a line that says none. What a
    newer version says otherwise of a kind that is known is an event of an unknown kind."""
    if record is None:
        return None
    try:
        reading = EVENTS.read(record)
        return _parse(reading.document) or (_parse_newer(record) if reading.is_newer else None)
    except UnknownVersion:
        return None


def _parse(line: Mapping[str, Any]) -> EventRecord | None:
    try:
        return EventRecord.model_validate(line)
    except ValueError:
        return None


def _parse_newer(line: Mapping[str, Any]) -> EventRecord | None:
    data = UnknownData(name=str(line.get("event"))[:80], data=line.get("data"))
    return _parse({**{name: line.get(name) for name in ("seq", "time", "step")}, "data": data})
