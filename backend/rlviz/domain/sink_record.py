"""What a run folder records about sinks: which ones follow the run, and how much each has received."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.sinks import SinkKind


class SinkPlan(LazyModel):
    """``sinks/plan.json``: the sinks that the service keeps up to date automatically."""

    model_config = ConfigDict(frozen=True)

    kinds: tuple[SinkKind, ...] = ()


class SinkRecord(LazyModel):
    """``sinks/<kind>.json``: how much of the run a sink has received. The run's journal is the queue."""

    model_config = ConfigDict(frozen=True)

    kind: SinkKind
    foreign_id: str | None = Field(None, description="Id of the run in the sink; null: nothing was delivered yet.")
    place: str | None = Field(None, description="Where to view it: an address, a file or a folder.")
    offset: int = Field(0, ge=0, description="Bytes of metrics.jsonl that the sink confirmed.")
    step: int | None = Field(None, description="Step of the newest delivered row.")
    rows: int = Field(0, ge=0, description="Delivered rows.")
    described: str | None = Field(
        None, description="State of the run folder when summary, status and labels were last sent."
    )
    offline: bool = Field(False, description="The data waits in a local folder until there is a login.")
    renamed: dict[str, str] = Field(
        default_factory=dict, description="Metrics that the sink names differently, with their names there."
    )
    problem: str | None = Field(None, description="Why the last delivery failed; null: it succeeded.")
    attempts: int = Field(0, ge=0, description="Consecutive failed deliveries.")
    updated_at: float = Field(0.0, description="Unix seconds.")
