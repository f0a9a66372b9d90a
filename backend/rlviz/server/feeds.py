"""Feed: the metric rows of a run for all of its streams, read from the journal once.

Cursor: a stream's position, which is for each run the next byte of its metrics journal.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

from rlviz.domain.errors import InvalidRequest, RunFolderError
from rlviz.domain.events import Superseded
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import (
    JournalTail,
    Line,
    block_lines,
    is_line_start,
    offset_after,
    parse_block,
    split_blocks,
    whole_size,
)
from rlviz.rundir.metric_rows import NONE_SUPERSEDED, is_counted, superseded_rows

RECENT_BYTES = 1 << 20


class Row(NamedTuple):
    """A line of the journal for a stream: ``raw`` is None for a broken line."""

    start: int
    end: int
    raw: bytes | None


class Rows(NamedTuple):
    """The records of some lines, which end before byte ``end``: JSON objects separated by commas."""

    end: int
    json: bytes


class MetricsFeed:
    """The journal of one run. ``poll`` (one thread) reads what is new; ``read`` (any thread) hands it out.

    Recent lines are kept in memory; older ones are read from the file again for the client that asks. They are
    parsed once, to find out whether all are records; those who ask after that get them as they stand there. A
    journal that is damaged as a whole has no lines. Rows that are superseded are passed over, as broken ones are.
    """

    def __init__(
        self, path: Path, recent_bytes: int = RECENT_BYTES, *, superseded: Superseded = NONE_SUPERSEDED
    ) -> None:
        self._path, self._recent_bytes, self._superseded = path, recent_bytes, superseded
        self._tail = JournalTail(path, _size_of(path))
        self._recent: list[Row] = []
        self._checked = range(0)
        self._lock = Lock()
        self._reading_old = Lock()
        self.end = self._tail.offset
        """Offset, bytes, after the last whole line that was read."""

    def poll(self) -> list[Line]:
        """Read new lines. Raises RunFolderError while the journal cannot be read."""
        lines = self._tail.read()
        if lines:
            with self._lock:
                self._recent = self._newest([*self._recent, *map(self._row, lines)])
                self.end = self._tail.offset
        return lines

    def leave_out(self, superseded: Superseded) -> None:
        """From now on pass these rows over, which may have been handed out before."""
        with self._lock:
            self._superseded, self._recent, self._checked = superseded, [], range(0)

    def read(self, offset: int, limit: int) -> Rows:
        """The lines from ``offset`` on, of about ``limit`` bytes (but at least one line), none beyond ``end``."""
        with self._lock:
            recent, end = self._recent, self.end
        if offset >= end:
            return Rows(offset, b"")
        if recent and offset >= recent[0].start:
            first = bisect_left(recent, offset, key=lambda row: row.start)
            enough = bisect_left(recent, offset + limit, key=lambda row: row.end)
            rows = recent[first : max(enough, first + 1)]
            return _joined(rows, rows[-1].end)
        try:
            with self._reading_old:  # whoever comes second finds the same rows checked
                return self._read_old(offset, min(limit, end - offset))
        except RunFolderError:
            return Rows(offset, b"")

    def in_memory(self, offset: int) -> bool:
        """Whether ``read(offset, …)`` needs no disk access."""
        with self._lock:
            return offset >= self.end or (bool(self._recent) and offset >= self._recent[0].start)

    def _read_old(self, offset: int, limit: int) -> Rows:
        tail = JournalTail(self._path, offset)
        checked = self._checked
        if checked.start <= offset < checked.stop:
            data = tail.read_bytes(min(limit, checked.stop - offset))
            return Rows(tail.offset, _as_they_stand(data))
        rows: list[bytes] = []
        only_rows = True
        for start, block in split_blocks(tail.read_bytes(limit), offset):
            records = parse_block(block)
            if records is not None and all(is_counted(record, self._superseded) for record in records):
                rows.append(_as_they_stand(block))
            else:
                found = [self._row(line).raw for line in block_lines(start, block)]
                only_rows = only_rows and None not in found
                rows += [raw for raw in found if raw is not None]
        if rows and only_rows:
            self._note_checked(range(offset, tail.offset))
        return Rows(tail.offset, b",".join(rows))

    def _note_checked(self, stretch: range) -> None:
        """Remember that each line of ``stretch`` is a record. Only one stretch is remembered; an adjacent one extends
        it."""
        with self._lock:
            known = self._checked
            if stretch.start <= known.stop and known.start <= stretch.stop:
                stretch = range(min(known.start, stretch.start), max(known.stop, stretch.stop))
            self._checked = stretch

    def _row(self, line: Line) -> Row:
        is_sent = is_counted(line.record, self._superseded)
        return Row(line.start, line.end, _without_returns(line.raw) if is_sent else None)

    def _newest(self, rows: list[Row]) -> list[Row]:
        first = bisect_left(rows, rows[-1].end - self._recent_bytes, key=lambda row: row.start)
        return rows[first:]


def _joined(rows: Sequence[Row], end: int) -> Rows:
    return Rows(end, b",".join(row.raw for row in rows if row.raw is not None))


def _as_they_stand(lines: bytes) -> bytes:
    """Whole lines, all of them rows."""
    return _without_returns(lines[:-1].replace(b"\n", b","))


def _without_returns(json: bytes) -> bytes:
    """A carriage return is white space in JSON, but would end a line of the event."""
    return json.replace(b"\r", b" ") if b"\r" in json else json


def _size_of(path: Path) -> int:
    try:
        return whole_size(path)
    except RunFolderError:
        return 0


class Feeds:
    """The feeds in use; a feed is dropped with its last user."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._feeds: WeakValueDictionary[str, MetricsFeed] = WeakValueDictionary()
        self._lock = Lock()

    def known(self, run_id: str) -> MetricsFeed | None:
        """The feed of a run that somebody follows already, which needs no disk access."""
        return self._feeds.get(run_id)

    def get_feed(self, run_id: str) -> MetricsFeed:
        """The feed of a run, shared by all who follow it."""
        with self._lock:
            feed = self._feeds.get(run_id)
            if feed is None:
                folder = RunFolder(self._runs_dir, run_id)
                feed = MetricsFeed(folder.metrics_path, superseded=superseded_rows(folder))
                self._feeds[run_id] = feed
            return feed


_PART = re.compile(r"([a-z0-9-]{1,80}):(\d{1,15})")
MAX_CURSOR_CHARACTERS = 16_384


def encode_cursor(positions: Mapping[str, int]) -> str:
    """For instance ``ppo-cartpole-20261121-014312-7f3a:40960``; several runs are joined by commas."""
    return ",".join(f"{run_id}:{offset}" for run_id, offset in sorted(positions.items()))


def decode_cursor(text: str, runs_dir: Path, run_ids: Sequence[str]) -> dict[str, int]:
    """Positions of ``run_ids``; runs that are not in the cursor begin at 0, other runs in it are ignored.

    Raises InvalidRequest for a malformed cursor.
    """
    positions = dict.fromkeys(run_ids, 0)
    if len(text) > MAX_CURSOR_CHARACTERS:
        raise _invalid(text)
    for part in filter(None, text.split(",")):
        match = _PART.fullmatch(part)
        if match is None:
            raise _invalid(text)
        run_id, offset = match[1], int(match[2])
        if run_id in positions:
            if not is_line_start(RunFolder(runs_dir, run_id).metrics_path, offset):
                raise _invalid(text)
            positions[run_id] = offset
    return positions


def positions_since(since: float, runs_dir: Path, run_ids: Sequence[str]) -> dict[str, int]:
    """Positions of the first rows logged after ``since`` (Unix seconds)."""
    return {run_id: _position_since(since, RunFolder(runs_dir, run_id)) for run_id in run_ids}


def _position_since(since: float, folder: RunFolder) -> int:
    try:
        return offset_after(folder.metrics_path, since)
    except RunFolderError:  # a stream of several runs continues without the rows of this one
        return 0


def _invalid(text: str) -> InvalidRequest:
    return InvalidRequest.field(
        "/last_event_id",
        f"{text[:80]!r} is not an event id of this stream. Send the id of the last event received, as it was "
        "received, or none to begin at the first row.",
    )
