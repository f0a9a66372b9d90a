"""Which rows of a run count: the one place that reads ``metrics.jsonl`` for what a run has logged.

A row counts unless it is superseded: a later attempt went back beyond it, or trained there again and came to another
result. Superseded rows stay in the journal. Whoever reads rows says which it means: ``counted_rows``, which figures are
made of, or ``all_rows``, which is the journal as it was written.

Which rows of a run's metrics are superseded, as its events say.
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
    """Follows the events of a run. A second look reads only what is new."""

    def __init__(self, folder: RunFolder) -> None:
        self._tail = JournalTail(folder.events_path)
        self._found = Superseded()

    def now(self) -> Superseded:
        """Equal to what was found before unless there are more. A journal that is damaged as a whole says nothing."""
        with suppress(RunFolderError):
            for data in self._tail.byte_batches():
                if _SIGN in data:  # rare, and cheaper to look for than to parse
                    self._take(data)
        return self._found

    def _take(self, data: bytes) -> None:
        for line in split_lines(data):
            event = parse_event(line.record)
            if event is not None and isinstance(event.data, DivergedData | RollbackData):
                self._found = Superseded([*self._found.stretches, event.data.superseded])


def superseded_rows(folder: RunFolder) -> Superseded:
    """All that the events of the run say are superseded."""
    return SupersededRows(folder).now()


MetricRow = dict[str, Any]
"""A row as it stands in the journal: ``seq``, ``time``, ``step`` and ``values``, checked by ``is_metric``."""

NONE_SUPERSEDED = Superseded()


def counts(record: Mapping[str, Any] | None, superseded: Superseded) -> bool:
    """Whether a line of ``metrics.jsonl`` is a row, and not among those that are ``superseded``."""
    return record is not None and is_metric(record) and record["seq"] not in superseded


def counted_rows(folder: RunFolder, *, after: int = 0, superseded: Superseded | None = None) -> Iterator[MetricRow]:
    """The rows that count, in order, from the one behind the number ``after`` on.

    ``superseded``: rows that are left out, if not those that the run's events name as this is called. Raises
    RunFolderError.
    """
    if superseded is None:
        superseded = superseded_rows(folder)
    offset = offset_after(folder.metrics_path, after, "seq") if after else 0
    return _counted(JournalTail(folder.metrics_path, offset), after, superseded)


def _counted(tail: JournalTail, after: int, superseded: Superseded) -> Iterator[MetricRow]:
    for records, _broken in tail.record_batches():
        yield from (record for record in records if record["seq"] > after and counts(record, superseded))


def all_rows(folder: RunFolder) -> Iterator[MetricRow]:
    """Every row, in order, also those that are superseded. Raises RunFolderError."""
    return counted_rows(folder, superseded=NONE_SUPERSEDED)


def newest_lines(folder: RunFolder, end: int | None = None) -> Iterator[Line]:
    """Lines from the last to the first, without superseded rows; broken lines are among them.

    ``end``: byte of the journal to begin at (default: its end). Raises RunFolderError.
    """
    superseded = superseded_rows(folder)
    for line in read_backwards(folder.metrics_path, end):
        if line.record is None or line.record["seq"] not in superseded:
            yield line


class NewRows(NamedTuple):
    """``is_anew``: ``rows`` are all that count now, since some that were read before count no more."""

    rows: Sequence[MetricRow]
    is_anew: bool


class CountedRows:
    """Follows the rows of a run that count. A second ``read`` reads only what is new, unless the run went back."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder, self._events = folder, SupersededRows(folder)
        self._superseded = NONE_SUPERSEDED
        self._tail = JournalTail(folder.metrics_path)

    def read(self) -> NewRows:
        """The rows since the last time, or all. Raises RunFolderError."""
        superseded = self._events.now()
        is_anew = superseded != self._superseded
        if is_anew:
            self._superseded, self._tail = superseded, JournalTail(self._folder.metrics_path)
        rows = [record for record in self._tail.read_records().records if counts(record, superseded)]
        return NewRows(rows, is_anew)
