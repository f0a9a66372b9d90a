"""RunProjection: computes the columns of a run's row from its journals and evaluations.

All code paths use it: while a run trains, when its worker is gone, after a restart, and for a rebuild. The same lines
and evaluations always give the same columns. It uses no files, no clock and no catalogue.

The module also builds the row of a damaged run folder from the parts that can still be read.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from rlviz.domain.config import LastEpisode, RunActor, RunName, Seed, TotalTimesteps
from rlviz.domain.errors import Damage, RunFolderError
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import EventRecord, Superseded
from rlviz.domain.ids import Instant, created_at_of
from rlviz.domain.metrics import is_metric
from rlviz.domain.status import RunStatus
from rlviz.rundir.contents import broken_lines, damaged_lines, has_trained, inspect_folder, is_event
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.journal import Line
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.events import EventsProjection
from rlviz.server.catalog.projection.metrics import MetricsProjection
from rlviz.stats.returns import TrainingClock
from rlviz.stats.solved import Evaluated, SolvedAt, earlier_of, solved_by_evaluations


def ended_by_rule(rule: str) -> str:
    """Return the cause of a stop by a rule that saves nothing."""
    return f"A rule ended it without saving: {rule}"


ENDED_FROM_OUTSIDE = "Another program ended the worker (SIGTERM). The worker saved its policy first."


class RunProjection:
    """Reads the two journals of a run, each in order, and computes the columns.

    Batches of the two journals may be of any size and interleaved in any way: each journal has a projection of its
    own, and ``columns`` combines the two.
    """

    def __init__(
        self,
        threshold: float | None,
        attempt: int = 1,
        before: Sequence[LastEpisode] = (),
        *,
        is_foreign: bool = False,
    ) -> None:
        """Start with empty journals.

        Args:
            threshold: The environment's reward threshold; None if it has none.
            attempt: The requested attempt. Start and end of earlier attempts do not change the status; their policies
                and warnings count.
            before: The last episodes before the fork, if the run is one.
            is_foreign: Whether a program of the user's own trains the run.
        """
        self.attempt = attempt
        self._threshold, self._before, self._is_foreign = threshold, before, is_foreign
        self._metrics, self._events = self._no_metrics(), EventsProjection()
        self._left_out = Superseded()
        self.asked: Sequence[Evaluated] = ()
        """The evaluations on request that have ended."""

    @property
    def superseded(self) -> Superseded:
        """The rows that later attempts replaced."""
        return self._events.superseded

    @property
    def is_outdated(self) -> bool:
        """Whether the metrics include superseded rows. Then call ``forget_metrics`` and apply the journal again."""
        return self._left_out != self._events.superseded

    def forget_metrics(self) -> None:
        """Reset the metrics. Rows that are superseded by the events so far are ignored from now on."""
        self._metrics, self._left_out = self._no_metrics(), self._events.superseded

    def _no_metrics(self) -> MetricsProjection:
        return MetricsProjection(self._threshold, self._before, is_foreign=self._is_foreign)

    def apply_metrics(self, lines: Sequence[Line]) -> None:
        """Apply the next lines of ``metrics.jsonl``."""
        left_out = self._left_out
        self._metrics.add_lines([line for line in lines if not _is_in(left_out, line)] if left_out else lines)

    def apply_events(self, lines: Sequence[Line]) -> None:
        """Apply the next lines of ``events.jsonl``."""
        self._events.add_lines(lines)

    def apply_event(self, event: EventRecord) -> None:
        """Apply an event that may be missing in the journal."""
        self._events.apply_event(event)

    @property
    def newest_attempt(self) -> int:
        """The requested attempt, or a later one that a worker started by going back to a snapshot."""
        return max(self.attempt, self._events.attempt)

    @property
    def has_begun(self) -> bool:
        """Whether there are events of the requested attempt."""
        return self._events.attempt >= self.attempt

    @property
    def ending(self) -> RunStatus | None:
        """The status in which the requested attempt ended; None until then."""
        return self._events.ending if self.has_begun else None

    @property
    def core_seconds(self) -> float:
        """Processor seconds of the workers that have ended."""
        return self._events.core_seconds

    @property
    def broken_lines(self) -> int:
        """Number of broken lines in both journals."""
        return self._metrics.broken + self._events.broken

    @property
    def recorded(self) -> list[str]:
        return self._events.recorded

    @property
    def answered_checkpoint(self) -> int:
        """The last request for a checkpoint that was answered."""
        return self._events.answered_checkpoint

    def columns(self) -> dict[str, Any]:
        """Return the values of all columns except the status."""
        metrics, events = self._metrics, self._events
        columns = metrics.columns() | events.columns() | self._columns_of_both()
        columns["warnings"] = metrics.broken + events.broken + events.warnings
        columns["last_warning"] = self._last_warning()
        if self.has_begun:  # before that the catalogue knows more than the folder
            columns |= events.attempt_columns()
        if self.has_begun and events.started is None:  # it ended without a start: its worker is gone
            columns["worker"] = None
        elif self.has_begun and events.started is not None and events.started.worker is not None:
            columns["worker"] = events.started.worker
        return columns

    def _columns_of_both(self) -> dict[str, Any]:
        """Return the columns that need both journals."""
        step, step_at = self._newest_step()
        return {
            "step": step,
            "step_at": step_at,
            "fps": self._fps(step, step_at),
            **solved_columns(self._solved(), self._events.clock),
        }

    def _solved(self) -> SolvedAt | None:
        events, metrics = self._events, self._metrics
        evaluations = [*events.chosen_by, *events.drop_discarded(self.asked), *metrics.evaluations]
        return earlier_of(metrics.curve.solved, solved_by_evaluations(self._threshold, evaluations))

    @property
    def total_timesteps(self) -> int | None:
        """Steps to train for, if an event changed the number in the configuration."""
        return self._events.total_timesteps

    def end_columns(self, control: Control | None, best: BestPolicy | None) -> dict[str, Any]:
        """Return columns of an attempt that has ended, from other files than the journals.

        Args:
            control: The control file; None if it cannot be read.
            best: From the file of the best policy, because the worker may have died before it journaled that policy.
        """
        columns: dict[str, Any] = {"best_policy": best.model_dump() if best is not None else None}
        if self.ending is RunStatus.STOPPED and self._events.ended_early is not None:
            columns["cause"] = ended_by_rule(self._events.ended_early)
        elif self.ending is RunStatus.STOPPED and control is not None:
            columns["cause"] = control.reason if control.desired in _REQUESTED else ENDED_FROM_OUTSIDE
        return columns

    def status(self, control: Control) -> RunStatus:
        """Return the run's status for the request in ``control``. It does not say whether a worker lives."""
        if not self.has_begun:
            return _BEFORE_START[control.desired]
        return self.ending or _REQUESTED.get(control.desired, RunStatus.RUNNING)

    def _newest_step(self) -> tuple[int, float | None]:
        """Return the greatest step of both journals and when it was reached; at equal steps the event's time wins."""
        metrics, events = self._metrics, self._events
        return (events.step, events.step_at) if events.step >= metrics.step else (metrics.step, metrics.step_at)

    def _fps(self, step: int, step_at: float | None) -> float | None:
        """Return the current rate in steps per second; for a run that has ended, the average over all attempts."""
        events = self._events
        if self.ending is None or events.started_at is None or step_at is None:
            return self._metrics.fps
        trained = events.trained_before + max(0.0, step_at - events.started_at)
        if trained <= 0:
            return self._metrics.fps
        return round((step - (events.first_step or 0)) / trained, 1) or self._metrics.fps

    def _last_warning(self) -> str | None:
        """Return the newest warning of the run itself; without one, a sentence about the last broken line."""
        metrics, events = self._metrics, self._events
        if events.last_warning is not None:
            return events.last_warning
        if events.broken_at is not None:
            return f"events.jsonl: the line at byte {events.broken_at} is not an event."
        if metrics.broken_at is not None:
            return f"metrics.jsonl: the line at byte {metrics.broken_at} is not a record and was ignored."
        return None


def solved_columns(solved: SolvedAt | None, clock: TrainingClock) -> dict[str, Any]:
    """Return the columns that say when the run was solved. ``clock`` counts seconds of training of all attempts."""
    if solved is None:
        return dict.fromkeys(("solved_step", "solved_at", "solved_by", "solved_seconds"))
    return {
        "solved_step": solved.step,
        "solved_at": solved.time,
        "solved_by": solved.by.value,
        "solved_seconds": round(clock.at(solved.time), 3),
    }


def interrupted_columns(cause: str) -> dict[str, Any]:
    """Return the columns of a run without a worker whose journals have no end."""
    return {"status": RunStatus.INTERRUPTED.value, "cause": cause}


def columns_by_journal() -> dict[str, frozenset[str]]:
    """Return the columns that are lost if each of the two journals is damaged, except the number of warnings.

    Columns that need both journals are lost with the metrics. The best policy is also in a file of its own, and the
    attempt in ``control.json``.
    """
    empty = RunProjection(None)
    metrics, events = empty._metrics, empty._events
    return {
        "metrics.jsonl": frozenset(metrics.columns()) | frozenset(empty._columns_of_both()),
        "events.jsonl": (frozenset(events.columns()) | frozenset(events.attempt_columns()) | {"worker"})
        - {"best_policy", "attempt"},
    }


def _is_in(superseded: Superseded, line: Line) -> bool:
    return line.record is not None and line.record["seq"] in superseded


_BEFORE_START = {
    Desired.IDLE: RunStatus.CREATED,
    Desired.RUN: RunStatus.QUEUED,
    Desired.PAUSE: RunStatus.QUEUED,  # it pauses right after its start
    Desired.STOP: RunStatus.STOPPED,
}
"""The status of a run before its requested attempt starts."""

_REQUESTED = {Desired.PAUSE: RunStatus.PAUSING, Desired.STOP: RunStatus.STOPPING}
"""The status of a run with an open attempt and a request to pause or stop; without a request it is running."""


UNKNOWN = "unknown"
"""The name of an algorithm or environment that cannot be read."""

ENDING_LOST = "How the run ended is unknown, because its events are lost."

COLUMNS_FROM: dict[str, Collection[str]] = {
    "config.json": (
        *("algo", "env_id", "env_options", "preset", "seed", "total_timesteps", "end_step", "created_at"),
        *("reward_threshold", "experiment_id"),
    ),
    "labels.json": ("name", "tags", "notes"),
    **columns_by_journal(),
    "best_model.zip": ("best_policy",),
}
"""The columns that each file provides."""

_NO_RECORD = "It is not a record and was ignored."
_NO_EVENT = "It is not an event and was ignored."


def find_damage(folder: RunFolder, *, lines: bool = True) -> list[Damage]:
    """Return all damage of ``folder``. With ``lines``, also read its journals and report damaged lines."""
    found = inspect_folder(folder)
    if not lines:
        return found
    for path, is_readable, problem in (
        (folder.events_path, is_event, _NO_EVENT),
        (folder.metrics_path, is_metric, _NO_RECORD),
    ):
        try:
            found += damaged_lines(path, broken_lines(path, is_readable), problem)
        except (FileNotFoundError, RunFolderError):  # missing, or already reported
            continue
    return found


def note_damage(row: RunRow, damage: list[Damage]) -> None:
    row.damage = [one.model_dump() for one in damage]


def rescued_row(folder: RunFolder) -> RunRow:
    """Return a new row for a run with an invalid configuration, with each value that is valid by itself."""
    values = _values(folder)
    total_timesteps = _valid(TotalTimesteps, values.get("total_timesteps"), 0)
    return RunRow(
        id=folder.run_id,
        is_foreign=values.get("actor") == RunActor.FOREIGN,
        name=_valid(RunName, values.get("name"), folder.run_id),
        algo=_valid(RunName, values.get("algo"), UNKNOWN),
        env_id=_valid(RunName, values.get("env_id"), UNKNOWN),
        seed=_valid(Seed, values.get("seed"), 0),
        group_id=folder.run_id,
        total_timesteps=total_timesteps,
        end_step=total_timesteps,
        created_at=_created_at(folder, values.get("created_at")),
    )


def readable_labels(folder: RunFolder, name: str) -> Labels:
    """Return the labels of a run; only ``name`` if they cannot be read."""
    try:
        return folder.read_labels()
    except RunFolderError:
        return Labels(name=name)


def keep_known_columns(now: RunRow, before: RunRow) -> None:
    """Copy the columns that a damaged folder no longer provides from ``before``, the row in the catalogue."""
    damaged = {one["file"] for one in now.damage if one["line"] is None and not one.get("newer")}
    kept = {name for file, names in COLUMNS_FROM.items() if file in damaged or "." in damaged for name in names}
    now.sqlmodel_update({name: value for name in kept if (value := getattr(before, name)) is not None})


def interrupt_damaged(row: RunRow, folder: RunFolder) -> None:
    """Mark a damaged run as interrupted if it looks as if it never started.

    It must not be started: it may have trained already, or its configuration cannot be read.
    """
    if row.state not in (RunStatus.CREATED, RunStatus.QUEUED):
        return
    damage = [Damage.model_validate(one) for one in row.damage]
    in_the_way = [one for one in damage if one.file in ("config.json", "events.jsonl") and not one.newer]
    if in_the_way or has_trained(folder):
        cause = f"The run folder is damaged. {in_the_way[0]}" if in_the_way else ENDING_LOST
        row.sqlmodel_update(interrupted_columns(cause))


def _values(folder: RunFolder) -> dict[str, Any]:
    """Return the configuration without validation; empty if it is not a JSON object."""
    try:
        found = orjson.loads(read_small(folder.config_path))
    except (FileNotFoundError, RunFolderError, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _valid(kind: Any, value: Any, otherwise: Any) -> Any:
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return otherwise


def _created_at(folder: RunFolder, value: Any) -> float:
    """Return the creation time from the configuration, the run's id, or the folder, in this order; Unix seconds."""
    created: datetime | None = _valid(Instant, value, None) or created_at_of(folder.run_id)
    return created.astimezone(UTC).timestamp() if created is not None else folder.path.lstat().st_mtime
