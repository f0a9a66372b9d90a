"""Clocks that a step of the machine's clock does not reach.

A machine without a battery starts in the wrong year, and a time service or a user may set its clock while runs train.
Durations come from ``SteadyClock``, and what is deleted by its age is judged by ``AgeClock``.
"""

from __future__ import annotations

import time
from collections.abc import Callable

STEP_SECONDS = 60.0
"""A clock that is ahead by more than this was set; by less, it was adjusted."""

SETTLING_SECONDS = 86_400.0
"""Seconds after which ``AgeClock`` believes a clock that was set forward."""


def elapsed_seconds() -> float:
    """Return seconds since some moment, which no one can set; where the system tells, they include its sleep."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class SteadyClock:
    """Unix time as the machine's clock had it at the beginning, plus the seconds since. Steps do not reach it."""

    def __init__(self, clock: Callable[[], float] = time.time, elapsed: Callable[[], float] = elapsed_seconds) -> None:
        self._elapsed = elapsed
        self._offset = clock() - elapsed()

    def __call__(self) -> float:
        return self._elapsed() + self._offset


class AgeClock:
    """Unix time by which old files are deleted and limits on time are checked.

    It follows the machine's clock, but for a step forward: that counts after it has stood for ``SETTLING_SECONDS``. A
    wrong clock that is corrected by then deletes nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.time, elapsed: Callable[[], float] = elapsed_seconds) -> None:
        self._clock, self._elapsed = clock, elapsed
        self._offset = clock() - elapsed()
        self._ahead: tuple[float, float] | None = None  # offset after a step forward, and when it was first seen

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
