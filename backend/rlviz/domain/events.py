"""What can happen in a run: one kind of lifecycle event each, with a model of its data. Lines: ``event_lines.py``."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue

from rlviz.domain.knobs import Author, KnobChange, Override
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.recording import Detail, Lowered
from rlviz.domain.snapshot import Trigger
from rlviz.domain.status import RunStatus


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
