"""Watchdog: ends a worker whose environment does not return."""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread, get_ident, get_native_id

from rlviz.training.error_messages import where

LOOK_SECONDS = 0.25
STEP_SECONDS = 8.0
"""A step, a reset or a picture that takes longer hangs, as far as it had a processor to itself."""

LAST_RESORT_SECONDS = 1.5
"""How much later a worker is ended whose native code does not even let Python's other threads run."""

LAST_WORDS_SECONDS = 10.0
"""How long ``on_hang`` may take, to close what is being recorded and to tell the cause."""


class Watchdog:
    """``alive`` often; where that stays out, ``on_hang`` is told the line of code, and the process ends.

    Only time counts in which the thread could have gone on: a busy machine lets it wait for a processor, and that is
    no hang.
    """

    def __init__(self, on_hang: Callable[[str], None], *, seconds: float = STEP_SECONDS) -> None:
        """For the thread that makes it."""
        self._on_hang, self._seconds = on_hang, seconds
        self._thread_id, self._native_id = get_ident(), get_native_id()
        self._sign = _Sign(float("inf"))
        Thread(target=self._watch, name="watchdog", daemon=True).start()

    def alive(self, grace: float | None = None) -> None:
        """It goes on; it will again within ``grace`` seconds."""
        self._sign = _Sign(self._seconds if grace is None else grace)
        if grace is not None:  # before the next look, native code may have begun that lets nobody look
            _end_after(grace)

    def _watch(self) -> None:
        sign, clock = self._sign, _Clock(self._native_id)
        while (left := sign.seconds - clock.seconds()) > 0:
            if sign.seconds != float("inf"):
                _end_after(left)
            time.sleep(LOOK_SECONDS)
            if self._sign is not sign:
                sign, clock = self._sign, _Clock(self._native_id)
        faulthandler.dump_traceback_later(LAST_WORDS_SECONDS, exit=True)
        stack = where(self._thread_id)
        print("The environment hung here:\n" + "".join(stack), file=sys.stderr, flush=True)
        self._on_hang(" ".join(stack[-1].split()) if stack else "")
        os._exit(1)


class _Sign:
    """Of life. The next will come within ``seconds``."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class _Clock:
    """Measures time from now on, without that in which a thread of this process waits for a processor."""

    def __init__(self, native_id: int) -> None:
        self._native_id = native_id
        self._begin = self._time()

    def seconds(self) -> float:
        return self._time() - self._begin

    def _time(self) -> float:
        return time.monotonic() - _queued_seconds(self._native_id)


def _queued_seconds(native_id: int) -> float:
    """How long the thread has waited for a processor so far, as Linux counts it in the second field of ``schedstat``
    (Documentation/scheduler/sched-stats.rst); 0 where nobody counts."""
    try:
        return int(Path(f"/proc/self/task/{native_id}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _end_after(seconds: float) -> None:
    """The last resort. It starts a thread each time."""
    faulthandler.dump_traceback_later(seconds + LAST_RESORT_SECONDS, exit=True)
