"""Wait for other threads and processes, also on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 150.0
"""Seconds after which something counts as hanging. Generous: nothing here is about speed."""

T = TypeVar("T")


def eventually(look: Callable[[], T | None], what: str = "", seconds: float = PATIENCE) -> T:
    """Return the first true result of ``look``; fail if there is none in time."""
    begun = time.monotonic()
    while not (found := look()):
        waited = time.monotonic() - begun
        assert waited < seconds, f"waited {seconds:g} s for {what or look}"
        time.sleep(_pause_after(waited))
    return found


def _pause_after(waited: float) -> float:
    """Return the seconds until the next look; they grow with the elapsed time, because a look may be expensive."""
    return min(max(0.01, waited / 20), 0.5)
