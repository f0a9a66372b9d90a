"""Read the metric rows of each run once for all of its streams.

A cursor is the position of a stream: for each run, the offset of the next byte of its metrics journal.
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
    """A line of the journal between two offsets. ``raw``: what streams send; None: nothing, since the line is broken or
    superseded."""

    start: int
    end: int
    raw: bytes | None


class Rows(NamedTuple):
    """The records of some lines, as JSON objects separated by commas. ``end``: the offset after these lines."""

    end: int
    json: bytes


class MetricsFeed:
    """The journal of one run. One thread calls ``poll`` to read new lines; any thread can ``read`` them.

    Recent lines stay in memory; older ones are read from the file again on request. The first request parses them to
    check that all are records; later requests copy them from the file. Broken and superseded rows are left out. A
    journal that cannot be read has no lines.
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
        """Offset in bytes after the last complete line that was read."""

    def poll(self) -> list[Line]:
        """Read new lines. Raises RunFolderError while the journal cannot be read."""
        lines = self._tail.read()
        if lines:
            with self._lock:
                self._recent = self._newest([*self._recent, *map(self._row, lines)])
                self.end = self._tail.offset
        return lines

    def leave_out(self, superseded: Superseded) -> None:
        """Leave these rows out from now on, also if they were returned before."""
        with self._lock:
            self._superseded, self._recent, self._checked = superseded, [], range(0)

    def read(self, offset: int, limit: int) -> Rows:
        """Return the lines from ``offset`` on, up to ``end``: about ``limit`` bytes, but at least one line."""
        with self._lock:
            recent, end = self._recent, self.end
        if offset >= end:
            return Rows(offset, b"")
        if recent and offset >= recent[0].start:
            first = bisect_left(recent, offset, key=lambda row: row.start)
            enough = bisect_left(recent, offset + limit, key=lambda row: row.end)
            rows = recent[first : max(enough, first + 1)]
            return _join_rows(rows, rows[-1].end)
        try:
            with self._reading_old:  # a second request for the same rows finds them checked
                return self._read_old(offset, min(limit, end - offset))
        except RunFolderError:
            return Rows(offset, b"")

    def in_memory(self, offset: int) -> bool:
        """Return whether ``read(offset, …)`` needs no disk access."""
        with self._lock:
            return offset >= self.end or (bool(self._recent) and offset >= self._recent[0].start)

    def _read_old(self, offset: int, limit: int) -> Rows:
        tail = JournalTail(self._path, offset)
        checked = self._checked
        if checked.start <= offset < checked.stop:
            data = tail.read_bytes(min(limit, checked.stop - offset))
            return Rows(tail.offset, _join_lines(data))
        rows: list[bytes] = []
        only_rows = True
        for start, block in split_blocks(tail.read_bytes(limit), offset):
            records = parse_block(block)
            if records is not None and all(is_counted(record, self._superseded) for record in records):
                rows.append(_join_lines(block))
            else:
                found = [self._row(line).raw for line in block_lines(start, block)]
                only_rows = only_rows and None not in found
                rows += [raw for raw in found if raw is not None]
        if rows and only_rows:
            self._note_checked(range(offset, tail.offset))
        return Rows(tail.offset, b",".join(rows))

    def _note_checked(self, stretch: range) -> None:
        """Mark the lines of ``stretch`` as checked: all are records. Only one contiguous range is kept; adjacent ranges
        are merged into it."""
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


def _join_rows(rows: Sequence[Row], end: int) -> Rows:
    return Rows(end, b",".join(row.raw for row in rows if row.raw is not None))


def _join_lines(lines: bytes) -> bytes:
    """Return complete lines, which must all be rows, as JSON objects separated by commas."""
    return _without_returns(lines[:-1].replace(b"\n", b","))


def _without_returns(json: bytes) -> bytes:
    """Replace carriage returns, which are white space in JSON but would end a line of an event."""
    return json.replace(b"\r", b" ") if b"\r" in json else json


def _size_of(path: Path) -> int:
    try:
        return whole_size(path)
    except RunFolderError:
        return 0


class Feeds:
    """The feeds in use. A feed is dropped after its last user."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._feeds: WeakValueDictionary[str, MetricsFeed] = WeakValueDictionary()
        self._lock = Lock()

    def find_feed(self, run_id: str) -> MetricsFeed | None:
        """Return the feed of a run if it is in use. Needs no disk access."""
        return self._feeds.get(run_id)

    def get_feed(self, run_id: str) -> MetricsFeed:
        """Return the feed of a run, which all of its streams share."""
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
    """Return the cursor of positions by run id, such as ``ppo-cartpole-20261121-014312-7f3a:40960``.

    Several runs are separated by commas.
    """
    return ",".join(f"{run_id}:{offset}" for run_id, offset in sorted(positions.items()))


def decode_cursor(text: str, runs_dir: Path, run_ids: Sequence[str]) -> dict[str, int]:
    """Return the positions of ``run_ids``. Runs that are not in the cursor start at 0; other runs in it are ignored.

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
    """Return the positions of the first rows logged after ``since`` (Unix seconds)."""
    return {run_id: _position_since(since, RunFolder(runs_dir, run_id)) for run_id in run_ids}


def _position_since(since: float, folder: RunFolder) -> int:
    try:
        return offset_after(folder.metrics_path, since)
    except RunFolderError:  # a stream of several runs continues without the rows of this one
        return 0


def _invalid(text: str) -> InvalidRequest:
    return InvalidRequest.field(
        "/last_event_id",
        f"{text[:80]!r} is not an event id of this stream. Send the id of the last event that you received, "
        "unchanged, or none to start at the first row.",
    )
