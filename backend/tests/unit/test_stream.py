"""The generator behind event streams, with a fake clock."""

from __future__ import annotations

import asyncio
import json

import pytest

from rlviz.domain.errors import RunNotFound
from rlviz.domain.status import RunStatus
from rlviz.server.catalog.models import RunRow
from rlviz.server.events import MetricsGrew, RunChanged, RunDeleted
from rlviz.server.notifications.notifier import News, NotificationKind
from rlviz.server.stream.models import EndEventData
from rlviz.server.stream.run_stream import (
    THROTTLE_SECONDS,
    EndEvent,
    MetricsEvent,
    NotificationEvent,
    StatusEvent,
    StreamEvent,
    StreamRequest,
)
from tests.support.streams import THROTTLE, World
from tests.support.waiting import PATIENCE

NEWS = News(NotificationKind.SOLVED, "b", "Second", "Solved: Second", "At step 5.", 5)


def seqs(event: StreamEvent) -> list[int]:
    assert isinstance(event, MetricsEvent), event
    return [row["seq"] for row in json.loads(b"[%b]" % event.rows)]


def test_notifications_reach_streaming_clients_and_returning_ones_get_those_they_missed(world: World) -> None:
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


def test_rows_within_the_throttle_are_held_back_and_sent_together(world: World) -> None:
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
            world.events.publish(MetricsGrew("a"))
            assert seqs(await following()) == [2, 3, 4, 5, 6]

    asyncio.run(check())


def test_held_back_rows_are_sent_when_their_time_has_come(world: World) -> None:
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


def test_the_throttle_allows_four_events_in_any_second() -> None:
    assert 4 * THROTTLE_SECONDS > 1


def test_each_run_has_its_own_throttle(world: World) -> None:
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


def test_a_long_backlog_is_sent_in_several_events_without_gaps(world: World) -> None:
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
            world.events.publish(MetricsGrew("a"))
            assert seqs(await following()) == [2]
            assert await following() == EndEvent("a", "completed")
            with pytest.raises(StopAsyncIteration):
                await following()

    asyncio.run(check())


@pytest.mark.parametrize("status", [status.value for status in RunStatus if status.is_final])
def test_the_end_is_sent_for_every_status_that_ends_an_attempt(status: str) -> None:
    assert EndEventData.model_validate({"run_id": "a", "status": status}).status == status


def test_a_late_change_notice_does_not_restore_the_old_status(world: World) -> None:
    """A stop that is announced only after the run has ended must not hide the end."""

    async def check() -> None:
        world.run("a")
        async with world.stream("a", ends=True) as following:
            await following()
            with world.database.write() as session:
                late = session.get_one(RunRow, "a").model_copy(update={"status": RunStatus.STOPPING.value})
            with world.database.write() as session:
                session.get_one(RunRow, "a").status = RunStatus.STOPPED.value
            world.events.publish(RunChanged(late))
            event = await following()
            assert isinstance(event, StatusEvent)
            assert event.run.state is RunStatus.STOPPED
            assert await following() == EndEvent("a", "stopped")

    asyncio.run(check())


def test_changes_not_yet_fetched_are_sent_once_in_their_current_state(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as following:
            await following()
            earlier = [RunRow(id="a", name=str(number)) for number in range(10)]  # type: ignore[call-arg]
            for number in range(1_000):
                world.events.publish(RunChanged(earlier[number % 10]))
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


def test_a_run_deleted_and_restored_between_reads_is_present(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a", whole_list=True) as following:
            await following()
            world.events.publish(RunDeleted("a"))
            world.change("a", name="Back")
            event = await following()
            assert isinstance(event, StatusEvent)
            assert event.run.name == "Back"
            world.rows("a", 1)
            assert seqs(await following()) == [1]

    asyncio.run(check())


def test_only_streams_of_the_whole_list_get_changes_of_other_runs(world: World) -> None:
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


def test_a_closed_stream_leaves_nothing_behind(world: World) -> None:
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


def test_a_stream_of_one_run_is_not_woken_by_others(world: World) -> None:
    async def check() -> None:
        world.run("a")
        world.run("b")
        with world.broadcast.subscription(["a"], all_runs=False) as subscription:
            world.change("b", step=1)
            world.delete("b")
            await asyncio.sleep(0)
            assert not subscription.wake.is_set()
            assert not subscription.take_changes().runs
            world.change("a", step=1)
            await asyncio.wait_for(subscription.wake.wait(), PATIENCE)
            assert list(subscription.take_changes().runs) == ["a"]

    asyncio.run(check())
