"""Read a run's lifecycle events and describe each as a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, PolicyChoice
from rlviz.domain.events import (
    BestData,
    CheckpointData,
    DivergedData,
    ErrorData,
    EventRecord,
    FinishedData,
    HyperparameterChangedData,
    InterruptedData,
    PausedData,
    PausingData,
    RecordedData,
    RecordingChangedData,
    RefusedData,
    ResumedData,
    RollbackData,
    RuleFiredData,
    RulesChangedData,
    SnapshotData,
    StartedData,
    StoppedData,
    UnknownData,
    WarningData,
    parse_event,
)
from rlviz.domain.recording import Detail, Lowered
from rlviz.domain.rules import Author, knob_label
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import last_lines

MAX_EVENTS = 5_000

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class EventText:
    """The description of an event. ``step`` is None for an event that belongs to no step."""

    level: Level
    message: str
    step: int | None


@dataclass(frozen=True)
class EventLog:
    """Events, oldest first. ``broken_lines``: number of lines that were skipped because they are not events."""

    events: list[EventRecord]
    broken_lines: int


def read_events(folder: RunFolder) -> EventLog:
    """Return the newest events of a run, at most MAX_EVENTS."""
    events = [parse_event(line.record) for line in last_lines(folder.events_path, MAX_EVENTS)]
    return EventLog([event for event in events if event is not None], events.count(None))


def describe(event: EventRecord) -> EventText:
    """Describe ``event`` as a sentence."""
    step = event.step
    match event.data:
        case StartedData(snapshot=str(snapshot)):
            return EventText("info", f"Training continued from snapshot {snapshot}.", step)
        case StartedData():
            return EventText("info", "Training began.", step)
        case PausingData(saves_at=saves_at):
            return EventText("info", f"A pause was requested. The snapshot will be taken at step {saves_at:,}.", step)
        case PausedData(snapshot=None):
            return EventText(
                "info",
                f"Training is paused at step {step:,}. There is no snapshot, so a resume starts again from the "
                "beginning.",
                step,
            )
        case PausedData(snapshot=snapshot):
            return EventText("info", f"Training is paused at step {step:,}, in snapshot {snapshot}.", step)
        case ResumedData() as resumed:
            return EventText("info", _verified(resumed), step)
        case DivergedData() as diverged:
            return EventText("warning", _diverged(diverged, step), step)
        case RollbackData(snapshot=snapshot):
            return EventText(
                "info", f"The run rolled back to snapshot {snapshot}; the rows after it no longer count.", step
            )
        case CheckpointData():
            return EventText("info", f"The policy was saved at step {step:,}.", step)
        case BestData(mean_return=mean):
            return EventText(
                "info", f"The policy of step {step:,} was kept as the best: it returns {mean:.1f} on average.", step
            )
        case SnapshotData(name=name):
            called = "" if name.isdigit() else f", called {name}"
            return EventText(
                "info", f"A snapshot was taken at step {step:,}{called}. Training can continue from it.", step
            )
        case WarningData(message=message):
            return EventText("warning", message, step)
        case HyperparameterChangedData() as changed:
            return EventText("info", _changed(changed), step)
        case RulesChangedData(rules=rules):
            return EventText("info", f"The rules were changed. {'. '.join(rules) or 'There are none now'}.", step)
        case RecordedData(episodes=episodes):
            return EventText(
                "info", f"{episodes:,} {'episode was' if episodes == 1 else 'episodes were'} recorded.", step
            )
        case RecordingChangedData(detail=detail, lowered=lowered):
            if lowered is not None:
                return EventText("warning", _lowered(lowered), step)
            return EventText("info", f"From here on the run is recorded at {detail.value} detail.", step)
        case RuleFiredData() as fired:
            return EventText("warning" if fired.not_done else "info", _fired(fired), step)
        case StoppedData(ended_early=str(rule)):
            return EventText("warning", f"A rule ended training at step {step:,}, and nothing was saved: {rule}", step)
        case StoppedData(path=path):
            saved = "the policy was saved" if path else "there was no policy to save yet"
            return EventText("info", f"Training was stopped at step {step:,}; {saved}.", step)
        case FinishedData(ended_early=early):
            return EventText("info", f"Training finished after {step:,} steps{f': {early}' if early else '.'}", step)
        case ErrorData() as error:
            return EventText("error", f"{error.type}: {error.message}", step)
        case InterruptedData(cause=cause):
            return EventText("error", cause, step or None)
        case RefusedData(message=message):
            return EventText("error", f"Training could not continue: {message}", step or None)
        case UnknownData(name=name):
            return EventText("info", f"A newer version of this app wrote an event of the kind {name!r}.", step)


def describe_evaluation(record: EvaluationRecord) -> EventText:
    """Describe the result of an ended evaluation as a sentence."""
    step = record.checkpoint_step
    episodes = f"{record.episodes:,} {'episode' if record.episodes == 1 else 'episodes'}"
    if record.status is EvaluationStatus.FAILED or record.summary is None:
        return EventText("error", f"An evaluation over {episodes} failed: {record.cause or 'no cause is known'}", step)
    spread = record.summary.episode_return
    if spread is None:
        return EventText("info", "A video was added.", step)
    which = "The best policy" if record.policy is PolicyChoice.BEST else "The policy"
    of = which if step is None else f"{which} of step {step:,}"
    message = f"{of} was evaluated over {episodes}: mean return {spread.mean:.1f} ± {spread.std:.1f}."
    return EventText("info", message, step)


def _changed(changed: HyperparameterChangedData) -> str:
    label = knob_label(changed.name)
    values = f"from {changed.before:.4g} to {changed.after:.4g}"
    schedule = " It no longer follows its schedule." if changed.replaced_schedule else ""
    if changed.by is Author.PARENT:
        return f"The {label} keeps the value that was set while the parent trained: {values}.{schedule}"
    who = f"Rule {changed.rule} changed" if changed.rule is not None else "Changed"
    limit = " It is now at its limit." if changed.limited else ""
    return f"{who} the {label} {values}.{schedule}{limit}"


def _lowered(lowered: Lowered) -> str:
    now = "Nothing is recorded" if lowered.after is Detail.OFF else f"Recorded at {lowered.after.value} detail"
    return (
        f"{now} instead of {lowered.before.value}: recording took {lowered.cost:.0%} of the time, more than the "
        f"{lowered.most:.0%} allowed."
    )


def _fired(fired: RuleFiredData) -> str:
    done = f" Done: {', '.join(fired.done)}." if fired.done else ""
    last = " It does not fire again." if fired.is_last else ""
    return f"Rule {fired.rule} fired. {fired.says}.{done}{''.join(f' {one}' for one in fired.not_done)}{last}"


def _verified(resumed: ResumedData) -> str:
    if resumed.verified == resumed.left == 0:
        return f"Resumed from snapshot {resumed.snapshot}; no row was written after it."
    left = f" Training ended before the other {resumed.left:,} were reached." if resumed.left else ""
    return f"Resumed from snapshot {resumed.snapshot}, verified: {rows_in_words(resumed.verified)} identical.{left}"


def _diverged(diverged: DivergedData, step: int) -> str:
    if diverged.metric is None:
        what = "a row did not exist before"
    else:
        what = f"{diverged.metric} is {diverged.computed} instead of {diverged.recorded}"
    return (
        f"Resumed from snapshot {diverged.snapshot}, but not exactly: after {rows_in_words(diverged.verified)} that "
        f"are identical, {what}. From step {step:,} on, the newest attempt counts."
    )


def rows_in_words(count: int) -> str:
    return f"{count:,} row" if count == 1 else f"{count:,} rows"
