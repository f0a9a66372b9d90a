"""Watchdog: ends a worker whose environment does not return."""

from __future__ import annotations

import faulthandler
import os
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Lock, Thread, get_ident

from rlviz.training.error_messages import where

LOOK_SECONDS = 0.25
MOST_A_LOOK = 1.0
"""Seconds between two looks that count at most: a process that was frozen for longer did not hang."""

STEP_SECONDS = 8.0
"""A step, a reset or a picture that takes longer hangs, not counting what it waited for a processor."""

LAST_RESORT_SECONDS = 20.0
"""How much later a worker is ended whose native code does not even let Python's other threads run. Nobody can look
then, so that waits for a processor count as well."""

LAST_WORDS_SECONDS = 10.0
"""How long ``on_hang`` may take, to close what is being recorded and to tell the cause."""

_STDERR = 2
"""Not ``sys.stderr``, which an environment may have redirected."""


class Watchdog:
    """``alive`` often; where that stays out, ``on_hang`` is told the line of code, and the process ends."""

    def __init__(self, on_hang: Callable[[str], None], *, seconds: float = STEP_SECONDS) -> None:
        """For the thread that makes it."""
        self._on_hang, self._seconds = on_hang, seconds
        self._thread_id, self._clock = get_ident(), _Clock()
        self._sign = _SignOfLife(inf)
        self._arming = Lock()
        self._has_ended = False
        Thread(target=self._watch, name="watchdog", daemon=True).start()

    def alive(self, grace: float | None = None) -> None:
        """It goes on; it will again within ``grace`` seconds."""
        if grace is None:
            self._sign = _SignOfLife(self._seconds)
            return
        with self._arming:
            self._sign = _SignOfLife(grace)
            if not self._has_ended:  # before the next look, native code may have begun that lets nobody look
                _end_after(grace + LAST_RESORT_SECONDS)

    def _watch(self) -> None:
        sign, at, counted = self._sign, self._clock.seconds(), 0.0
        while not self._hangs(sign, counted):
            time.sleep(LOOK_SECONDS)
            before, at = at, self._clock.seconds()
            counted += min(at - before, MOST_A_LOOK)
            if self._sign is not sign:
                sign, counted = self._sign, 0.0
        stack = where(self._thread_id)
        try:
            os.write(_STDERR, ("The environment hung here:\n" + "".join(stack)).encode())
            self._on_hang(" ".join(stack[-1].split()) if stack else "")
        finally:
            os._exit(1)

    def _hangs(self, sign: _SignOfLife, counted: float) -> bool:
        """Whether it does, ``counted`` seconds after that sign. Either way the process ends if nobody looks again."""
        with self._arming:
            if self._sign is not sign or sign.seconds == inf:
                return False
            self._has_ended = counted >= sign.seconds
            _end_after(LAST_WORDS_SECONDS if self._has_ended else sign.seconds - counted + LAST_RESORT_SECONDS)
            return self._has_ended


class _SignOfLife:
    """The next is due within ``seconds``."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class _Clock:
    """Time without that in which the thread that made this waited for a processor, as Linux counts it: the second
    field of ``schedstat``, see its Documentation/scheduler/sched-stats.rst. Elsewhere all time counts."""

    def __init__(self) -> None:
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def seconds(self) -> float:
        """From any thread."""
        queued = 0 if self._file is None else int(os.pread(self._file, 64, 0).split()[1])
        return time.monotonic() - queued / 1e9


def _end_after(seconds: float) -> None:
    """It starts a thread each time; where none can be started, the last resort is missing."""
    with suppress(RuntimeError):
        faulthandler.dump_traceback_later(seconds, exit=True, file=_STDERR)
