"""Waiting for what a worker makes: it answers soon, or the client asks again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

TIMEOUT_SECONDS = 10.0
"""So long a request waits; a worker that is there answers within a fraction of it."""

LOOK_SECONDS = 0.05

T = TypeVar("T")


async def wait_for(look: Callable[[], T | None]) -> T | None:
    """What ``look`` finds, as soon as it finds something; None if it has found nothing for TIMEOUT_SECONDS."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while (found := await run_in_threadpool(look)) is None:
        if time.monotonic() >= deadline:
            return None
        await asyncio.sleep(LOOK_SECONDS)
    return found
