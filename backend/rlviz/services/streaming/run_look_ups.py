"""RunLookUps: something about each run, looked up once for all streams."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Generic, TypeVar

from cachetools import LRUCache

from rlviz.services.streaming.broadcast import Broadcast

KNOWN_RUNS = 100
"""Number of recently changed runs that are kept in memory, for streams that look them up later."""

Found = TypeVar("Found")


class RunLookUps(Generic[Found]):
    """Looks a run up once for each change of it or of its evaluations, for all streams that follow it. For one event
    loop."""

    def __init__(self, look_up: Callable[[str], Found], broadcast: Broadcast, executor: Executor) -> None:
        """``look_up`` is called with the id of a run, in a thread of ``executor``."""
        self._look_up, self._broadcast, self._executor = look_up, broadcast, executor
        self._newest: LRUCache[str, tuple[int, asyncio.Future[Found]]] = LRUCache(KNOWN_RUNS)

    async def of(self, run_id: str) -> Found:
        """What is found, at least as new as the run's last change."""
        version = self._broadcast.version(run_id)
        known = self._newest.get(run_id)
        if known is None or known[0] != version or _has_failed(known[1]):
            looking = asyncio.get_running_loop().run_in_executor(self._executor, self._look_up, run_id)
            known = self._newest[run_id] = version, looking
        return await asyncio.shield(known[1])  # other streams wait for it too, if this one is cancelled


def _has_failed(look_up: asyncio.Future[Found]) -> bool:
    return look_up.done() and look_up.exception() is not None
