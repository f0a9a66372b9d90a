"""Lifecycle events of a run: the kinds, the data of each, and the lines of ``events.jsonl``.

Also here, because they follow from events: ``Superseded``, the rows that a later attempt replaced, and
``RuleMessages``, the messages that rules left for the user.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue, model_serializer, model_validator

from rlviz.domain.ids import MAX_TIME
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.metrics import MAX_STEP
from rlviz.domain.recording import Detail, Lowered
from rlviz.domain.rules import Author, KnobChange, Override
from rlviz.domain.snapshots import Trigger
from rlviz.domain.status import RunStatus
from rlviz.domain.versions import EVENTS, KEY, UnknownVersion


class EventKind(StrEnum):
    STARTED = "started"
    CHECKPOINT = "checkpoint"
    BEST = "best"
    SNAPSHOT = "snapshot"
    WARNING = "warning"
    PAUSING = "pausing"
    PAUSED = "paused"
    RESUMED = "resumed"
    DIVERGED = "diverged"
    ROLLBACK = "rollback"
    HYPERPARAMETER_CHANGED = "hyperparameter_changed"
    RULES_CHANGED = "rules_changed"
    RECORDED = "recorded"
    RECORDING_CHANGED = "recording_changed"
    RULE_FIRED = "rule_fired"
    STOPPED = "stopped"
    FINISHED = "finished"
    ERROR = "error"
    INTERRUPTED = "interrupted"
    REFUSED = "refused"


class EventData(LazyModel):
    """Data of an event besides its time and step. The ``kind`` of each model tells them apart."""

    model_config = ConfigDict(frozen=True)


class Stretch(LazyModel):
    """A range of rows of ``metrics.jsonl`` that a later attempt replaces, both ends included."""

    model_config = ConfigDict(frozen=True)

    first: int = Field(ge=1, description="seq of the first row.")
    last: int = Field(ge=0, description="seq of the last row; less than `first` if there are no rows.")
    attempt: int = Field(default=1, ge=1, description="The attempt that replaces them.")
    beyond: int | None = Field(
        default=None,
        description="The step that the run went back to; all earlier work beyond it is superseded.",
    )


class Ending(EventData):
    """An event that ends a training attempt."""

    leads_to: ClassVar[RunStatus]
    """Status of the run after this event."""

    attempt: int | None = Field(
        default=None, ge=1, description="Attempt that ends; null: the newest one (older journals)."
    )
    processor_seconds: float | None = Field(
        default=None,
        ge=0,
        description="Processor time of all threads of the worker in this attempt; null: unknown.",
    )


class StartedData(EventData):
    """The worker has read its configuration and starts an attempt."""

    kind: Literal[EventKind.STARTED] = EventKind.STARTED
    attempt: int = Field(default=1, ge=1, description="Number of the attempt that starts.")
    worker: str | None = Field(default=None, description="Identity by which its launcher finds the worker again.")
    snapshot: str | None = Field(
        default=None, description="The snapshot it resumes from; null: it starts from the beginning."
    )
    total_timesteps: int | None = Field(
        default=None, description="Steps to train for, if the run was extended; null: as configured."
    )
    not_exact_because: str | None = Field(
        default=None, description="Why it does not resume bit for bit; null: it does, or there is no snapshot."
    )


class CheckpointData(EventData):
    """A policy was saved."""

    kind: Literal[EventKind.CHECKPOINT] = EventKind.CHECKPOINT
    path: str = Field(description="Path within the run folder.")
    request: int = Field(default=0, description="Number of the newest checkpoint request that this one answers.")


class BestData(EventData):
    """The best policy so far was saved. The figures are from the episodes that selected it."""

    kind: Literal[EventKind.BEST] = EventKind.BEST
    path: str = Field(description="Path within the run folder.")
    mean_return: float
    std_return: float
    episodes: int


class SnapshotData(EventData):
    """The complete training state at this step was written to disk."""

    kind: Literal[EventKind.SNAPSHOT] = EventKind.SNAPSHOT
    name: str = Field(description="Name of the snapshot.")
    trigger: Trigger
    bytes: int = Field(ge=0, description="Size of its file, without the segments of the replay buffer.")
    capture_ms: float = Field(ge=0, description="Milliseconds for which it paused training.")
    request: int = Field(default=0, ge=0, description="Number of the user's request that it answers.")


class WarningData(EventData):
    """Something that the user should know."""

    kind: Literal[EventKind.WARNING] = EventKind.WARNING
    message: str


class PausingData(EventData):
    """A pause was requested during a rollout: training continues to its end, and holds back its rows until then."""

    kind: Literal[EventKind.PAUSING] = EventKind.PAUSING
    saves_at: int = Field(description="Step at which the snapshot is taken.")


class ResumedData(EventData):
    """The rows that the journal held beyond the snapshot were computed again with identical results."""

    kind: Literal[EventKind.RESUMED] = EventKind.RESUMED
    snapshot: str = Field(description="The snapshot that the attempt resumed from.")
    verified: int = Field(ge=0, description="Number of identical rows.")
    left: int = Field(default=0, ge=0, description="Rows that the attempt did not reach before it ended.")


class DivergedData(EventData):
    """A row beyond the snapshot was computed again with another result: from it on, the newest attempt counts."""

    kind: Literal[EventKind.DIVERGED] = EventKind.DIVERGED
    snapshot: str = Field(description="The snapshot that the attempt resumed from.")
    verified: int = Field(ge=0, description="Number of identical rows before it.")
    metric: str | None = Field(default=None, description="First metric that differs; null: the row did not exist.")
    recorded: float | None = None
    computed: float | None = None
    superseded: Stretch = Field(description="Rows that this attempt replaces.")


class RollbackData(EventData):
    """The run continues from an earlier snapshot: everything after it is no longer part of the run."""

    kind: Literal[EventKind.ROLLBACK] = EventKind.ROLLBACK
    snapshot: str = Field(description="The snapshot that the run went back to.")
    superseded: Stretch = Field(description="Rows after the snapshot.")
    taken_in: int = Field(default=1, ge=0, description="Attempt that took the snapshot; 0: the parent of a fork.")
    rule: int | None = Field(default=None, description="Number of the rule that rolled back; null: the user did.")
    says: str | None = Field(default=None, description="The rule as text.")
    count: int = Field(default=0, ge=0, description="How often the rule has fired in this run.")


class HyperparameterChangedData(EventData):
    """A hyperparameter was changed during training; the event's step is the first one with the new value."""

    kind: Literal[EventKind.HYPERPARAMETER_CHANGED] = EventKind.HYPERPARAMETER_CHANGED
    name: str
    before: float = Field(description="Previous value; of a schedule, the value at this step.")
    after: float
    change: KnobChange = Field(description="The requested change.")
    by: Author
    rule: int | None = Field(default=None, description="Number of the rule that changed it.")
    request: int = Field(default=0, ge=0, description="Number of the user's request that it answers.")
    replaced_schedule: bool = Field(default=False, description="Whether the change replaced a schedule.")
    limited: bool = Field(default=False, description="Whether bounds limited the requested change.")
    factor: float | None = Field(
        default=None,
        description="Factor on the configured value or schedule from now on; null: `after` replaces it.",
    )

    @property
    def override(self) -> Override:
        """Return the change as an override of the configured value or schedule."""
        return Override(value=self.after) if self.factor is None else Override(factor=self.factor)


class RulesChangedData(EventData):
    """The run has these rules from this step on."""

    kind: Literal[EventKind.RULES_CHANGED] = EventKind.RULES_CHANGED
    rules: list[str] = Field(description="The rules as text.")


class RecordedData(EventData):
    """Episodes were recorded during training."""

    kind: Literal[EventKind.RECORDED] = EventKind.RECORDED
    evaluation: str = Field(description="Id of the evaluation that stores them.")
    episodes: int = Field(ge=1)
    cost: float | None = Field(
        default=None,
        ge=0,
        description="Time spent on recording, as a share of the time without it; null: too short to measure.",
    )


class RecordingChangedData(EventData):
    """The run is recorded at another level of detail from here on."""

    kind: Literal[EventKind.RECORDING_CHANGED] = EventKind.RECORDING_CHANGED
    detail: Detail
    lowered: Lowered | None = Field(
        default=None, description="Why it was lowered automatically; null: the user chose it."
    )


class RuleFiredData(EventData):
    """The condition of a rule became true."""

    kind: Literal[EventKind.RULE_FIRED] = EventKind.RULE_FIRED
    rule: int = Field(ge=1, description="Its number among the rules, from 1.")
    says: str = Field(description="The rule as text.")
    done: list[str] = Field(default=[], description="Actions done, as text.")
    not_done: list[str] = Field(default=[], description="Actions not done and why, one sentence each.")
    notify: str | None = Field(default=None, description="Message for the user; null: none.")
    count: int = Field(default=1, ge=1, description="How often it has fired in this run.")
    is_last: bool = Field(default=False, description="Whether the rule does not fire again.")


class PausedData(Ending):
    """The attempt paused; a snapshot holds the complete training state."""

    leads_to = RunStatus.PAUSED
    kind: Literal[EventKind.PAUSED] = EventKind.PAUSED
    snapshot: str | None = Field(
        default=None, description="The snapshot to resume from; null: none exists, and training starts over."
    )
    path: str | None = Field(default=None, description="The current policy; null if it could not be saved.")


class StoppedData(Ending):
    """Training ended on request, or by a rule that saves nothing."""

    leads_to = RunStatus.STOPPED
    kind: Literal[EventKind.STOPPED] = EventKind.STOPPED
    path: str | None = Field(default=None, description="The final policy; null if there was none to save.")
    ended_early: str | None = Field(
        default=None, description="The rule that ended it without saving; null: the user stopped it."
    )


class FinishedData(Ending):
    """All timesteps are done, or the goal was reached."""

    leads_to = RunStatus.COMPLETED
    kind: Literal[EventKind.FINISHED] = EventKind.FINISHED
    path: str | None = Field(default=None, description="The final policy.")
    ended_early: str | None = Field(default=None, description="Why training ended before its timesteps were done.")


class ErrorData(Ending):
    """Training raised an error."""

    leads_to = RunStatus.FAILED
    kind: Literal[EventKind.ERROR] = EventKind.ERROR
    type: str = Field(description="Class name of the exception.")
    message: str
    traceback: str = Field(default="", description="Last lines of the traceback; empty if the worker never started.")


class InterruptedData(Ending):
    """The worker disappeared without an ending; the service writes this event."""

    leads_to = RunStatus.INTERRUPTED
    kind: Literal[EventKind.INTERRUPTED] = EventKind.INTERRUPTED
    cause: str
    trained_until: float | None = Field(default=None, description="Unix time of the last row, seconds; null: unknown.")


class RefusedData(EventData):
    """An attempt could not start from its snapshot: the run stays as the previous attempt left it."""

    kind: Literal[EventKind.REFUSED] = EventKind.REFUSED
    attempt: int = Field(ge=1, description="Number of the refused attempt.")
    message: str = Field(description="The reason, and what you can do.")


class UnknownData(EventData):
    """An event of a kind that only a newer version knows."""

    kind: Literal["unknown"] = "unknown"
    name: str = Field(description="Kind of the event.")
    data: JsonValue = None


KnownData = (
    StartedData
    | CheckpointData
    | BestData
    | SnapshotData
    | WarningData
    | PausingData
    | PausedData
    | ResumedData
    | DivergedData
    | RollbackData
    | HyperparameterChangedData
    | RulesChangedData
    | RecordedData
    | RecordingChangedData
    | RuleFiredData
    | StoppedData
    | FinishedData
    | ErrorData
    | InterruptedData
    | RefusedData
)
AnyEventData = Annotated[KnownData | UnknownData, Field(discriminator="kind")]


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
        """Kind of the event, as stored in the journal."""
        return self.data.name if isinstance(self.data, UnknownData) else self.data.kind

    @model_validator(mode="before")
    @classmethod
    def _from_line(cls, line: Any) -> Any:
        """Move the kind, which the journal stores beside the data, into the data."""
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
    """Return an event as a journal line; the writer adds ``seq`` and ``time``."""
    if isinstance(data, UnknownData):
        return {"event": data.name, "step": step, "data": data.data}
    fields = data.model_dump(mode="json", exclude_none=True)
    return {KEY: EVENTS.current, "event": fields.pop("kind"), "step": step, "data": fields}


def parse_event(record: Mapping[str, Any] | None) -> EventRecord | None:
    """Return the event in a journal line, written by any version; None if the line holds no event.

    A known kind with data that only a newer version understands becomes an ``UnknownData`` event.
    """
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


class Superseded:
    """A set of rows given by ranges of their ``seq``. Ranges may overlap and come in any order."""

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self.stretches = tuple(stretches)
        self._merged = _merge(self.stretches)
        self._firsts = [first for first, _ in self._merged]

    def by(self, attempt: int) -> Superseded:
        """Return the rows that ``attempt`` and earlier attempts replaced: the state of things while it trained."""
        return Superseded(stretch for stretch in self.stretches if stretch.attempt <= attempt)

    def __contains__(self, seq: int) -> bool:
        place = bisect_right(self._firsts, seq) - 1
        return place >= 0 and seq <= self._merged[place][1]

    @property
    def merged(self) -> tuple[tuple[int, int], ...]:
        """Return the same rows as sorted ranges (first, last) that neither overlap nor adjoin."""
        return tuple(self._merged)

    def __bool__(self) -> bool:
        return bool(self._merged)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Superseded) and self._merged == other._merged

    def __hash__(self) -> int:
        return hash(tuple(self._merged))


def _merge(stretches: Iterable[Stretch]) -> list[tuple[int, int]]:
    """Return the same rows as sorted ranges that neither overlap nor adjoin."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted((one.first, one.last) for one in stretches if one.first <= one.last):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return merged


KEPT = 5
"""Number of newest messages that keep their text. A client that looks regularly misses none."""


class RuleMessage(LazyModel):
    """The message of one firing of a rule to the user."""

    model_config = ConfigDict(frozen=True)

    rule: int = Field(ge=1, description="Number of the rule, from 1.")
    time: float = Field(description="Unix time, seconds.")
    step: int
    message: str


class RuleMessages(LazyModel):
    """Messages of a run. ``count`` is the number of all messages; ``newest`` holds the last ones, oldest first."""

    model_config = ConfigDict(frozen=True)

    count: int = Field(default=0, ge=0)
    newest: tuple[RuleMessage, ...] = ()

    def with_one(self, event: EventRecord, fired: RuleFiredData) -> RuleMessages:
        """Return the messages with a new one from ``event``, whose data is ``fired``."""
        message = RuleMessage(rule=fired.rule, time=event.time, step=event.step, message=fired.notify or fired.says)
        return RuleMessages(count=self.count + 1, newest=(*self.newest, message)[-KEPT:])

    def after(self, count: int) -> tuple[RuleMessage, ...]:
        """Return the messages after the first ``count``, as far as they are kept."""
        return self.newest[-missing:] if (missing := self.count - count) > 0 else ()
