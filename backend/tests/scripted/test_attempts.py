"""Two attempts of one run, with a fake trainer and the real monitor, projection and stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import cast

import orjson
import pytest

from rlviz.domain.events import CheckpointData, FinishedData, StartedData
from rlviz.domain.status import RunStatus, check_transition
from rlviz.launchers.base import Exit, Worker
from rlviz.learning.training.attempt import begin_attempt
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_config, row_of_folder
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EventBus, RunChanged, RunVersions
from rlviz.server.feeds import Feeds
from rlviz.server.stream.broadcast import Broadcast
from rlviz.server.stream.run_stream import (
    EndEvent,
    MetricsEvent,
    StatusEvent,
    StreamEvent,
    StreamRequest,
    StreamService,
)
from rlviz.server.supervisor.run_monitor import RunMonitor
from tests.support.training import events, make_run, rows
from tests.support.workers import GRACE, Actor

SECONDS = 60.0


class Service:
    """The parts of a service that follow one run."""

    def __init__(self, root: Path, folder: RunFolder) -> None:
        self.folder, self.database, self.events = folder, Database(root / "rlviz.db"), EventBus()
        self.database.migrate()
        self.feeds = Feeds(root)
        versions = RunVersions(self.events)
        self.streams = StreamService(self.database, root, self.feeds, Broadcast(self.events), versions, throttle=0.0)
        with self.database.write() as session:
            session.add(row_of_config(folder.read_config()))

    def queue(self, attempt: int) -> None:
        """Do what ``POST /runs/{id}/start`` or a resume does, and the following launch."""
        snapshot = "30" if attempt > 1 else None
        self.folder.change_control(desired=Desired.RUN, attempt=attempt, resume_from=snapshot)
        with self.database.write() as session:
            row = get_run(session, self.folder.run_id)
            check_transition(row.state, RunStatus.QUEUED, next_attempt=attempt > 1)
            check_transition(RunStatus.QUEUED, RunStatus.STARTING)
            row.status, row.attempt = RunStatus.STARTING.value, attempt
        self.events.publish(RunChanged(row))

    def follow(self, worker: Actor) -> RunMonitor:
        feed = self.feeds.get_feed(self.folder.run_id)
        return RunMonitor(
            self.row(),
            self.folder,
            cast(Worker, worker),
            feed,
            self.database,
            self.events,
            grace=GRACE,
            monotonic=count(step=10.0).__next__,
        )

    def row(self) -> RunRow:
        with self.database.read() as session:
            return get_run(session, self.folder.run_id)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path, make_run(tmp_path))
    yield service
    service.database.close()


def train(folder: RunFolder, episodes: int, *, finish: bool) -> None:
    """A fake trainer: it takes its attempt and counters from the folder, and may exit silently."""
    attempt = begin_attempt(folder)
    with closing(RunJournals(folder)) as journals:
        journals.event(10 * attempt.episodes, StartedData(attempt=attempt.number))
        done = attempt.episodes + episodes
        for index in range(attempt.episodes + 1, done + 1):
            journals.metrics(10 * index, {"episode/reward": 1.0, "episode/length": 10, "episode/index": index})
        request = attempt.answered_request + 1
        journals.event(10 * done, CheckpointData(path=f"checkpoints/step_{10 * done}.zip", request=request))
        if finish:
            journals.event(10 * done, FinishedData(attempt=attempt.number, path="model.zip"))


async def until(stream: AsyncGenerator[StreamEvent, None], last: Callable[[StreamEvent], bool]) -> list[StreamEvent]:
    """Return the events up to the first that ``last`` accepts."""
    found: list[StreamEvent] = []
    while not (found and last(found[-1])):
        found.append(await asyncio.wait_for(anext(stream), SECONDS))
    return found


def told(found: list[StreamEvent]) -> tuple[list[int], list[str]]:
    """Return the numbers of the rows, and the statuses without repetitions."""
    lines = [orjson.loads(b"[" + event.rows + b"]") for event in found if isinstance(event, MetricsEvent)]
    statuses = [event.run.status for event in found if isinstance(event, StatusEvent)]
    changes = [status for place, status in enumerate(statuses) if statuses[place - 1 : place] != [status]]
    return [row["seq"] for batch in lines for row in batch], changes


async def follow_two_attempts(service: Service) -> None:
    folder, is_end = service.folder, lambda event: isinstance(event, EndEvent)
    service.queue(1)
    stream = service.streams.events(await service.streams.open(StreamRequest([folder.run_id], whole_list=True)))

    first = Actor()
    monitor = service.follow(first)
    train(folder, 3, finish=False)
    monitor.poll()
    first.exit = Exit(-9)
    assert monitor.poll() is False
    assert told(await until(stream, is_end)) == ([1, 2, 3], ["interrupted"])
    row = service.row()
    assert (row.state, row.attempt, row.episodes, row.policy_step) == (RunStatus.INTERRUPTED, 1, 3, 30)

    service.queue(2)
    second = Actor()
    monitor = service.follow(second)
    assert monitor.poll() is True, "the ending of the first attempt ends the first attempt"
    assert service.row().state is RunStatus.STARTING, "and the start of the first is not the start of the second"
    train(folder, 2, finish=True)
    second.exit = Exit(0)
    assert monitor.poll() is False
    assert told(await until(stream, is_end)) == ([4, 5], ["completed"])
    await stream.aclose()


def test_a_run_continues_in_its_second_attempt(service: Service) -> None:
    asyncio.run(follow_two_attempts(service))
    folder, row = service.folder, service.row()
    assert (row.state, row.attempt, row.cause, row.episodes, row.step) == (RunStatus.COMPLETED, 2, None, 5, 50)
    assert [line["values"]["episode/index"] for line in rows(folder)] == [1, 2, 3, 4, 5]
    assert [(event.seq, event.event) for event in events(folder)] == [
        (1, "started"),
        (2, "checkpoint"),
        (3, "interrupted"),
        (4, "started"),
        (5, "checkpoint"),
        (6, "finished"),
    ]
    assert [event.data.request for event in events(folder) if isinstance(event.data, CheckpointData)] == [1, 2]
    begins = next(event for event in reversed(events(folder)) if event.event == "started")
    assert row.started_at == begins.time
    assert row_of_folder(folder).model_dump() == row.model_dump()


def test_a_second_attempt_that_dies_before_it_starts_gets_its_own_ending(service: Service) -> None:
    folder, worker = service.folder, Actor()
    service.queue(1)
    monitor = service.follow(worker)
    train(folder, 3, finish=True)
    worker.exit = Exit(0)
    assert monitor.poll() is False
    service.queue(2)
    assert service.follow(worker).poll() is False
    row = service.row()
    assert (row.state, row.attempt, row.started_at, row.warnings) == (RunStatus.INTERRUPTED, 2, None, 0)
    assert row.episodes == 3
    assert row_of_folder(folder).model_dump() == row.model_dump()
