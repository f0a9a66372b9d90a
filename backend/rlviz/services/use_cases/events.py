"""A run's lifecycle events, and what each says to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rlviz.domain.records import EventKind, EventRecord
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import last_lines
from rlviz.services.projection.run_projection import parse_events

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
    events, broken = parse_events(last_lines(folder.events_path, MAX_EVENTS))
    return EventLog(events, len(broken))


def tell(event: EventRecord) -> Told:
    """What ``event`` means, in a sentence."""
    data, step = event.data, event.step
    match event.event:
        case EventKind.STARTED:
            return Told("info", "Training began.", step)
        case EventKind.CHECKPOINT:
            return Told("info", f"The policy was saved at step {step:,}.", step)
        case EventKind.BEST:
            mean = data.get("mean_return")
            figure = f": it returns {mean:.1f} on average" if isinstance(mean, int | float) else ""
            return Told("info", f"The policy of step {step:,} was kept as the best{figure}.", step)
        case EventKind.WARNING:
            return Told("warning", str(data.get("message")), step)
        case EventKind.STOPPED:
            saved = "the policy was saved" if data.get("path") else "there was no policy to save yet"
            return Told("info", f"Training was stopped at step {step:,}; {saved}.", step)
        case EventKind.FINISHED:
            why = f": {early}" if (early := data.get("ended_early")) else "."
            return Told("info", f"Training finished after {step:,} steps{why}", step)
        case EventKind.ERROR:
            return Told("error", f"{data.get('type')}: {data.get('message')}", step)
        case EventKind.INTERRUPTED:
            return Told("error", str(data.get("cause")), step or None)
