"""StreamService: yields the new rows and changes of runs as events.

Rows come from the journals. The cursor moves only with ``metrics`` events, so a client that reconnects with its last
cursor gets each row exactly once. ``RunLookUps`` reads each run once for all streams.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar, TypeVarTuple, Unpack

from cachetools import LRUCache

from rlviz.domain.errors import RunNotFound
from rlviz.domain.ids import check_run_id
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import latest_evaluation
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.events import RunVersions
from rlviz.server.feeds import Feeds, MetricsFeed, Rows, decode_cursor, encode_cursor, positions_since
from rlviz.server.notifications.notifier import Notification, NotificationBuffer
from rlviz.server.stream.broadcast import Broadcast, Changes

KNOWN_RUNS = 100
"""Number of recently changed runs that are kept in memory, for streams that look them up later."""

Found = TypeVar("Found")


class RunLookUps(Generic[Found]):
    """Looks up a run once per change of the run or its evaluations, for all streams. Use it on one event loop."""

    def __init__(self, look_up: Callable[[str], Found], versions: RunVersions, executor: Executor) -> None:
        """``look_up`` is called with the id of a run, in a thread of ``executor``."""
        self._look_up, self._versions, self._executor = look_up, versions, executor
        self._newest: LRUCache[str, tuple[int, asyncio.Future[Found]]] = LRUCache(KNOWN_RUNS)

    async def look_up(self, run_id: str) -> Found:
        """Return the result, which is at least as new as the run's last change."""
        version = self._versions.version(run_id)
        known = self._newest.get(run_id)
        if known is None or known[0] != version or _has_failed(known[1]):
            looking = asyncio.get_running_loop().run_in_executor(self._executor, self._look_up, run_id)
            known = self._newest[run_id] = version, looking
        return await asyncio.shield(known[1])  # other streams still wait for it if this one is cancelled


def _has_failed(look_up: asyncio.Future[Found]) -> bool:
    return look_up.done() and look_up.exception() is not None


@dataclass(frozen=True)
class MetricsEvent:
    """New rows of one run: JSON objects separated by commas, as in the journal.

    ``cursor`` is the position of the stream after them.
    """

    run_id: str
    rows: bytes
    cursor: str


@dataclass(frozen=True, eq=False)
class StatusEvent:
    """The current state of a run. One object for all streams that send the same change."""

    run: RunRow


@dataclass(frozen=True)
class EvaluationEvent:
    evaluation: EvaluationRow


@dataclass(frozen=True)
class EndEvent:
    """The run has ended and every row was delivered; ``status`` is its last, or ``deleted``."""

    run_id: str
    status: str


@dataclass(frozen=True)
class ExperimentEvent:
    """An experiment has changed. The client requests it again."""

    experiment_id: str


@dataclass(frozen=True)
class NotificationEvent:
    notification: Notification


StreamEvent = MetricsEvent | StatusEvent | EvaluationEvent | ExperimentEvent | NotificationEvent | EndEvent


THROTTLE_SECONDS = 0.26
"""Seconds between ``metrics`` events: at most four in any second, with a margin for networks that bunch them."""

BATCH_BYTES = 1 << 20
"""All new rows are sent in one event up to this many bytes; a longer backlog takes several."""

HEARTBEAT_SECONDS = 15.0
SEND_TIMEOUT_SECONDS = 30.0
"""Seconds after which a client that reads nothing is disconnected; it can reconnect with its cursor."""

READERS = 2
"""Threads that read journals and the catalogue for all streams. There are few, because each busy thread delays the
event loop: streams that open at once wait for each other, and other requests do not wait for them."""

DELETED = "deleted"

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


@dataclass
class _Followed:
    """One run of one stream."""

    feed: MetricsFeed
    position: int
    status: RunRow
    ready_at: float = 0.0
    over: bool = False

    @property
    def has_rows(self) -> bool:
        return self.position < self.feed.end

    @property
    def is_done(self) -> bool:
        return self.status.state.is_final and not self.has_rows


@dataclass(frozen=True)
class StreamRequest:
    """``whole_list``: also send the status of every other run. ``ends``: close once all runs have ended.
    ``notified``: number of the last notification that the client knows; None to send only new ones.
    """

    run_ids: Sequence[str]
    last_event_id: str | None = None
    since: float | None = None
    whole_list: bool = False
    ends: bool = False
    notified: int | None = None


@dataclass(frozen=True)
class OpenedStream:
    """A validated request: the runs it follows, and the position of each."""

    request: StreamRequest
    positions: Mapping[str, int]


@dataclass
class StreamService:
    database: Database
    runs_dir: Path
    feeds: Feeds
    broadcast: Broadcast
    versions: RunVersions
    buffer: NotificationBuffer = field(default_factory=NotificationBuffer)
    monotonic: Callable[[], float] = time.monotonic
    throttle: float = THROTTLE_SECONDS
    batch_bytes: int = BATCH_BYTES
    heartbeat: float = HEARTBEAT_SECONDS
    send_timeout: float = SEND_TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        self._executor = ThreadPoolExecutor(READERS, "streams")
        self._statuses = RunLookUps(self._status, self.versions, self._executor)
        self._evaluations = RunLookUps(self._latest_evaluation, self.versions, self._executor)

    async def open(self, request: StreamRequest) -> OpenedStream:
        """Validate a request. Raises RunNotFound or InvalidRequest."""
        run_ids = [check_run_id(run_id) for run_id in request.run_ids]
        for run_id, status in zip(run_ids, await asyncio.gather(*map(self._statuses.look_up, run_ids)), strict=True):
            if status is None:
                raise RunNotFound(run_id)
        if request.last_event_id:
            positions = await self._in_thread(decode_cursor, request.last_event_id, self.runs_dir, run_ids)
        elif request.since is not None:
            positions = await self._in_thread(positions_since, request.since, self.runs_dir, run_ids)
        else:
            positions = dict.fromkeys(run_ids, 0)
        return OpenedStream(request, positions)

    async def events(self, opened: OpenedStream) -> AsyncGenerator[StreamEvent, None]:
        """Yield all events after the cursor as they happen. Rows keep their order, and none is skipped."""
        with self.broadcast.subscription(opened.request.run_ids, all_runs=opened.request.whole_list) as subscription:
            notified = self.buffer.last  # the client's number may be from its clock, which may be ahead
            if opened.request.notified is not None:
                notified = min(notified, opened.request.notified)
            followed: dict[str, _Followed] = {}
            for run_id in opened.request.run_ids:
                if (status := await self._statuses.look_up(run_id)) is None:  # deleted since the request was validated
                    yield EndEvent(run_id, DELETED)
                    continue
                if (feed := self.feeds.find_feed(run_id)) is None:
                    feed = await self._in_thread(self.feeds.get_feed, run_id)
                followed[run_id] = _Followed(feed, opened.positions[run_id], status.run)
                yield status
            for evaluation in await asyncio.gather(*map(self._evaluations.look_up, followed)):
                if evaluation is not None:
                    yield EvaluationEvent(evaluation)
            while True:
                subscription.wake.clear()
                async for rows in self._rows(followed):
                    yield rows
                for event in await self._changes(subscription.take_changes(), followed, opened.request.whole_list):
                    yield event
                for notification in self.buffer.after(notified):
                    notified = notification.number
                    if opened.request.whole_list or notification.news.run_id in followed:
                        yield NotificationEvent(notification)
                for end in _ends(followed):
                    yield end
                if opened.request.ends and all(run.over for run in followed.values()):
                    return
                await _sleep(subscription.wake, self._pause(followed.values()))

    async def _rows(self, followed: Mapping[str, _Followed]) -> AsyncIterator[MetricsEvent]:
        for run_id, run in followed.items():
            if not run.has_rows or self.monotonic() < run.ready_at:
                continue
            found = await self._read(run)
            run.ready_at = self.monotonic() + self.throttle
            if found.end == run.position:  # the folder is being deleted, or the journal was removed
                if run.status.state.is_final:
                    run.position = run.feed.end
                continue
            run.position = found.end
            if found.json:
                yield MetricsEvent(run_id, found.json, encode_cursor({id_: r.position for id_, r in followed.items()}))

    async def _read(self, run: _Followed) -> Rows:
        if run.feed.in_memory(run.position):
            return run.feed.read(run.position, self.batch_bytes)
        return await self._in_thread(run.feed.read, run.position, self.batch_bytes)

    async def _changes(
        self, changes: Changes, followed: Mapping[str, _Followed], whole_list: bool
    ) -> list[StreamEvent]:
        runs = [run_id for run_id in changes.runs if whole_list or run_id in followed]
        evaluations = [key for key in changes.evaluations if key[0] in followed]
        events: list[StreamEvent] = []
        for status in await asyncio.gather(*map(self._statuses.look_up, runs)):
            if status is not None:
                events.append(status)
                if (run := followed.get(status.run.id)) is not None:
                    run.over = run.over and run.status.attempt == status.run.attempt  # the next attempt has an end too
                    run.status = status.run
        if evaluations:
            events.extend(map(EvaluationEvent, await self._in_thread(self._look_up, evaluations)))
        there = {event.run.id for event in events if isinstance(event, StatusEvent)}  # deleted and restored
        for run_id in (run_id for run_id in changes.deleted if run_id not in there):
            if run_id in followed:
                followed[run_id].over = True
            if whole_list or run_id in followed:
                events.append(EndEvent(run_id, DELETED))
        events.extend(map(ExperimentEvent, changes.experiments))
        return events

    def _pause(self, followed: Iterable[_Followed]) -> float | None:
        """Return the seconds until delayed rows may be sent; None if there are none."""
        waits = [run.ready_at - self.monotonic() for run in followed if run.has_rows and not run.over]
        return max(0.0, min(waits)) if waits else None

    def _status(self, run_id: str) -> StatusEvent | None:
        with self.database.read() as session:
            row = session.get(RunRow, run_id)
        return StatusEvent(row) if row is not None else None

    def _latest_evaluation(self, run_id: str) -> EvaluationRow | None:
        with self.database.read() as session:
            return latest_evaluation(session, run_id)

    def _look_up(self, evaluations: Sequence[tuple[str, str]]) -> list[EvaluationRow]:
        """Return the current rows of evaluations, without those that are gone."""
        with self.database.read() as session:
            found = [session.get(EvaluationRow, key) for key in evaluations]
        return [row for row in found if row is not None]

    async def _in_thread(self, call: Callable[[Unpack[Arguments]], Result], *arguments: *Arguments) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._executor, call, *arguments)


def _ends(followed: Mapping[str, _Followed]) -> list[EndEvent]:
    ends = []
    for run_id, run in followed.items():
        if run.is_done and not run.over:
            run.over = True
            ends.append(EndEvent(run_id, run.status.status))
    return ends


async def _sleep(wake: asyncio.Event, seconds: float | None) -> None:
    """Wait until woken, at most ``seconds``."""
    try:
        await asyncio.wait_for(wake.wait(), seconds)
    except TimeoutError:
        return
