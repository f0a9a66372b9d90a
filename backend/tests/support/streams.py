"""A stream of runs without HTTP; the test appends rows, changes runs and advances the clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rlviz.domain.status import RunStatus
from rlviz.rundir.journal import JournalWriter
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import row_of_config
from rlviz.server.events import EvaluationChanged, EventBus, MetricsGrew, RunChanged, RunDeleted, RunVersions
from rlviz.server.feeds import Feeds, MetricsFeed
from rlviz.server.stream.broadcast import Broadcast
from rlviz.server.stream.run_stream import StreamEvent, StreamRequest, StreamService
from tests.support.run_folders import append_rows, make_run
from tests.support.waiting import PATIENCE

THROTTLE = 1_000.0
"""Seconds, of the test's own clock: nothing passes unless the test says so."""


@dataclass
class World:
    """Runs with catalogue rows, journals that the test writes, and the stream service under test."""

    root: Path
    database: Database
    events: EventBus = field(default_factory=EventBus)
    now: float = 0.0
    writers: dict[str, JournalWriter] = field(default_factory=dict)
    used: list[MetricsFeed] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.feeds = Feeds(self.root)
        versions = RunVersions(self.events)
        self.broadcast = Broadcast(self.events)
        self.service = StreamService(
            self.database,
            self.root,
            self.feeds,
            self.broadcast,
            versions,
            monotonic=lambda: self.now,
            throttle=THROTTLE,
        )

    def run(self, run_id: str, status: RunStatus = RunStatus.RUNNING, rows: int = 0) -> None:
        folder = make_run(self.root, run_id, rows=rows)
        row = row_of_config(folder.read_config())
        row.status = status.value
        with self.database.write() as session:
            session.add(row)
        self.writers[run_id] = JournalWriter(folder.metrics_path)
        self.used.append(self.feeds.get_feed(run_id))

    def rows(self, run_id: str, count: int) -> None:
        """Append rows as the trainer, and let the supervisor read them."""
        append_rows(self.writers[run_id], count)
        self.feeds.get_feed(run_id).poll()
        self.events.publish(MetricsGrew(run_id))

    def change(self, run_id: str, **changes: Any) -> None:
        with self.database.write() as session:
            row = session.get_one(RunRow, run_id)
            row.sqlmodel_update(changes)
        self.events.publish(RunChanged(row))

    def evaluation(self, run_id: str, **fields: Any) -> None:
        """Add or update the only evaluation of a run."""
        with self.database.write() as session:
            row = session.merge(EvaluationRow(run_id=run_id, id="e", created_at=1.0, record={}, **fields))
        self.events.publish(EvaluationChanged(row))

    def delete(self, run_id: str) -> None:
        with self.database.write() as session:
            session.delete(session.get_one(RunRow, run_id))
        self.events.publish(RunDeleted(run_id))

    @asynccontextmanager
    async def stream(self, *run_ids: str, **options: Any) -> AsyncIterator[Callable[[], Awaitable[StreamEvent]]]:
        """Return a function that returns the next event of a stream of those runs."""
        events = self.service.events(await self.service.open(StreamRequest(run_ids, **options)))
        try:
            yield lambda: asyncio.wait_for(anext(events), PATIENCE)
        finally:
            await events.aclose()
