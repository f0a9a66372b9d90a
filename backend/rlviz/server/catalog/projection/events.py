"""EventsProjection: computes a run's columns from the lines of ``events.jsonl``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rlviz.domain.events import (
    BestData,
    CheckpointData,
    DivergedData,
    Ending,
    ErrorData,
    EventRecord,
    FinishedData,
    InterruptedData,
    PausedData,
    PausingData,
    RecordedData,
    RefusedData,
    ResumedData,
    RollbackData,
    RuleFiredData,
    RuleMessages,
    StartedData,
    StoppedData,
    Stretch,
    Superseded,
    WarningData,
    parse_event,
)
from rlviz.domain.ids import is_evaluation_id
from rlviz.domain.status import RunStatus
from rlviz.rundir.journal import Line
from rlviz.stats.returns import TrainingClock
from rlviz.stats.solved import Evaluated

MAX_CHARACTERS = 2_000
"""Limit for each text that a list of runs carries, because a journal from another machine can hold anything."""

MAX_TRACEBACK_CHARACTERS = 20_000

MOST_KEPT = 5_000
"""Number of policies, best policies, attempts, superseded stretches and recorded evaluations to keep, the newest of
each.

Real runs have far fewer. The limit bounds the memory that a journal from another machine can take.
"""

T = TypeVar("T")


class _Best(NamedTuple):
    """A policy that was the best when it was saved. ``figures``: None if its file is gone."""

    evaluated: Evaluated
    figures: dict[str, Any] | None

    @property
    def step(self) -> int:
        return self.evaluated.step


class EventsProjection:
    """The state of the newest attempt, and the policies and warnings of all attempts.

    The result depends only on the lines, not on how they are split into batches. Only the first end of an attempt
    counts; each further start or end of it adds a warning. Rows that a later attempt supersedes count only in the
    number of warnings.
    """

    def __init__(self) -> None:
        self.attempt = 0
        """Number of the newest attempt with any event; 0 before the first."""
        self._reset()
        self.step = 0
        self.step_at: float | None = None
        self.first_step: int | None = None
        """The step at which the first attempt began, for a fork the parent's step; None before the first start."""
        self.total_timesteps: int | None = None
        """Steps to train for, if an event changed the number in the configuration."""
        self.superseded = Superseded()
        """The rows that later attempts replaced."""
        self.last_event = 0
        """``seq`` of the newest event."""
        self._policies: list[int] = []
        self._bests: list[_Best] = []
        self._reached_steps: list[tuple[int, float]] = []
        """Steps that training reached, each with its time in Unix seconds."""
        self._rollbacks: list[tuple[float, int]] = []
        """When the run went back to a snapshot, in Unix seconds, and the last step that it kept."""
        self._trained_intervals: list[tuple[float, float]] = []
        self.core_seconds = 0.0
        """Processor seconds of the workers that have ended; their wall-clock seconds where those are unknown."""
        self._seconds_before_going_back = 0.0
        """Wall-clock seconds of attempts that a worker gave up by going back to a snapshot. The same worker continues,
        and its processor seconds will include them."""
        self.answered_checkpoint = 0
        self.recorded: list[str] = []
        """Ids of evaluations that the run recorded itself and that have no rows yet."""
        self.messages = RuleMessages()
        """Messages of rules to the user, of all attempts."""
        self.warnings = 0
        self.last_warning: str | None = None
        self.broken = 0
        self.broken_at: int | None = None

    def _reset(self) -> None:
        """Set the state of an attempt that has not begun."""
        self.started: StartedData | None = None
        self.started_at: float | None = None
        self.started_step = 0
        self.saves_at: int | None = None
        """Step at which a pausing attempt takes its snapshot."""
        self.resumed: dict[str, Any] | None = None
        """How the attempt was resumed from a snapshot; None if it was not."""
        self.ending: RunStatus | None = None
        """The status in which the newest attempt ended; None until then."""
        self.ended_at: float | None = None
        self.ended_early: str | None = None
        self.cause: str | None = None
        self.traceback: str | None = None

    def add_lines(self, lines: Iterable[Line]) -> None:
        """Apply the next lines of the journal."""
        for line in lines:
            if (event := parse_event(line.record)) is not None:
                self.apply_event(event)
            else:
                self.broken += 1
                self.broken_at = line.start

    def apply_event(self, event: EventRecord) -> None:
        """Apply the next event of the journal."""
        self.last_event = max(self.last_event, event.seq)
        match event.data:
            case StartedData() as started:
                self._start(event, started)
            case PausingData(saves_at=step):
                self.saves_at = step
            case ResumedData() as resumed:
                self._resume(resumed.snapshot, verified=resumed.verified, left=resumed.left)
            case DivergedData() as diverged:
                self._resume(diverged.snapshot, verified=diverged.verified, diverged_at=event.step)
                self._supersede(diverged.superseded, event.step - 1, event.time)
            case RollbackData() as rollback:
                self._resume(rollback.snapshot)
                self._supersede(rollback.superseded, event.step, event.time)
                self.step, self.step_at = event.step, event.time
            case CheckpointData() as checkpoint:
                _append_bounded(self._policies, event.step)
                self.answered_checkpoint = max(self.answered_checkpoint, checkpoint.request)
            case BestData() as best:
                figures = best.model_dump(include={"mean_return", "std_return", "episodes"})
                evaluated = Evaluated(event.step, event.time, best.mean_return)
                _append_bounded(self._bests, _Best(evaluated, {"step": event.step, **figures}))
            case RecordedData(evaluation=evaluation) if is_evaluation_id(evaluation):
                _append_bounded(self.recorded, evaluation)
            case RuleFiredData(notify=str()) as fired:
                self.messages = self.messages.with_one(event, fired)
            case WarningData() as warning:
                self._warn(warning.message)
            case RefusedData() as refused:
                self._refuse(event, refused)
            case Ending() as ending:
                self._end(event, ending)
        if isinstance(event.data, StartedData | CheckpointData | BestData | FinishedData | StoppedData | PausedData):
            _append_bounded(self._reached_steps, (event.step, event.time))
        if event.step >= self.step:
            self.step, self.step_at = event.step, event.time

    def _start(self, event: EventRecord, started: StartedData) -> None:
        if started.attempt < self.attempt or (started.attempt == self.attempt and self.ending is not None):
            self._warn(f"Attempt {started.attempt} has another start after its end; that start was ignored.")
            return
        if started.attempt > self.attempt:
            if self.started_at is not None and self.ending is None:  # the same worker went back to a snapshot
                _append_bounded(self._trained_intervals, (self.started_at, event.time))
                self._seconds_before_going_back += event.time - self.started_at
            self._reset()
        if self.first_step is None:
            self.first_step = event.step
        self.attempt, self.started = started.attempt, started
        self.started_at, self.started_step = event.time, event.step
        self.total_timesteps = started.total_timesteps
        if started.snapshot is not None:
            self._resume(started.snapshot)

    def _resume(
        self, snapshot: str, *, verified: int | None = None, left: int = 0, diverged_at: int | None = None
    ) -> None:
        self.resumed = {
            "snapshot": snapshot[:MAX_CHARACTERS],
            "step": self.started_step,
            "verified": verified,
            "left": left,
            "diverged_at": diverged_at,
            "not_exact_because": ((self.started and self.started.not_exact_because) or "")[:MAX_CHARACTERS] or None,
        }

    def _supersede(self, rows: Stretch, step: int, time: float) -> None:
        """Discard ``rows`` and the results of earlier attempts after ``step``. ``time``: Unix seconds of the event."""
        self.superseded = Superseded([*self.superseded.stretches, rows][-MOST_KEPT:])
        _append_bounded(self._rollbacks, (time, step))
        self._reached_steps = [one for one in self._reached_steps if one[0] <= step]
        self._policies = [one for one in self._policies if one <= step]
        kept = [one for one in self._bests if one.step <= step]
        if self._bests and self._bests[-1].step > step:  # the file of the best policy held the discarded one
            kept = [one._replace(figures=None) for one in kept]
        self._bests = kept
        if self.step > step:
            self.step, self.step_at = step, None

    def _end(self, event: EventRecord, ending: Ending) -> None:
        attempt = ending.attempt or max(self.attempt, 1)
        if attempt < self.attempt or (attempt == self.attempt and self.ending is not None):
            self._warn(f"Attempt {attempt} has two ends; the second, {event.event}, was ignored.")
            return
        if attempt > self.attempt:  # the attempt ended before its start was journaled
            self._reset()
        self.attempt, self.ending = attempt, ending.leads_to
        self.ended_at = max(event.time, self.started_at or 0.0)  # the system clock may have been set back
        if self.started_at is not None:
            until = ending.trained_until if isinstance(ending, InterruptedData) else None
            trained = self.ended_at if until is None else min(self.ended_at, max(self.started_at, until))
            _append_bounded(self._trained_intervals, (self.started_at, trained))
            used = ending.processor_seconds
            self.core_seconds += self._seconds_before_going_back + trained - self.started_at if used is None else used
            self._seconds_before_going_back = 0.0
        match ending:
            case FinishedData(path=path) | StoppedData(path=path) | PausedData(path=path):
                if path:
                    _append_bounded(self._policies, event.step)
                if isinstance(ending, FinishedData | StoppedData) and ending.ended_early is not None:
                    self.ended_early = ending.ended_early[:MAX_CHARACTERS]
            case ErrorData() as error:
                self.cause = f"{error.type}: {error.message}"[:MAX_CHARACTERS]
                self.traceback = error.traceback[-MAX_TRACEBACK_CHARACTERS:]
            case InterruptedData() as interrupted:
                self.cause = interrupted.cause[:MAX_CHARACTERS]

    def _refuse(self, event: EventRecord, refused: RefusedData) -> None:
        """Apply the refusal of an attempt: the attempt number changes, and the previous attempt's state stays."""
        if refused.attempt <= self.attempt:
            self._warn(f"Attempt {refused.attempt} was refused after its start; the refusal was ignored.")
            return
        if self.ending is None:  # no previous attempt has ended
            self._end(event, ErrorData(attempt=refused.attempt, type="Refused", message=refused.message))
            return
        self.attempt = refused.attempt
        self._warn(refused.message)

    def columns(self) -> dict[str, Any]:
        """Return the columns that only this journal provides, about all attempts."""
        return {
            "policy_step": self.policy_step,
            "best_policy": self.best_policy,
            "attempts": [list(times) for times in self.clock.attempts],
            "superseded": [stretch.model_dump() for stretch in self.superseded.stretches],
            "rule_messages": self.messages.model_dump(mode="json"),
            "last_event": self.last_event,
        }

    def attempt_columns(self) -> dict[str, Any]:
        """Return the columns that this journal provides about the newest attempt."""
        return {
            "attempt": self.attempt,
            "trained_before": self.trained_before,
            "core_seconds_before": self.core_seconds + self._seconds_before_going_back,
            "resumed": self.resumed,
            "saves_at": self.saves_at,
            "started_at": self.started_at,
            "ended_at": self.ended_at,
            "ended_early": self.ended_early,
            "cause": self.cause,
            "traceback": self.traceback,
        }

    @property
    def policy_step(self) -> int | None:
        return self._policies[-1] if self._policies else None

    @property
    def best_policy(self) -> dict[str, Any] | None:
        return self._bests[-1].figures if self._bests else None

    @property
    def chosen_by(self) -> list[Evaluated]:
        """The evaluations on fresh episodes that selected the best policies, in order."""
        return [best.evaluated for best in self._bests]

    def drop_discarded(self, requested: Iterable[Evaluated]) -> list[Evaluated]:
        """Return the evaluations on request without those of policies that the run discarded later.

        Each gets the time at which its policy was trained.
        """
        return [
            replace(one, time=self._trained_at(one.step, one.time))
            for one in requested
            if not any(one.time < when and one.step > kept for when, kept in self._rollbacks)
        ]

    def _trained_at(self, step: int, at_most: float) -> float:
        """Return the Unix seconds at which training reached ``step``, interpolated between events; ``at_most`` if the
        step is after all of them."""
        passed = sorted(self._reached_steps)
        if not passed or step > passed[-1][0]:
            return at_most
        exactly = [time for known, time in passed if known == step]
        steps, times = zip(*passed, strict=True)
        return min(at_most, exactly[0] if exactly else float(np.interp(step, steps, times)))

    @property
    def clock(self) -> TrainingClock:
        """The times of all attempts, including the current one."""
        is_open = self.started_at is not None and self.ending is None
        current = [(self.started_at, None)] if is_open and self.started_at else []
        return TrainingClock((*self._trained_intervals, *current))

    @property
    def trained_before(self) -> float:
        """Seconds of training of the attempts before the newest."""
        has_started = self.started_at is not None
        earlier = self._trained_intervals[:-1] if has_started and self.ending is not None else self._trained_intervals
        return sum(end - start for start, end in earlier)

    def _warn(self, message: str) -> None:
        self.warnings += 1
        self.last_warning = message[:MAX_CHARACTERS]


def _append_bounded(kept: list[T], one: T) -> None:
    kept.append(one)
    del kept[:-MOST_KEPT]
