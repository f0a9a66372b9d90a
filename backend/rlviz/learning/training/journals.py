"""The trainer's end of the journals.

How much a trainer may log: beyond it rows or names are left out, and the run says so.

Rows that an attempt computes again: those that the journal has beyond the snapshot that the attempt began
from.
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
from rlviz.rundir.files import reserve_space
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter

MAX_NAMES = 1_000
ROWS_A_SECOND = 10_000
"""Ten times what the fastest environments of the registry need; about 1.5 MB a second."""

Values = Mapping[str, float]


class MetricLimits:
    """Limits how many metric names a run may record, and how many rows a second. A row with the same names as earlier
    ones costs one comparison of names, without a look at the clock."""

    def __init__(self, warn: Callable[[str], None], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._warn, self._monotonic = warn, monotonic
        self._names: dict[str, str | None] = {}  # as logged: as recorded, None if left out
        self._same: set[str] = set()  # those that are recorded as they were logged
        self._recorded = 0
        self._told_of_names = self._told_of_renaming = False
        self._window_start, self._rows = monotonic(), 0
        self.left_out = 0
        """How many rows were left out because they came too fast."""

    def admit(self, values: Values) -> Values | None:
        """The part of ``values`` that may be recorded; None for a row that comes too fast."""
        self._rows += 1
        if self._rows > ROWS_A_SECOND and not self._new_window():
            self.left_out += 1
            if self.left_out == 1:
                self._warn(f"More than {ROWS_A_SECOND:,} rows a second are logged; those beyond are left out.")
            return None
        if values.keys() <= self._same:
            return values
        return {name: value for logged, value in values.items() if (name := self._name(logged)) is not None}

    def excuse(self, rows: int) -> None:
        """The next ``rows`` rows were recorded by an earlier attempt: do not count them."""
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
    """Compares, row by row, until all rows have come again or one comes otherwise.

    ``expected``: the rows beyond the snapshot, as the journal has them, in order; ``last`` is the seq of the journal's
    last row, and ``attempt`` the one that computes them again. The event ``resumed`` or ``diverged`` says how it went.
    ``leave_behind`` comes before ``diverged`` is called, with the last step up to which earlier attempts still count.
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
        """Rows of the clock alone that the journal has before the next one to compare, or after the last."""
        self._next = self._advance()
        self._verified = 0
        self._over = False
        self.has_diverged = False
        """Whether a row has come otherwise."""

    @property
    def reached(self) -> int | None:
        """The ``seq`` of the newest row that was computed again; None once all were."""
        following = self._clocked[0] if self._clocked else self._next
        return None if self.has_diverged or following is None else int(following["seq"]) - 1

    def begin(self, log: EventLog) -> None:
        """If there is nothing to compare, tell at once that the run was resumed."""
        self._tell_if_done(log)

    def has(self, log: EventLog, step: int, values: RecomputedValues) -> bool:
        """Whether the row that was just computed is in the journal already, so that it must not be written again."""
        if self.has_diverged:
            return False
        compared = _compared(values)
        if not compared:
            return self._has_clocked(step)
        if self._next is None:
            self._clocked.clear()
            return False
        recorded = _compared(self._next["values"])
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
        """The attempt ends: if it did not compute all rows again, tell how many are left."""
        if not self._over and self._next is not None:
            self._over = True
            left = 1 + sum(1 for row in self._expected if _compared(row["values"]))
            log.event(self._step, ResumedData(snapshot=self._snapshot, verified=self._verified, left=left))

    def _advance(self) -> Mapping[str, Any] | None:
        """The next row to compare; None: there is no further one."""
        self._clocked.clear()
        for row in self._expected:
            if _compared(row["values"]):
                return row
            self._clocked.append(row)
        return None

    def _has_clocked(self, step: int) -> bool:
        """Whether the journal has a row of the clock alone at ``step``: before the last one to compare it counts as
        if it had, since whether there is such a row may be for the clock to decide."""
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
"""So many wait for company; then they are written at once."""

MAX_ROWS_IN_MEMORY = 100_000
"""So many wait while the journal takes none because the disk has been full for too long. Later ones are lost."""

RESERVED_BYTES = 65_536

MAX_TEXT = 20_000
"""Characters of a message or traceback that an event keeps; a line of a journal has a limit."""


class Row(NamedTuple):
    """``time`` in seconds since the epoch."""

    time: float
    step: int
    values: Mapping[str, float]


class RunJournals:
    """Writes a run's metrics and events. Events are on disk at once, and after the metrics before them.

    A full disk does not reach training: lines wait until there is room again. Rows are in the order they came in,
    from whatever thread they are written. Between ``hold`` and ``release`` rows wait, and only events are written.
    """

    def __init__(
        self,
        folder: RunFolder,
        *,
        clock: Callable[[], float] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        reserve: Path | None = None,
    ) -> None:
        """``clock``: None for one of this attempt that no step of the machine's clock reaches, so that durations are
        right. ``reserve``: a file that keeps room on the disk for the last event, and is emptied when that needs it."""
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
        """The first number that the environment returned and that is not finite, in a sentence; None if there was none.
        """
        self._step = 0
        self._began = time.process_time()
        self._limits = MetricLimits(lambda message: self.warn(self._step, message), monotonic)

    def expect(self, recomputed: Recomputed) -> None:
        """The rows to come are compared with those that the journal has already; only what is new is written."""
        self._recomputed = recomputed
        recomputed.begin(self)

    def hold(self) -> None:
        """From now on rows wait for ``release``, or for the attempt's ending. Twice is once; from any thread."""
        with self._order:
            if self._held is None:
                self._write_soon()
                self._held = []

    def release(self) -> None:
        """Write what was held back; from now on rows are written again."""
        with self._order:
            held, self._held = self._held, None
            self._limits.excuse(len(held or ()))
            self._soon.extendleft(reversed(held or ()))
            self._write_soon()

    def watch(self, watch: Callable[[int, Mapping[str, float]], None]) -> None:
        """Have each row shown, as it is logged and in the thread that logs it, before it is written or held back."""
        self._watch = watch

    def metrics(self, step: int, values: Mapping[str, float]) -> None:
        """Append one record. A NaN or infinity becomes null, with a warning each time a metric turns so."""
        if self._watch is not None:
            self._watch(step, values)
        with self._order:
            self._write_soon()
            self._write_recordable(Row(self._clock(), step, values))

    def metrics_soon(self, step: int, values: Mapping[str, float]) -> None:
        """As ``metrics``, for rows that come often: they wait for what is written next, of whatever kind, or for
        ``flush_if_due``. Many together cost a fraction of as many alone: what writes them stays in the cache.
        """
        if self._watch is not None:
            self._watch(step, values)
        if len(self._soon) < MAX_ROWS_IN_MEMORY:
            self._soon.append(Row(self._clock(), step, values))
        if len(self._soon) >= MAX_WAITING_ROWS:
            self._write_soon()

    def _write_soon(self) -> None:
        with self._order:
            if self._writing_soon:  # what is written now raised a warning
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
        except OSError:  # too much waits for the disk already
            self._soon.appendleft(row)
            raise

    def _write_recordable(self, row: Row) -> None:
        """Write ``row``. Whatever is in it, training goes on: values that JSON cannot represent become a warning."""
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
        if not self._not_finite and all(map(math.isfinite, values.values())):  # nearly always, and often
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
        """Why a metric is NaN or infinite, and what to do: returns are the environment's own."""
        said = f"{name} is {value} at step {step}"
        if self.environment_fault is not None:
            follows = "follows" if name in RETURNS else "may follow"
            return f"{said}. That {follows} from what the environment returned: {self.environment_fault}"
        if name in RETURNS:
            return f"{said}: the environment returned rewards that are no finite numbers, or whose sum is none."
        return f"{said}. Lower the learning rate if it stays so."

    def _append(self, at: float, step: int, values: Mapping[str, float | None]) -> None:
        if self._recomputed is not None and self._recomputed.has(self, step, values):
            return
        self._metrics.append({"step": step, "values": values}, at=at, flush=not self._soon)

    @property
    def is_repeating(self) -> bool:
        """Whether the rows of now are in the journal already, from an earlier attempt."""
        return self._recomputed is not None and self._recomputed.reached is not None

    @property
    def has_diverged(self) -> bool:
        """Whether what an earlier attempt did from some step on is no part of the run, since rows came otherwise."""
        return self._recomputed is not None and self._recomputed.has_diverged

    def last_row(self) -> int:
        """The seq of the last row that training has come to, those that wait counted in."""
        self._write_soon()
        reached = self._recomputed.reached if self._recomputed is not None else None
        return self._metrics.last_seq if reached is None else reached

    def event(self, step: int, data: EventData) -> None:
        """Append an event and write it. What the disk refuses waits, as metrics do; but an ending raises OSError. Any
        other event that cannot be recorded is lost."""
        if isinstance(data, Ending):
            self._settle()
            data = data.model_copy(update={"processor_seconds": round(time.process_time() - self._began, 3)})
        for write in (self._metrics.flush, self._write_soon, self._metrics.flush):  # room first, for those that wait
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
        """A warning at the step that was logged last, from whatever thread."""
        self.warn(self._step, message)

    def go_back(self) -> None:
        """Training goes back: what came after is held back no more, nor compared; nothing is known of what it logs."""
        self.release()
        recomputed, self._recomputed = self._recomputed, None
        if recomputed is not None:
            recomputed.end(self)
        self._not_finite.clear()

    def flush(self) -> None:
        """Write what waits now. What the disk refuses goes on waiting."""
        with suppress(OSError):
            self._metrics.flush()
            self._write_soon()
            self._metrics.flush()

    def sync_metrics(self) -> None:
        """Have the disk itself hold every row that ``last_row`` has counted so far. Raises OSError."""
        self._metrics.sync()

    def flush_if_due(self) -> None:
        try:
            self._write_soon()
        finally:  # it may make room for those that wait
            self._metrics.flush_if_due()
            self._events.flush_if_due()

    def sync_if_due(self) -> None:
        """Have the disk itself hold what was written; may take a while, so not for the training thread."""
        self._metrics.sync_if_due()
        self._events.sync_if_due()

    def _settle(self) -> None:
        """The attempt ends: nothing is held back any more, and nothing more is compared."""
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
    """``value`` with texts of at most MAX_TEXT characters, which UTF-8 can encode."""
    if isinstance(value, str):
        return value[:MAX_TEXT].encode(errors="replace").decode()
    if isinstance(value, dict):
        return {name: _storable(one) for name, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list) else value
