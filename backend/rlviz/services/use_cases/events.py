"""A run's lifecycle events, and what each says to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rlviz.domain.events import (
    BestData,
    CheckpointData,
    ErrorData,
    EventRecord,
    FinishedData,
    InterruptedData,
    StartedData,
    StoppedData,
    UnknownData,
    WarningData,
    parse_event,
)
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import last_lines

MAX_EVENTS = 5_000

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Told:
    """``step`` is None for an event that belongs to no step."""

    level: Level
    message: str
    step: int | None


@dataclass(frozen=True)
class EventLog:
    """Events, oldest first; ``broken_lines`` were none and were left out."""

    events: list[EventRecord]
    broken_lines: int


def read_events(folder: RunFolder) -> EventLog:
    """The newest events of a run, MAX_EVENTS at most."""
    events = [parse_event(line.record) for line in last_lines(folder.events_path, MAX_EVENTS)]
    return EventLog([event for event in events if event is not None], events.count(None))


def tell(event: EventRecord) -> Told:
    """What ``event`` means, in a sentence."""
    step = event.step
    match event.data:
        case StartedData():
            return Told("info", "Training began.", step)
        case CheckpointData():
            return Told("info", f"The policy was saved at step {step:,}.", step)
        case BestData(mean_return=mean):
            return Told(
                "info", f"The policy of step {step:,} was kept as the best: it returns {mean:.1f} on average.", step
            )
        case WarningData(message=message):
            return Told("warning", message, step)
        case StoppedData(path=path):
            saved = "the policy was saved" if path else "there was no policy to save yet"
            return Told("info", f"Training was stopped at step {step:,}; {saved}.", step)
        case FinishedData(ended_early=early):
            return Told("info", f"Training finished after {step:,} steps{f': {early}' if early else '.'}", step)
        case ErrorData() as error:
            return Told("error", f"{error.type}: {error.message}", step)
        case InterruptedData(cause=cause):
            return Told("error", cause, step or None)
        case UnknownData(name=name):
            return Told("info", f"A newer version of this app wrote an event of the kind {name!r}.", step)
