"""The generator behind every stream, with a clock that the test moves."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

from rlviz.api.schemas.stream import EndEventData
from rlviz.catalog.database import Database
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.errors import RunNotFound
from rlviz.domain.status import RunStatus
from rlviz.rundir.journal import JournalWriter
from rlviz.services.notifications.notification import News, NotificationKind
from rlviz.services.projection.folder_projection import row_of_config
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.streaming.events import (
    EndEvent,
    EvaluationEvent,
    MetricsEvent,
    NotificationEvent,
    StatusEvent,
    StreamEvent,
)
from rlviz.services.streaming.feeds import Feeds, MetricsFeed
from rlviz.services.streaming.run_stream import THROTTLE_SECONDS, StreamRequest, StreamService
from tests.support.run_folders import append_rows, make_run
from tests.support.waiting import PATIENCE

THROTTLE = 1_000.0
"""Seconds, of the test's own clock: nothing passes unless the test says so."""


NEWS = News(NotificationKind.SOLVED, "b", "Second", "Solved: Second", "At step 5.", 5)


@dataclass
class World:
    """Runs with rows in the catalogue, journals that the test writes, and the service under test."""

    root: Path
    database: Database
    broadcast: Broadcast = field(default_factory=Broadcast)
    now: float = 0.0
    writers: dict[str, JournalWriter] = field(default_factory=dict)
    used: list[MetricsFeed] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.feeds = Feeds(self.root)
        self.service = StreamService(
            self.database, self.root, self.feeds, self.broadcast, monotonic=lambda: self.now, throttle=THROTTLE
        )

    def run(self, run_id: str, status: RunStatus = RunStatus.RUNNING, rows: int = 0) -> None:
        folder = make_run(self.root, run_id, rows=rows)
        row = row_of_config(folder.read_config())
        row.status = status.value
        with self.database.write() as session:
            session.add(row)
        self.writers[run_id] = JournalWriter(folder.metrics_path)
        self.used.append(self.feeds.of(run_id))

    def rows(self, run_id: str, count: int) -> None:
        """The trainer appends rows, and the supervisor sees them."""
        append_rows(self.writers[run_id], count)
        self.feeds.of(run_id).poll()
        self.broadcast.metrics_grew(run_id)

    def change(self, run_id: str, **changes: Any) -> None:
        with self.database.write() as session:
            row = session.get_one(RunRow, run_id)
            row.sqlmodel_update(changes)
        self.broadcast.run_changed(row)

    def evaluation(self, run_id: str, **fields: Any) -> None:
        """The one evaluation of a run: new, or as it is now."""
        with self.database.write() as session:
            row = session.merge(EvaluationRow(run_id=run_id, id="e", created_at=1.0, record={}, **fields))
        self.broadcast.evaluation_changed(row)

    def delete(self, run_id: str) -> None:
        with self.database.write() as session:
            session.delete(session.get_one(RunRow, run_id))
        self.broadcast.run_deleted(run_id)

    @asynccontextmanager
    async def stream(self, *run_ids: str, **options: Any) -> AsyncIterator[Callable[[], Awaitable[StreamEvent]]]:
        """The next event of a stream of those runs, whenever it is called."""
        events = self.service.events(await self.service.open(StreamRequest(run_ids, **options)))
        try:
            yield lambda: asyncio.wait_for(anext(events), PATIENCE)
        finally:
            await events.aclose()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    database = Database(tmp_path / "rlviz.db")
    database.migrate()
    world = World(tmp_path, database)
    yield world
    for writer in world.writers.values():
        writer.close()
    database.close()


def seqs(event: StreamEvent) -> list[int]:
    assert isinstance(event, MetricsEvent), event
    return [row["seq"] for row in json.loads(b"[%b]" % event.rows)]


def test_notifications_reach_who_streams_and_who_comes_back_gets_those_that_were_missed(world: World) -> None:
    buffer = world.service.buffer

    async def check() -> None:
        world.run("a")
        first = buffer.post(NEWS)
        async with world.stream(whole_list=True) as following:
            coming = asyncio.ensure_future(following())
            await asyncio.sleep(0.05)  # it waits
            second = buffer.post(NEWS)
            world.change("a", name="A fence")
            assert isinstance(await coming, StatusEvent)
            assert await following() == NotificationEvent(second)
        async with world.stream(whole_list=True, notified=first.number) as back:
            assert await back() == NotificationEvent(second)
        async with world.stream(whole_list=True, notified=second.number + 60_000) as ahead:  # a clock that is
            coming = asyncio.ensure_future(ahead())
            await asyncio.sleep(0.05)
            third = buffer.post(NEWS)
            world.change("a", name="A door")
            assert isinstance(await coming, StatusEvent)
            assert await ahead() == NotificationEvent(third)
        async with world.stream("a", notified=0) as one_run:
            assert isinstance(await one_run(), StatusEvent)
            world.rows("a", 1)
            assert isinstance(await one_run(), MetricsEvent)  # nothing of another run

    asyncio.run(check())


def test_rows_within_the_throttle_are_held_back_and_come_together(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as following:
            assert isinstance(await following(), StatusEvent)
            world.rows("a", 1)
            assert seqs(await following()) == [1]
            world.rows("a", 2)
            world.rows("a", 3)
            world.now = THROTTLE - 1
            world.change("a", name="A fence")
            event = await following()
            assert isinstance(event, StatusEvent)
            assert event.run.name == "A fence"
            world.now = THROTTLE
            world.broadcast.metrics_grew("a")
            assert seqs(await following()) == [2, 3, 4, 5, 6]

    asyncio.run(check())


def test_held_back_rows_come_by_themselves_when_their_time_has_come(world: World) -> None:
    async def check() -> None:
        world.service.throttle = 0.05
        ticks = iter(range(10_000))
        world.service.monotonic = lambda: next(ticks) * 0.04
        world.run("a")
        async with world.stream("a") as following:
            await following()
            for seq in (1, 2, 3):
                world.rows("a", 1)
                assert seqs(await following()) == [seq]

    asyncio.run(check())


def test_the_throttle_lets_four_events_pass_in_any_second() -> None:
    assert 4 * THROTTLE_SECONDS > 1


def test_each_run_has_a_throttle_of_its_own(world: World) -> None:
    async def check() -> None:
        world.run("a")
        world.run("b")
        async with world.stream("a", "b") as following:
            await following()
            await following()
            world.rows("a", 1)
            assert (await following()).run_id == "a"  # type: ignore[union-attr]
            world.rows("b", 1)
            assert (await following()).run_id == "b"  # type: ignore[union-attr]

    asyncio.run(check())


def test_a_long_backlog_comes_in_several_events_without_gap(world: World) -> None:
    async def check() -> None:
        world.service.batch_bytes = 1_000
        world.run("a", RunStatus.COMPLETED, rows=100)
        async with world.stream("a", ends=True) as following:
            await following()
            batches = []
            while isinstance(event := await following(), MetricsEvent):
                batches.append(seqs(event))
                world.now += THROTTLE
            assert [seq for batch in batches for seq in batch] == list(range(1, 101))
            assert len(batches) > 5
            assert event == EndEvent("a", "completed")

    asyncio.run(check())


def test_the_end_waits_for_the_last_row(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a", ends=True) as following:
            await following()
            world.rows("a", 1)
            assert seqs(await following()) == [1]
            world.rows("a", 1)
            world.change("a", status=RunStatus.COMPLETED.value)
            event = await following()
            assert isinstance(event, StatusEvent)
            assert event.run.state is RunStatus.COMPLETED
            world.now = THROTTLE
            world.broadcast.metrics_grew("a")
            assert seqs(await following()) == [2]
            assert await following() == EndEvent("a", "completed")
            with pytest.raises(StopAsyncIteration):
                await following()

    asyncio.run(check())


@pytest.mark.parametrize("status", [status.value for status in RunStatus if status.is_final])
def test_the_end_can_be_told_of_every_status_that_ends_an_attempt(status: str) -> None:
    assert EndEventData.model_validate({"run_id": "a", "status": status}).status == status


def test_who_tells_of_a_change_too_late_does_not_bring_the_old_status_back(world: World) -> None:
    """A stop that the row has, and that is only announced when the run has ended meanwhile, must not hide the end."""

    async def check() -> None:
        world.run("a")
        async with world.stream("a", ends=True) as following:
            await following()
            with world.database.write() as session:
                late = session.get_one(RunRow, "a").model_copy(update={"status": RunStatus.STOPPING.value})
            with world.database.write() as session:
                session.get_one(RunRow, "a").status = RunStatus.STOPPED.value
            world.broadcast.run_changed(late)
            event = await following()
            assert isinstance(event, StatusEvent)
            assert event.run.state is RunStatus.STOPPED
            assert await following() == EndEvent("a", "stopped")

    asyncio.run(check())


def test_changes_that_nobody_fetched_are_told_once_as_they_are_now(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as following:
            await following()
            for number in range(1_000):
                world.broadcast.run_changed(RunRow(id="a", name=str(number)))  # type: ignore[call-arg]
            world.change("a", name="last")
            event = await following()
            assert isinstance(event, StatusEvent)
            assert event.run.name == "last"
            world.rows("a", 1)
            assert seqs(await following()) == [1]

    asyncio.run(check())


def test_a_run_that_is_deleted_before_the_first_event_ends_deleted(world: World) -> None:
    async def check() -> None:
        world.run("a")
        opened = await world.service.open(StreamRequest(["a"], ends=True))
        world.delete("a")
        assert [event async for event in world.service.events(opened)] == [EndEvent("a", "deleted")]

    asyncio.run(check())


def test_a_run_that_was_deleted_and_brought_back_while_nobody_read_is_there(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a", whole_list=True) as following:
            await following()
            world.broadcast.run_deleted("a")
            world.change("a", name="Back")
            event = await following()
            assert isinstance(event, StatusEvent)
            assert event.run.name == "Back"
            world.rows("a", 1)
            assert seqs(await following()) == [1]

    asyncio.run(check())


def test_only_who_wants_the_whole_list_hears_of_other_runs(world: World) -> None:
    async def check() -> None:
        world.run("a")
        world.run("other")
        async with world.stream("a") as narrow, world.stream("a", whole_list=True) as wide:
            await narrow()
            await wide()
            world.change("other", name="Changed")
            event = await wide()
            assert isinstance(event, StatusEvent)
            assert event.run.id == "other"
            world.change("a", name="Fence")
            event = await narrow()
            assert isinstance(event, StatusEvent)
            assert event.run.id == "a"

    asyncio.run(check())


def test_a_stream_that_is_closed_leaves_nothing_behind(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as following:
            await following()
            assert len(world.broadcast._all()) == 1
        assert world.broadcast._all() == []

    asyncio.run(check())


def test_a_stream_of_an_unknown_run_is_not_opened(world: World) -> None:
    for run_id in ("nobody", "../etc", ""):
        with pytest.raises(RunNotFound):
            asyncio.run(world.service.open(StreamRequest([run_id])))


def test_a_look_up_that_failed_is_not_remembered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked() -> NoReturn:
        raise sqlite3.OperationalError("database is locked")

    async def check() -> None:
        world.run("a")
        with monkeypatch.context() as patch:
            patch.setattr(world.database, "read", locked)
            with pytest.raises(sqlite3.OperationalError):
                await world.service.open(StreamRequest(["a"]))
        await world.service.open(StreamRequest(["a"]))

    asyncio.run(check())


def test_runs_are_looked_up_once_for_all_streams_until_they_change(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as one, world.stream("a") as other:
            assert await one() is await other()
            world.change("a", name="Renamed")
            assert await one() is (changed := await other())
            assert isinstance(changed, StatusEvent)
            assert changed.run.name == "Renamed"

    asyncio.run(check())


def test_evaluations_are_looked_up_once_for_all_streams_until_they_change(world: World) -> None:
    async def told() -> EvaluationEvent:
        async with world.stream("a") as following:
            assert isinstance(await following(), StatusEvent)
            event = await following()
        assert isinstance(event, EvaluationEvent)
        return event

    async def check() -> None:
        world.run("a")
        world.evaluation("a", return_mean=1.0)
        assert (await told()).evaluation is (await told()).evaluation
        world.evaluation("a", return_mean=2.0)
        assert (await told()).evaluation.return_mean == 2.0

    asyncio.run(check())


def test_streams_share_what_was_looked_up_for_one_change_and_not_for_the_next(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as one, world.stream("a", whole_list=True) as other:
            for stream in (one, other):
                await stream()
            told = []
            for step in (1, 2):
                world.change("a", step=step)
                told.append([await one(), await other()])
        for step, (first, second) in enumerate(told, 1):
            assert isinstance(first, StatusEvent)
            assert first.run.step == step
            assert first is second

    asyncio.run(check())


def test_a_stream_of_one_run_sleeps_through_what_happens_to_others(world: World) -> None:
    async def check() -> None:
        world.run("a")
        world.run("b")
        with world.broadcast.subscription(["a"], all_runs=False) as subscription:
            world.change("b", step=1)
            world.delete("b")
            await asyncio.sleep(0)
            assert not subscription.wake.is_set()
            assert not subscription.take().runs
            world.change("a", step=1)
            await asyncio.wait_for(subscription.wake.wait(), PATIENCE)
            assert list(subscription.take().runs) == ["a"]

    asyncio.run(check())
