"""RunProjection: the one way from a run's journals to the columns of its row in the catalogue.

It is used while a run trains, when its worker is found gone, after a restart, and when the catalogue is made again:
whoever has taken in the same lines has the same columns. It touches no file, no clock and no catalogue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rlviz.analysis.solved import earlier
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import EventRecord
from rlviz.domain.status import RunStatus
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.journal import Line
from rlviz.services.projection.events_projection import EventsProjection
from rlviz.services.projection.metrics_projection import MetricsProjection

ENDED_FROM_OUTSIDE = "Not this app but something else told the worker to end (SIGTERM); it saved its policy and did."


class RunProjection:
    """Takes in the two journals of a run, each in its own order, and tells the columns that they amount to.

    How the two are interleaved, and in what pieces they come, makes no difference: each has a projection of its own,
    and ``columns`` puts the two together.
    """

    def __init__(self, threshold: float | None, attempt: int = 1) -> None:
        """``threshold``: the environment's reward threshold, None if it has none. ``attempt``: the one that is wanted;
        of an earlier one counts what it has left, but neither its start nor its end.
        """
        self.attempt = attempt
        self._metrics, self._events = MetricsProjection(threshold), EventsProjection(threshold)

    def take_metrics(self, lines: Sequence[Line]) -> None:
        """Take in the next lines of ``metrics.jsonl``."""
        self._metrics.take(lines)

    def take_events(self, lines: Sequence[Line]) -> None:
        """Take in the next lines of ``events.jsonl``."""
        self._events.take(lines)

    def take_event(self, event: EventRecord) -> None:
        """Take in an event that is known, though it may not have come into the journal."""
        self._events.take_event(event)

    @property
    def has_begun(self) -> bool:
        """Whether the events know of the attempt that is wanted."""
        return self._events.attempt >= self.attempt

    @property
    def ending(self) -> RunStatus | None:
        """The status in which that attempt left the run; None before."""
        return self._events.ending if self.has_begun else None

    @property
    def broken_lines(self) -> int:
        """Lines of both journals that say nothing."""
        return self._metrics.broken + self._events.broken

    @property
    def answered_checkpoint(self) -> int:
        """The last request for a checkpoint that was answered."""
        return self._events.answered_checkpoint

    def columns(self) -> dict[str, Any]:
        """What the journals say, by column; all but the status."""
        metrics, events = self._metrics, self._events
        step, step_at = self._newest_step()
        solved = earlier(metrics.curve.solved, events.solved)
        columns: dict[str, Any] = {
            "step": step,
            "step_at": step_at,
            "episodes": metrics.episodes,
            "ep_rew_mean": metrics.mean_return,
            "ep_len_mean": metrics.mean_length,
            "fps": self._fps(step, step_at),
            "update_seconds": metrics.update_seconds,
            "best_moving_average": metrics.curve.best,
            "best_moving_average_step": metrics.curve.best_step,
            "sparkline": metrics.curve.sparkline(),
            "solved_step": solved.step if solved is not None else None,
            "solved_at": solved.time if solved is not None else None,
            "solved_by": solved.by.value if solved is not None else None,
            "policy_step": events.policy_step,
            "best_policy": events.best_policy,
            "warnings": metrics.broken + events.broken + events.warnings,
            "last_warning": self._last_warning(),
        }
        if self.has_begun:  # otherwise the catalogue knows more than the folder
            columns |= {
                "attempt": events.attempt,
                "started_at": events.started_at,
                "ended_at": events.ended_at,
                "ended_early": events.ended_early,
                "cause": events.cause,
                "traceback": events.traceback,
            }
        if self.has_begun and events.started is None:  # it ended before it began: its worker is gone
            columns["worker"] = None
        elif self.has_begun and events.started is not None and events.started.worker is not None:
            columns["worker"] = events.started.worker
        return columns

    def end_columns(self, control: Control | None, best: BestPolicy | None) -> dict[str, Any]:
        """What an attempt that has ended has besides ``columns``, by what its folder holds beside the journals.

        ``control`` is what was wanted of it, None if that cannot be read; ``best`` what the file of the best policy
        says: the worker may have died before it could tell.
        """
        columns: dict[str, Any] = {"best_policy": best.model_dump() if best is not None else None}
        if self.ending is RunStatus.STOPPED and control is not None:
            columns["cause"] = control.reason if control.desired is Desired.STOP else ENDED_FROM_OUTSIDE
        return columns

    def status(self, control: Control) -> RunStatus:
        """The status of the run, given what is wanted of it. It does not say whether a worker lives."""
        if not self.has_begun:
            return _WAITING[control.desired]
        return self.ending or (RunStatus.STOPPING if control.desired is Desired.STOP else RunStatus.RUNNING)

    def _newest_step(self) -> tuple[int, float | None]:
        """The greatest step of both journals, and when it was reached; the events say so more exactly."""
        metrics, events = self._metrics, self._events
        return (events.step, events.step_at) if events.step >= metrics.step else (metrics.step, metrics.step_at)

    def _fps(self, step: int, step_at: float | None) -> float | None:
        """The rate now; of an attempt that has ended, its steps over the seconds that it trained."""
        events = self._events
        if self.ending is None or events.started_at is None or step_at is None or step_at <= events.started_at:
            return self._metrics.fps
        return round((step - events.started_step) / (step_at - events.started_at), 1) or self._metrics.fps

    def _last_warning(self) -> str | None:
        """The newest that the run itself gave; without any, the last line that could not be read."""
        metrics, events = self._metrics, self._events
        if events.last_warning is not None:
            return events.last_warning
        if events.broken_at is not None:
            return f"events.jsonl: the line at byte {events.broken_at} is not an event."
        if metrics.broken_at is not None:
            return f"metrics.jsonl: the line at byte {metrics.broken_at} is not a record and was left out."
        return None


_WAITING = {Desired.IDLE: RunStatus.CREATED, Desired.RUN: RunStatus.QUEUED, Desired.STOP: RunStatus.STOPPED}
"""The status of a run whose wanted attempt has not begun."""
