"""EventsProjection: what the lines of ``events.jsonl`` amount to, taken in as they come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rlviz.analysis.solved import SolvedAt, earlier, shown_by_evaluation
from rlviz.domain.events import (
    BestData,
    CheckpointData,
    Ending,
    ErrorData,
    EventRecord,
    FinishedData,
    InterruptedData,
    StartedData,
    StoppedData,
    WarningData,
    parse_event,
)
from rlviz.domain.status import RunStatus
from rlviz.rundir.journal import Line


class EventsProjection:
    """The newest attempt, from its start to its end, and what all attempts have left: policies and warnings.

    It depends on the lines alone, not on how they were handed over. Of an attempt that has ended a further start or
    end is no part: the first end counts, and the others are warned of.
    """

    def __init__(self, threshold: float | None) -> None:
        self._threshold = threshold
        self.attempt = 0
        """Number of the newest attempt of which anything is known; 0 before the first."""
        self._reset()
        self.step = 0
        self.step_at: float | None = None
        self.policy_step: int | None = None
        self.best_policy: dict[str, Any] | None = None
        self.solved: SolvedAt | None = None
        self.answered_checkpoint = 0
        self.warnings = 0
        self.last_warning: str | None = None
        self.broken = 0
        self.broken_at: int | None = None

    def _reset(self) -> None:
        """Begin to take in another attempt."""
        self.started: StartedData | None = None
        self.started_at: float | None = None
        self.started_step = 0
        self.ending: RunStatus | None = None
        """The status in which the newest attempt left the run; None while it goes on."""
        self.ended_at: float | None = None
        self.ended_early: str | None = None
        self.cause: str | None = None
        self.traceback: str | None = None

    def take(self, lines: Iterable[Line]) -> None:
        """Take in the next lines of the journal."""
        for line in lines:
            if (event := parse_event(line.record)) is not None:
                self.take_event(event)
            else:
                self.broken += 1
                self.broken_at = line.start

    def take_event(self, event: EventRecord) -> None:
        """Take in the next event of the journal."""
        match event.data:
            case StartedData() as started:
                self._start(event, started)
            case CheckpointData() as checkpoint:
                self.policy_step = event.step
                self.answered_checkpoint = max(self.answered_checkpoint, checkpoint.request)
            case BestData() as best:
                figures = best.model_dump(include={"mean_return", "std_return", "episodes"})
                self.best_policy = {"step": event.step, **figures}
                shown = shown_by_evaluation(self._threshold, event.step, event.time, best.mean_return)
                self.solved = earlier(self.solved, shown)
            case WarningData() as warning:
                self._warn(warning.message)
            case Ending() as ending:
                self._end(event, ending)
        if event.step >= self.step:
            self.step, self.step_at = event.step, event.time

    def _start(self, event: EventRecord, started: StartedData) -> None:
        if started.attempt < self.attempt or (started.attempt == self.attempt and self.ending is not None):
            self._warn(f"Attempt {started.attempt} began once more after its ending; that was left out.")
            return
        if started.attempt > self.attempt:
            self._reset()
        self.attempt, self.started = started.attempt, started
        self.started_at, self.started_step = event.time, event.step

    def _end(self, event: EventRecord, ending: Ending) -> None:
        attempt = ending.attempt or max(self.attempt, 1)
        if attempt < self.attempt or (attempt == self.attempt and self.ending is not None):
            self._warn(f"Attempt {attempt} has two endings; the second, {event.event}, was left out.")
            return
        if attempt > self.attempt:  # it ended before it began
            self._reset()
        self.attempt, self.ending = attempt, ending.leads_to
        self.ended_at = max(event.time, self.started_at or 0.0)  # the clock may have been set back
        match ending:
            case FinishedData() as finished:
                self.policy_step = event.step if finished.path else self.policy_step
                self.ended_early = finished.ended_early
            case StoppedData() as stopped:
                self.policy_step = event.step if stopped.path else self.policy_step
            case ErrorData() as error:
                self.cause, self.traceback = f"{error.type}: {error.message}", error.traceback
            case InterruptedData() as interrupted:
                self.cause = interrupted.cause

    def _warn(self, message: str) -> None:
        self.warnings += 1
        self.last_warning = message
