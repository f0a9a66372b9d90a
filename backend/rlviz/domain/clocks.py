"""Clocks that ignore changes of the machine's clock.

Computers without a battery start in the wrong year, and users or time services may set the clock during training.
Durations come from ``SteadyClock``; ``AgeClock`` decides what is old enough to delete.
"""

from __future__ import annotations

import time
from collections.abc import Callable

STEP_SECONDS = 60.0
"""A clock that jumps ahead by more than this was set; a smaller jump is an adjustment."""

SETTLING_SECONDS = 86_400.0
"""Seconds after which ``AgeClock`` trusts a clock that was set forward."""


def elapsed_seconds() -> float:
    """Return seconds since an arbitrary start. Setting the machine's clock does not change it. It includes sleep where
    the system reports it."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class SteadyClock:
    """Unix time at construction plus the seconds since; later changes of the machine's clock have no effect."""

    def __init__(self, clock: Callable[[], float] = time.time, elapsed: Callable[[], float] = elapsed_seconds) -> None:
        self._elapsed = elapsed
        self._offset = clock() - elapsed()

    def __call__(self) -> float:
        return self._elapsed() + self._offset


class AgeClock:
    """Unix time for deleting old files and for checking time limits.

    It follows the machine's clock, but ignores a jump forward until it has lasted for ``SETTLING_SECONDS``. So a
    wrong clock that is corrected in time deletes nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.time, elapsed: Callable[[], float] = elapsed_seconds) -> None:
        self._clock, self._elapsed = clock, elapsed
        self._offset = clock() - elapsed()
        self._ahead: tuple[float, float] | None = None  # offset after a jump forward, and when it was first seen

    def __call__(self) -> float:
        elapsed = self._elapsed()
        offset = self._clock() - elapsed
        if offset <= self._offset + STEP_SECONDS:
            self._offset, self._ahead = offset, None
        elif self._ahead is None or offset > self._ahead[0] + STEP_SECONDS:
            self._ahead = offset, elapsed
        elif elapsed - self._ahead[1] >= SETTLING_SECONDS:
            self._offset, self._ahead = offset, None
        return elapsed + self._offset
