"""RunStatuses: the state of each run, looked up once for all streams."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor

from cachetools import LRUCache

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.streaming.events import StatusEvent

KNOWN_RUNS = 100
"""Number of recently changed runs that are kept in memory, for streams that look them up later."""


class RunStatuses:
    """Looks a run up once for each change, for all streams that follow it. For one event loop."""

    def __init__(self, database: Database, broadcast: Broadcast, executor: Executor) -> None:
        self._database, self._broadcast, self._executor = database, broadcast, executor
        self._newest: LRUCache[str, tuple[int, asyncio.Future[StatusEvent | None]]] = LRUCache(KNOWN_RUNS)

    async def of(self, run_id: str) -> StatusEvent | None:
        """The state of the run, at least as new as its last change; None if it is gone."""
        version = self._broadcast.version(run_id)
        known = self._newest.get(run_id)
        if known is None or known[0] != version or _has_failed(known[1]):
            looking = asyncio.get_running_loop().run_in_executor(self._executor, self._look_up, run_id)
            known = self._newest[run_id] = version, looking
        return await asyncio.shield(known[1])  # other streams wait for it too, if this one is cancelled

    def _look_up(self, run_id: str) -> StatusEvent | None:
        with self._database.read() as session:
            row = session.get(RunRow, run_id)
        return StatusEvent(row) if row is not None else None


def _has_failed(look_up: asyncio.Future[StatusEvent | None]) -> bool:
    return look_up.done() and look_up.exception() is not None
