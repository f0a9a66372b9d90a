"""What can happen in a run: one kind of lifecycle event each, with a model of its data. Lines: ``event_lines.py``.

A line of a run's ``events.jsonl``: one lifecycle event, with data that its kind has of its own.

Superseded: the rows of a run's journal in whose place those of a later attempt have come.

What the rules of a run have left for its user.
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
    """What an event says besides its time and step. Each model has a ``kind``, which tells them apart."""

    model_config = ConfigDict(frozen=True)


class Stretch(LazyModel):
    """Rows of ``metrics.jsonl`` in whose place those of a later attempt come, both ends included."""

    model_config = ConfigDict(frozen=True)

    first: int = Field(ge=1, description="seq of the first.")
    last: int = Field(ge=0, description="seq of the last; less than that of the first: there are none.")
    attempt: int = Field(default=1, ge=1, description="The later attempt.")
    beyond: int | None = Field(
        default=None,
        description="The step that the run went back to: what earlier attempts did beyond is superseded, rows or not.",
    )


class Ending(EventData):
    """An event that ends an attempt to train."""

    leads_to: ClassVar[RunStatus]
    """The status that the run then has."""

    attempt: int | None = Field(
        default=None, ge=1, description="Which attempt it ends; null: the one that began last, in older journals."
    )
    processor_seconds: float | None = Field(
        default=None,
        ge=0,
        description="What all threads of the worker used in this attempt; null: not known.",
    )


class StartedData(EventData):
    """The worker has read its configuration."""

    kind: Literal[EventKind.STARTED] = EventKind.STARTED
    attempt: int = Field(default=1, ge=1, description="Which attempt to train the run begins.")
    worker: str | None = Field(default=None, description="By what its launcher finds the worker again.")
    snapshot: str | None = Field(default=None, description="The snapshot it goes on from; null: from the beginning.")
    total_timesteps: int | None = Field(
        default=None, description="Steps to train for, if not those of the configuration: the run was made longer."
    )
    not_exact_because: str | None = Field(
        default=None, description="Why it does not go on from it bit for bit; null: it does, or there is none."
    )


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


class SnapshotData(EventData):
    """Everything that training was at this step is on disk."""

    kind: Literal[EventKind.SNAPSHOT] = EventKind.SNAPSHOT
    name: str = Field(description="How it is asked for.")
    trigger: Trigger
    bytes: int = Field(ge=0, description="Of its file, without the segments of the replay buffer.")
    capture_ms: float = Field(ge=0, description="Milliseconds for which it held training up.")
    request: int = Field(default=0, ge=0, description="Number of the request of a person that this one answers.")


class WarningData(EventData):
    """Something that the user should know."""

    kind: Literal[EventKind.WARNING] = EventKind.WARNING
    message: str


class PausingData(EventData):
    """A pause was asked for within a rollout: training goes on, with its rows held back, to where that ends."""

    kind: Literal[EventKind.PAUSING] = EventKind.PAUSING
    saves_at: int = Field(description="Step at which the snapshot will be taken.")


class ResumedData(EventData):
    """What the journal held beyond the snapshot was computed again, and came out the same."""

    kind: Literal[EventKind.RESUMED] = EventKind.RESUMED
    snapshot: str = Field(description="The snapshot that the attempt began from.")
    verified: int = Field(ge=0, description="Rows that are identical.")
    left: int = Field(default=0, ge=0, description="Rows that the attempt did not come to before it ended.")


class DivergedData(EventData):
    """What the journal held beyond the snapshot came out otherwise: from this row on the newest attempt counts."""

    kind: Literal[EventKind.DIVERGED] = EventKind.DIVERGED
    snapshot: str = Field(description="The snapshot that the attempt began from.")
    verified: int = Field(ge=0, description="Rows that were identical before.")
    metric: str | None = Field(default=None, description="What differs first; null: there was no such row.")
    recorded: float | None = None
    computed: float | None = None
    superseded: Stretch = Field(description="Rows in whose place those of this attempt come.")


class RollbackData(EventData):
    """The run goes on from an earlier snapshot: what came after that is no part of it any more."""

    kind: Literal[EventKind.ROLLBACK] = EventKind.ROLLBACK
    snapshot: str = Field(description="The snapshot that the attempt began from.")
    superseded: Stretch = Field(description="Rows that came after.")
    taken_in: int = Field(default=1, ge=0, description="The attempt that took the snapshot; 0: the run forked from.")
    rule: int | None = Field(default=None, description="Number of the rule that went back; null: a person did.")
    says: str | None = Field(default=None, description="That rule in words.")
    count: int = Field(default=0, ge=0, description="How often that rule has fired in this run.")


class HyperparameterChangedData(EventData):
    """A hyperparameter was changed while the run trains; the event's step is the first with it."""

    kind: Literal[EventKind.HYPERPARAMETER_CHANGED] = EventKind.HYPERPARAMETER_CHANGED
    name: str
    before: float = Field(description="Its value so far: of a schedule, at this step.")
    after: float
    change: KnobChange = Field(description="What was asked for.")
    by: Author
    rule: int | None = Field(default=None, description="Number of the rule that changed it.")
    request: int = Field(default=0, ge=0, description="Number of the request of a person that this one answers.")
    replaced_schedule: bool = Field(default=False, description="Whether a schedule ended with it.")
    limited: bool = Field(default=False, description="Whether its bounds allowed less than was asked for.")
    factor: float | None = Field(
        default=None,
        description="What the course that the configuration gives it is multiplied by since; null: `after` has taken "
        "the place of that course.",
    )

    @property
    def override(self) -> Override:
        """What has become of its course."""
        return Override(value=self.after) if self.factor is None else Override(factor=self.factor)


class RulesChangedData(EventData):
    """From this step on the run has these rules."""

    kind: Literal[EventKind.RULES_CHANGED] = EventKind.RULES_CHANGED
    rules: list[str] = Field(description="In words.")


class RecordedData(EventData):
    """Episodes were recorded while the run went on."""

    kind: Literal[EventKind.RECORDED] = EventKind.RECORDED
    evaluation: str = Field(description="Id of the evaluation that they are kept as.")
    episodes: int = Field(ge=1)
    cost: float | None = Field(
        default=None,
        ge=0,
        description="Time that recording has taken, as a share of the time without it; null: too short to tell.",
    )


class RecordingChangedData(EventData):
    """From here on the run is recorded at another detail."""

    kind: Literal[EventKind.RECORDING_CHANGED] = EventKind.RECORDING_CHANGED
    detail: Detail
    lowered: Lowered | None = Field(default=None, description="Why, if it was lowered by itself; null: it was chosen.")


class RuleFiredData(EventData):
    """What a rule waits for has happened."""

    kind: Literal[EventKind.RULE_FIRED] = EventKind.RULE_FIRED
    rule: int = Field(ge=1, description="Its number among the rules, from 1.")
    says: str = Field(description="The rule in words.")
    done: list[str] = Field(default=[], description="What was done, in words.")
    not_done: list[str] = Field(default=[], description="What was not done, and why, a sentence each.")
    notify: str | None = Field(default=None, description="What the user is told; null: nobody is.")
    count: int = Field(default=1, ge=1, description="How often it has fired in this run.")
    is_last: bool = Field(default=False, description="Whether it will not fire again.")


class PausedData(Ending):
    """A snapshot holds all that training was."""

    leads_to = RunStatus.PAUSED
    kind: Literal[EventKind.PAUSED] = EventKind.PAUSED
    snapshot: str | None = Field(
        default=None, description="The snapshot to go on from; null: there is none yet, and training begins again."
    )
    path: str | None = Field(default=None, description="The policy of this moment; null if it could not be saved.")


class StoppedData(Ending):
    """Training ended on request, or by a rule that saves nothing."""

    leads_to = RunStatus.STOPPED
    kind: Literal[EventKind.STOPPED] = EventKind.STOPPED
    path: str | None = Field(default=None, description="The final policy; null if there was none to save yet.")
    ended_early: str | None = Field(
        default=None, description="The rule that ended it without saving; null: a person asked for the stop."
    )


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
    trained_until: float | None = Field(
        default=None, description="Unix seconds of the last row: it may be noticed much later. null: not known."
    )


class RefusedData(EventData):
    """An attempt could not go on where it was to begin: the run is as the attempt before has left it."""

    kind: Literal[EventKind.REFUSED] = EventKind.REFUSED
    attempt: int = Field(ge=1, description="Which attempt did not come about.")
    message: str = Field(description="Why, and what can be done.")


class UnknownData(EventData):
    """An event of a kind that a newer version writes."""

    kind: Literal["unknown"] = "unknown"
    name: str = Field(description="Its kind.")
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


class Superseded:
    """Stretches of rows by their ``seq``; they may overlap, and come in any order."""

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self.stretches = tuple(stretches)
        self._merged = _merge(self.stretches)
        self._firsts = [first for first, _ in self._merged]

    def by(self, attempt: int) -> Superseded:
        """Those that ``attempt`` and the ones before it took the place of: how things stood while it trained."""
        return Superseded(stretch for stretch in self.stretches if stretch.attempt <= attempt)

    def __contains__(self, seq: int) -> bool:
        place = bisect_right(self._firsts, seq) - 1
        return place >= 0 and seq <= self._merged[place][1]

    @property
    def merged(self) -> tuple[tuple[int, int], ...]:
        """The same rows as stretches, each its first and its last row, that neither overlap nor adjoin, in order."""
        return tuple(self._merged)

    def __bool__(self) -> bool:
        return bool(self._merged)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Superseded) and self._merged == other._merged

    def __hash__(self) -> int:
        return hash(tuple(self._merged))


def _merge(stretches: Iterable[Stretch]) -> list[tuple[int, int]]:
    """The same rows in stretches that neither overlap nor adjoin, in order."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted((one.first, one.last) for one in stretches if one.first <= one.last):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return merged


KEPT = 5
"""Newest messages that are kept in words. More than these hardly come between two looks at a run."""


class RuleMessage(LazyModel):
    """What one firing of a rule tells the user."""

    model_config = ConfigDict(frozen=True)

    rule: int = Field(ge=1, description="Number of the rule, from 1.")
    time: float = Field(description="Unix time, seconds.")
    step: int
    message: str


class RuleMessages(LazyModel):
    """``count``: all that there were; ``newest``: the last of them, oldest first."""

    model_config = ConfigDict(frozen=True)

    count: int = Field(default=0, ge=0)
    newest: tuple[RuleMessage, ...] = ()

    def with_one(self, event: EventRecord, fired: RuleFiredData) -> RuleMessages:
        """These and the message of ``fired``, which ``event`` tells of."""
        message = RuleMessage(rule=fired.rule, time=event.time, step=event.step, message=fired.notify or fired.says)
        return RuleMessages(count=self.count + 1, newest=(*self.newest, message)[-KEPT:])

    def after(self, count: int) -> tuple[RuleMessage, ...]:
        """Those that came after the first ``count``, as far as they are kept."""
        return self.newest[-missing:] if (missing := self.count - count) > 0 else ()
