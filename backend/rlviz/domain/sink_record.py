"""What a run folder records of its sinks: which it is delivered to as it trains, and how far each has it."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.sinks import SinkKind


class SinkPlan(LazyModel):
    """``sinks/plan.json``: the sinks that the service keeps up with the run, without being asked again."""

    model_config = ConfigDict(frozen=True)

    kinds: tuple[SinkKind, ...] = ()


class SinkRecord(LazyModel):
    """``sinks/<kind>.json``: how far a sink has the run. The journal of the run is what waits to be delivered."""

    model_config = ConfigDict(frozen=True)

    kind: SinkKind
    foreign_id: str | None = Field(None, description="Of the run there; null: nothing was delivered yet.")
    place: str | None = Field(None, description="Where to look at it: an address, a file or a folder.")
    offset: int = Field(0, ge=0, description="Bytes of metrics.jsonl that are there, for certain.")
    step: int | None = Field(None, description="Of the newest row that is there.")
    rows: int = Field(0, ge=0, description="Rows that are there.")
    described: str | None = Field(
        None, description="State of the run's folder that its summary, status and labels there were read from."
    )
    offline: bool = Field(False, description="It is in a folder of this machine, to be sent once there is a login.")
    renamed: dict[str, str] = Field(
        default_factory=dict, description="Metrics whose names it does not take, with what they are called there."
    )
    problem: str | None = Field(None, description="Why the last attempt ended early; null: it did not.")
    attempts: int = Field(0, ge=0, description="Attempts in a row that ended early.")
    updated_at: float = Field(0.0, description="Unix seconds.")
