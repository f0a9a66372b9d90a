"""The trainer's end of the journals."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rlviz.domain.clocks import SteadyClock
from rlviz.domain.event_lines import event_line
from rlviz.domain.events import Ending, EventData, WarningData
from rlviz.domain.records import RETURNS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.reserve import take_room
from rlviz.training.log_limits import MetricLimits
from rlviz.training.recomputed import Recomputed

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
                take_room(reserve, RESERVED_BYTES)
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
