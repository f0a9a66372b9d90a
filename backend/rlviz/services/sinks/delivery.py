"""Delivery: brings what a sink lacks of a run to it, and notes in the run's folder how far it came."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import islice

from rlviz.domain.errors import RlvizError, SinkProblem
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.domain.text_encoding import typed_text
from rlviz.exchange.sinks import SINKS
from rlviz.exchange.sinks.sink import Begun, Row, Sink
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, is_line_start
from rlviz.rundir.sinks import add_sink, own_folder, state_of, write_sink
from rlviz.services.sinks.reading import read_rows, read_run

MOST_ROWS = 1_000
"""Rows that a sink is given at once."""

LONGEST_PROBLEM = 400

MOST_RENAMED = 100
"""Metrics that a record names."""


class Delivery:
    """Of one run to one sink, by whoever holds its lock. Each step of it may be the last: another begins where it was.

    ``make``: a sink in the place of the registry's. ``within``: a block in which every call of the sink is made, which
    may take no longer than it allows, nor be without an answer for longer: ``answered`` is called when there was one.
    """

    def __init__(
        self,
        folder: RunFolder,
        kind: SinkKind,
        *,
        make: type[Sink] | None = None,
        within: Callable[[], AbstractContextManager[object]] = nullcontext,
        answered: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._kind, self._make, self._clock = folder, kind, make, clock
        self._within, self._answered = within, answered
        self.record: SinkRecord = add_sink(folder, kind)
        self._sink: Sink | None = None
        self._tail = JournalTail(folder.metrics_path)
        self._from_seq = 0
        self._confirmed_at = 0.0
        self._step = self.record.step
        self._count = 0
        self._names: dict[str, str] = {}

    def run(self, next_look: Callable[[], bool] = lambda: False) -> None:
        """Deliver what is there, and again while ``next_look``, which waits a while, returns true; at the end tell
        what became of the run. Raises SinkProblem, which the record has, too."""
        try:
            self._begin()
            self._deliver_rows()
            while next_look():
                self._deliver_rows()
            self._deliver_rows()
            self._confirm()
            self._describe()
        except Exception as error:  # a sink's package may raise anything
            raise self.fail(_words(error)) from error
        finally:
            if self._sink is not None:
                self._close(self._sink)

    def fail(self, problem: str) -> SinkProblem:
        """Note why the delivery ended early."""
        problem = problem[:LONGEST_PROBLEM]
        self._note(problem=problem, attempts=self.record.attempts + 1)
        return SinkProblem(problem)

    def _begin(self) -> None:
        run = replace(read_run(self._folder), answered=self._answered)
        with self._within():
            make = self._make or SINKS.get(self._kind)
            self._sink = make(run, self._folder.path.parent, own_folder(self._folder, self._kind))
            begun = self._sink.begin()
        self._start_from(begun)
        self._confirmed_at = self._clock()

    def _start_from(self, begun: Begun) -> None:
        offset = self.record.offset
        if begun.from_seq is not None or not is_line_start(self._folder.metrics_path, offset):
            offset, self._from_seq = 0, begun.from_seq or 0
            self._count = 0
        else:
            self._count = self.record.rows
        self._tail = JournalTail(self._folder.metrics_path, offset)
        self._note(
            foreign_id=begun.foreign_id,
            place=typed_text(begun.place),
            offline=begun.offline,
            offset=offset,
            rows=self._count,
            step=self.record.step if offset else None,
            problem=None,
        )

    def _deliver_rows(self) -> None:
        assert self._sink is not None
        for rows in read_rows(self._tail):
            for start in range(0, len(rows), MOST_ROWS):
                some = [self._named(row) for row in rows[start : start + MOST_ROWS] if row.seq >= self._from_seq]
                if some:
                    with self._within():
                        self._sink.send(some)
            self._count += len(rows)
            self._step = rows[-1].step if rows else self._step
            self._confirm_in_time()
        self._confirm_in_time()

    def _named(self, row: Row) -> Row:
        """Return the row with the names that its metrics have in the sink."""
        assert self._sink is not None
        for name in row.values:
            if name not in self._names:
                self._names[name] = self._sink.naming.encode(name)
        return row._replace(values={self._names[name]: value for name, value in row.values.items()})

    def _renamed(self) -> dict[str, str]:
        """Return those whose names differ there, as many as a record has room for."""
        differing = ((name, there) for name, there in self._names.items() if name != there)
        return {**self.record.renamed, **dict(islice(differing, MOST_RENAMED))}

    def _confirm_in_time(self) -> None:
        assert self._sink is not None
        if self._clock() - self._confirmed_at >= self._sink.confirm_seconds:
            self._confirm()

    def _confirm(self) -> None:
        assert self._sink is not None
        self._confirmed_at = self._clock()
        if self._tail.offset == self.record.offset:
            return
        with self._within():
            self._sink.confirm()
        self._note(offset=self._tail.offset, step=self._step, rows=self._count, renamed=self._renamed(), attempts=0)

    def _describe(self) -> None:
        assert self._sink is not None
        state = state_of(self._folder)
        run = read_run(self._folder)
        with self._within():
            self._sink.describe(run)
        self._note(described=state, attempts=0)

    def _close(self, sink: Sink) -> None:
        try:
            with self._within():
                sink.close()
        except Exception as error:
            raise self.fail(_words(error)) from error

    def _note(self, **changes: object) -> None:
        self.record = write_sink(self._folder, self.record.model_copy(update=changes))


def _words(error: Exception) -> str:
    """What an error says, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, RlvizError) and lines:
        return lines[0]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
