"""Writes the metrics and events of a run in training.

``RunJournals`` is what training logs to: it batches rows, waits while the disk is full, and holds rows back during a
pause. ``MetricLimits`` caps how many names and rows a run may log. ``Recomputed`` compares the rows of a resumed run
with those that the journal already has, so that they are not written twice.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rlviz.domain.clocks import SteadyClock
from rlviz.domain.events import DivergedData, Ending, EventData, ResumedData, Stretch, WarningData, event_line
from rlviz.domain.metrics import CLOCK, RETURNS
from rlviz.domain.naming import MAX_NAME_CHARACTERS, make_distinct, recorded_name, renames_text
from rlviz.domain.reward_components import REWARD
from rlviz.rundir.files import reserve_space
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter

MAX_NAMES = 1_000
ROWS_A_SECOND = 10_000
"""Ten times the rate of the fastest built-in environments; about 1.5 MB a second."""

Values = Mapping[str, float]


class MetricLimits:
    """Limits how many metric names a run may record, and how many rows a second.

    A row whose names were all seen before costs one comparison of names, and does not read the clock.
    """

    def __init__(self, warn: Callable[[str], None], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._warn, self._monotonic = warn, monotonic
        self._names: dict[str, str | None] = {}  # logged name -> recorded name, None if left out
        self._same: set[str] = set()  # names that are recorded as they were logged
        self._recorded = 0
        self._told_of_names = self._told_of_renaming = False
        self._window_start, self._rows = monotonic(), 0
        self.left_out = 0
        """How many rows were left out because they came too fast."""

    def admit(self, values: Values) -> Values | None:
        """Return the part of ``values`` that may be recorded, or None if the row exceeds the rate limit."""
        self._rows += 1
        if self._rows > ROWS_A_SECOND and not self._new_window():
            self.left_out += 1
            if self.left_out == 1:
                self._warn(f"More than {ROWS_A_SECOND:,} rows a second are logged; the rest is left out.")
            return None
        if values.keys() <= self._same:
            return values
        return {name: value for logged, value in values.items() if (name := self._name(logged)) is not None}

    def excuse(self, rows: int) -> None:
        """Do not count the next ``rows`` rows against the rate limit."""
        self._rows -= rows

    def close(self) -> None:
        if self.left_out > 1:
            self._warn(f"{self.left_out:,} rows were left out: they came faster than {ROWS_A_SECOND:,} a second.")

    def _new_window(self) -> bool:
        now = self._monotonic()
        if now - self._window_start < 1.0:
            return False
        self._window_start, self._rows = now, 1
        return True

    def _name(self, logged: str) -> str | None:
        if logged not in self._names and len(self._names) < 2 * MAX_NAMES:
            self._names[logged] = self._meet(logged)
        return self._names.get(logged)

    def _meet(self, logged: str) -> str | None:
        if self._recorded >= MAX_NAMES:
            if not self._told_of_names:
                self._told_of_names = True
                self._warn(f"More than {MAX_NAMES:,} metrics are logged; {logged[:80]!r} and later ones are left out.")
            return None
        self._recorded += 1
        name = make_distinct(recorded_name(logged), self._names.values())
        if name == logged:
            self._same.add(logged)
        elif not self._told_of_renaming:
            self._told_of_renaming = True
            self._warn(renames_text({logged: name}, f"A run, whose names have up to {MAX_NAME_CHARACTERS} characters,"))
        return name


RecomputedValues = Mapping[str, float | None]


class EventLog(Protocol):
    def event(self, step: int, data: EventData) -> None: ...


class Recomputed:
    """Compares recomputed rows with the journal until all have matched or one differs.

    Args:
        snapshot: Name of the snapshot that the attempt resumes.
        step: Step of that snapshot.
        expected: The journal's rows after the snapshot, in order.
        last: ``seq`` of the journal's last row.
        attempt: Number of the attempt that computes the rows again.
        leave_behind: Called before the event ``diverged`` with the last step up to which earlier attempts still count.

    The event ``resumed`` or ``diverged`` reports the result.
    """

    def __init__(
        self,
        snapshot: str,
        step: int,
        expected: Iterable[Mapping[str, Any]],
        *,
        last: int,
        attempt: int,
        leave_behind: Callable[[int], None],
    ) -> None:
        self._leave_behind = leave_behind
        self._snapshot, self._step, self._last, self._attempt = snapshot, step, last, attempt
        self._expected = iter(expected)
        self._clocked: deque[Mapping[str, Any]] = deque()
        """Journal rows with clock metrics only, before the next row to compare, or after the last."""
        self._next = self._advance()
        self._verified = 0
        self._over = False
        self.has_diverged = False
        """Whether a recomputed row differed from the journal."""

    @property
    def reached(self) -> int | None:
        """``seq`` of the newest row that was computed again; None once all were."""
        following = self._clocked[0] if self._clocked else self._next
        return None if self.has_diverged or following is None else int(following["seq"]) - 1

    def begin(self, log: EventLog) -> None:
        """Report ``resumed`` at once if there is nothing to compare."""
        self._tell_if_done(log)

    def has(self, log: EventLog, step: int, values: RecomputedValues) -> bool:
        """Return whether the journal already has the row, so that it must not be written again."""
        if self.has_diverged:
            return False
        compared = _compared(values)
        if not compared:
            return self._has_clocked(step)
        if self._next is None:
            self._clocked.clear()
            return False
        recorded = _compared(self._next["values"])
        if not any(name.startswith(REWARD) for name in recorded):  # written before components were recorded
            compared = {name: value for name, value in compared.items() if not name.startswith(REWARD)}
        if (step, compared) == (self._next["step"], recorded):
            self._verified, self._step = self._verified + 1, step
            self._next = self._advance()
            self._tell_if_done(log)
            return True
        self._over = self.has_diverged = True
        superseded = Stretch(first=self._next["seq"], last=self._last, attempt=self._attempt)
        metric = _first_difference(recorded, compared) if step == self._next["step"] else None
        try:
            self._leave_behind(step - 1)
        except OSError as error:
            problem = f"Policies that no longer belong to the run could not be put aside: {error}."
            log.event(step, WarningData(message=problem))
        log.event(
            step,
            DivergedData(
                snapshot=self._snapshot,
                verified=self._verified,
                metric=metric,
                recorded=recorded.get(metric) if metric is not None else None,
                computed=compared.get(metric) if metric is not None else None,
                superseded=superseded,
            ),
        )
        return False

    def end(self, log: EventLog) -> None:
        """Report how many rows were not computed again, because the attempt ends."""
        if not self._over and self._next is not None:
            self._over = True
            left = 1 + sum(1 for row in self._expected if _compared(row["values"]))
            log.event(self._step, ResumedData(snapshot=self._snapshot, verified=self._verified, left=left))

    def _advance(self) -> Mapping[str, Any] | None:
        """Return the next row to compare, or None after the last."""
        self._clocked.clear()
        for row in self._expected:
            if _compared(row["values"]):
                return row
            self._clocked.append(row)
        return None

    def _has_clocked(self, step: int) -> bool:
        """Return whether the journal has a row with clock metrics only at ``step``.

        Before the last row to compare, the answer is always yes: such rows depend on the clock and may come elsewhere.
        """
        while self._clocked and self._clocked[0]["step"] < step:
            self._clocked.popleft()
        if self._clocked and self._clocked[0]["step"] == step:
            self._clocked.popleft()
            return True
        return self._next is not None

    def _tell_if_done(self, log: EventLog) -> None:
        if self._next is None and not self._over:
            self._over = True
            log.event(self._step, ResumedData(snapshot=self._snapshot, verified=self._verified))


def _compared(values: RecomputedValues) -> dict[str, float | None]:
    return {name: value for name, value in values.items() if not name.startswith(CLOCK)}


def _first_difference(recorded: RecomputedValues, computed: RecomputedValues) -> str | None:
    names = dict.fromkeys([*recorded, *computed])
    missing = object()
    return next((name for name in names if recorded.get(name, missing) != computed.get(name, missing)), None)


MAX_WAITING_ROWS = 1_000
"""Rows are written together when this many are waiting."""

MAX_ROWS_IN_MEMORY = 100_000
"""Rows that are kept in memory while the disk is full. Later ones are lost."""

RESERVED_BYTES = 65_536

MAX_TEXT = 20_000
"""Longest message or traceback that an event keeps, in characters; a journal's lines are limited in length."""


class Row(NamedTuple):
    """``time`` in seconds since the epoch."""

    time: float
    step: int
    values: Mapping[str, float]


class RunJournals:
    """Writes a run's metrics and events. Events are on disk at once, after the metrics that precede them.

    Training does not notice a full disk: lines wait until there is room again. Rows keep the order they came in,
    whichever thread writes them. Between ``hold`` and ``release`` rows wait, and only events are written.
    """

    def __init__(
        self,
        folder: RunFolder,
        *,
        clock: Callable[[], float] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        reserve: Path | None = None,
    ) -> None:
        """Open the journals of ``folder``.

        Args:
            clock: Time of rows, in seconds since the epoch. Default: a clock that changes of the system time do not
                affect, so that durations are right.
            monotonic: Clock for intervals, in seconds.
            reserve: A file that reserves disk space for the last event; it is emptied when that event needs the space.
        """
        self._clock = clock = clock or SteadyClock()
        self._reserve = reserve
        if reserve is not None:
            with suppress(OSError):
                reserve_space(reserve, RESERVED_BYTES)
        self._metrics = JournalWriter(folder.metrics_path, clock=clock, monotonic=monotonic)
        self._events = JournalWriter(folder.events_path, clock=clock, monotonic=monotonic)
        self._watch: Callable[[int, Mapping[str, float]], None] | None = None
        self._soon: deque[Row] = deque()
        self._order = threading.RLock()
        self._writing_soon = False
        self._held: list[Row] | None = None
        self._recomputed: Recomputed | None = None
        self._not_finite: set[str] = set()
        self.environment_fault: str | None = None
        """The first value from the environment that is not finite, as a sentence; None if there was none."""
        self._step = 0
        self._began = time.process_time()
        self._limits = MetricLimits(lambda message: self.warn(self._step, message), monotonic)

    def expect(self, recomputed: Recomputed) -> None:
        """Compare the next rows with those that the journal already has, and write only new ones."""
        self._recomputed = recomputed
        recomputed.begin(self)

    def hold(self) -> None:
        """Hold rows back until ``release`` or the end of the attempt. For any thread; a second call does nothing."""
        with self._order:
            if self._held is None:
                self._write_soon()
                self._held = []

    def release(self) -> None:
        """Write the rows that were held back, and write rows directly from now on."""
        with self._order:
            held, self._held = self._held, None
            self._limits.excuse(len(held or ()))
            self._soon.extendleft(reversed(held or ()))
            self._write_soon()

    def watch(self, watch: Callable[[int, Mapping[str, float]], None]) -> None:
        """Call ``watch`` with each row before it is written or held back, in the thread that logs it."""
        self._watch = watch

    def metrics(self, step: int, values: Mapping[str, float]) -> None:
        """Append one row. NaN and infinity are stored as null, with a warning when a metric first becomes so."""
        if self._watch is not None:
            self._watch(step, values)
        with self._order:
            self._write_soon()
            self._write_recordable(Row(self._clock(), step, values))

    def metrics_soon(self, step: int, values: Mapping[str, float]) -> None:
        """Append one row later, together with the next write or at ``flush_if_due``.

        For frequent rows: writing many at once costs a fraction of writing each alone, because the code stays in the
        processor's cache.
        """
        if self._watch is not None:
            self._watch(step, values)
        if len(self._soon) < MAX_ROWS_IN_MEMORY:
            self._soon.append(Row(self._clock(), step, values))
        if len(self._soon) >= MAX_WAITING_ROWS:
            self._write_soon()

    def _write_soon(self) -> None:
        with self._order:
            if self._writing_soon:  # a row that is being written caused a warning
                return
            self._writing_soon = True
            try:
                while self._soon:
                    self._write_one(self._soon.popleft())
            finally:
                self._writing_soon = False

    def _write_one(self, row: Row) -> None:
        try:
            self._write_recordable(row)
        except OSError:  # too much already waits for the disk
            self._soon.appendleft(row)
            raise

    def _write_recordable(self, row: Row) -> None:
        """Write ``row``. Values that JSON cannot represent become a warning; training continues."""
        try:
            self._write(row)
        except (TypeError, ValueError, OverflowError) as error:
            names = ", ".join(map(str, row.values))
            self.warn(row.step, f"{names} could not be recorded at step {row.step}: {error}.")

    def _write(self, row: Row) -> None:
        self._step = row.step
        if (admitted := self._limits.admit(row.values)) is None:
            return
        if self._held is not None:
            self._held.append(row._replace(values=admitted))
            return
        at, step, values = row.time, row.step, admitted
        if not self._not_finite and all(map(math.isfinite, values.values())):  # the common case
            self._append(at, step, values)
            return
        cleaned: dict[str, float | None] = {}
        for name, value in values.items():
            finite = math.isfinite(value)
            cleaned[name] = value if finite else None
            if not finite and name not in self._not_finite:
                self._not_finite.add(name)
                self.warn(step, self._about_not_finite(name, value, step))
            elif finite:
                self._not_finite.discard(name)
        self._append(at, step, cleaned)

    def _about_not_finite(self, name: str, value: float, step: int) -> str:
        """Explain why a metric is NaN or infinite, and what the user can do. Returns come from the environment."""
        said = f"{name} is {value} at step {step}"
        if self.environment_fault is not None:
            follows = "follows" if name in RETURNS else "may follow"
            return f"{said}. This {follows} from a fault of the environment: {self.environment_fault}"
        if name in RETURNS:
            return f"{said}: a reward of the environment, or the sum of its rewards, is not a finite number."
        return f"{said}. If this continues, lower the learning rate."

    def _append(self, at: float, step: int, values: Mapping[str, float | None]) -> None:
        if self._recomputed is not None and self._recomputed.has(self, step, values):
            return
        self._metrics.append({"step": step, "values": values}, at=at, flush=not self._soon)

    @property
    def is_repeating(self) -> bool:
        """Whether the current rows are already in the journal, from an earlier attempt."""
        return self._recomputed is not None and self._recomputed.reached is not None

    @property
    def has_diverged(self) -> bool:
        """Whether rows differed, so that what earlier attempts did from some step on is superseded."""
        return self._recomputed is not None and self._recomputed.has_diverged

    def last_row(self) -> int:
        """Return the ``seq`` of the last row that training has reached, including rows that are waiting."""
        self._write_soon()
        reached = self._recomputed.reached if self._recomputed is not None else None
        return self._metrics.last_seq if reached is None else reached

    def event(self, step: int, data: EventData) -> None:
        """Append an event and write it at once. If the disk is full, the event waits, as metrics do.

        An event that cannot be recorded is dropped, except the ending of an attempt, which raises OSError.
        """
        if isinstance(data, Ending):
            self._settle()
            data = data.model_copy(update={"processor_seconds": round(time.process_time() - self._began, 3)})
        for write in (self._metrics.flush, self._write_soon, self._metrics.flush):  # make room for waiting rows first
            with suppress(OSError):
                write()
        if isinstance(data, Ending):
            self._limits.close()
        try:
            self._events.append(_storable(event_line(step, data)))
            self._events.flush()
        except (OSError, TypeError, ValueError):
            if isinstance(data, Ending):
                self._release_reserve()
                self._events.flush()

    def warn(self, step: int, message: str) -> None:
        self.event(step, WarningData(message=message))

    def warn_now(self, message: str) -> None:
        """Log a warning at the step of the last row. For any thread."""
        self.warn(self._step, message)

    def roll_back(self) -> None:
        """Reset for a rollback: write held rows, stop comparing, and forget which metrics were not finite."""
        self.release()
        recomputed, self._recomputed = self._recomputed, None
        if recomputed is not None:
            recomputed.end(self)
        self._not_finite.clear()

    def flush(self) -> None:
        """Write the waiting lines. Lines that cannot be written keep waiting."""
        with suppress(OSError):
            self._metrics.flush()
            self._write_soon()
            self._metrics.flush()

    def sync_metrics(self) -> None:
        """Flush every row counted by ``last_row`` to the disk itself. Raises OSError."""
        self._metrics.sync()

    def flush_if_due(self) -> None:
        try:
            self._write_soon()
        finally:  # it may make room for the waiting rows
            self._metrics.flush_if_due()
            self._events.flush_if_due()

    def sync_if_due(self) -> None:
        """Flush what was written to the disk itself. It may block, so do not call it in the training thread."""
        self._metrics.sync_if_due()
        self._events.sync_if_due()

    def _settle(self) -> None:
        """Release held rows and stop comparing: the attempt ends."""
        with suppress(OSError):
            self.release()
        recomputed, self._recomputed = self._recomputed, None
        if recomputed is not None:
            recomputed.end(self)

    def _release_reserve(self) -> None:
        if self._reserve is not None:
            with suppress(OSError):
                os.truncate(self._reserve, 0)

    def close(self) -> None:
        self._release_reserve()
        try:
            self._metrics.flush()
            self.release()
        finally:
            try:
                self._metrics.close()
            finally:
                self._events.close()


def _storable(value: Any) -> Any:
    """Return ``value`` with strings that UTF-8 can encode, cut to MAX_TEXT characters."""
    if isinstance(value, str):
        return value[:MAX_TEXT].encode(errors="replace").decode()
    if isinstance(value, dict):
        return {name: _storable(one) for name, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list) else value
