"""Which rows of ``metrics.jsonl`` count: all code reads a run's metrics through this module.

A row counts unless it is superseded: a later attempt rolled back beyond it, or computed it again with a different
result. Superseded rows stay in the journal. Readers choose between ``counted_rows``, which all figures use, and
``all_rows``, the journal as written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import DivergedData, RollbackData, Superseded, parse_event
from rlviz.domain.metrics import is_metric
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, Line, offset_after, read_backwards, split_lines

_SIGN = b'"superseded"'


class SupersededRows:
    """Follows the events of a run for superseded rows. Repeated calls only read new events."""

    def __init__(self, folder: RunFolder) -> None:
        self._tail = JournalTail(folder.events_path)
        self._found = Superseded()

    def now(self) -> Superseded:
        """Return the superseded rows so far; none if the journal is damaged as a whole."""
        with suppress(RunFolderError):
            for data in self._tail.byte_batches():
                if _SIGN in data:  # rare, and a search is cheaper than parsing
                    self._take(data)
        return self._found

    def _take(self, data: bytes) -> None:
        for line in split_lines(data):
            event = parse_event(line.record)
            if event is not None and isinstance(event.data, DivergedData | RollbackData):
                self._found = Superseded([*self._found.stretches, event.data.superseded])


def superseded_rows(folder: RunFolder) -> Superseded:
    """Return all rows that the run's events say are superseded."""
    return SupersededRows(folder).now()


MetricRow = dict[str, Any]
"""A row of the journal: ``seq``, ``time``, ``step`` and ``values``, checked by ``is_metric``."""

NONE_SUPERSEDED = Superseded()


def is_counted(record: Mapping[str, Any] | None, superseded: Superseded) -> bool:
    """Whether a line of ``metrics.jsonl`` is a row that is not superseded."""
    return record is not None and is_metric(record) and record["seq"] not in superseded


def counted_rows(folder: RunFolder, *, after: int = 0, superseded: Superseded | None = None) -> Iterator[MetricRow]:
    """Yield the rows that count, in order, after row number ``after``.

    ``superseded`` are the rows to skip (default: those that the run's events name now). Raises RunFolderError.
    """
    if superseded is None:
        superseded = superseded_rows(folder)
    offset = offset_after(folder.metrics_path, after, "seq") if after else 0
    return _counted(JournalTail(folder.metrics_path, offset), after, superseded)


def _counted(tail: JournalTail, after: int, superseded: Superseded) -> Iterator[MetricRow]:
    for records, _broken in tail.record_batches():
        yield from (record for record in records if record["seq"] > after and is_counted(record, superseded))


def all_rows(folder: RunFolder) -> Iterator[MetricRow]:
    """Yield every row in order, including superseded ones. Raises RunFolderError."""
    return counted_rows(folder, superseded=NONE_SUPERSEDED)


def newest_lines(folder: RunFolder, end: int | None = None) -> Iterator[Line]:
    """Yield lines from the last to the first, without superseded rows but with broken lines.

    ``end`` is the byte of the journal to start at (default: its end). Raises RunFolderError.
    """
    superseded = superseded_rows(folder)
    for line in read_backwards(folder.metrics_path, end):
        if line.record is None or line.record["seq"] not in superseded:
            yield line


class NewRows(NamedTuple):
    """New rows of a run. With ``is_anew``, some earlier rows no longer count, and ``rows`` are all that count now."""

    rows: Sequence[MetricRow]
    is_anew: bool


class CountedRows:
    """Follows the rows of a run that count. Repeated reads only read new rows, unless the run went back."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder, self._events = folder, SupersededRows(folder)
        self._superseded = NONE_SUPERSEDED
        self._tail = JournalTail(folder.metrics_path)

    def read(self) -> NewRows:
        """Return the rows since the last call, or all. Raises RunFolderError."""
        superseded = self._events.now()
        is_anew = superseded != self._superseded
        if is_anew:
            self._superseded, self._tail = superseded, JournalTail(self._folder.metrics_path)
        rows = [record for record in self._tail.read_records().records if is_counted(record, superseded)]
        return NewRows(rows, is_anew)
