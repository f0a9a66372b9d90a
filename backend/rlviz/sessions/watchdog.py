"""Watchdog: ends a worker whose environment does not return."""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from collections.abc import Callable
from threading import Thread, get_ident

from rlviz.training.error_messages import where

LOOK_SECONDS = 0.25
STEP_SECONDS = 8.0
"""A step, a reset or a picture that takes longer hangs."""

LAST_RESORT_SECONDS = 1.5
"""How much later a worker is ended whose native code does not even let Python's other threads run."""

LAST_WORDS_SECONDS = 10.0
"""How long ``on_hang`` may take, to close what is being recorded and to tell the cause."""


class Watchdog:
    """``alive`` often; where that stays out, ``on_hang`` is told the line of code, and the process ends."""

    def __init__(self, on_hang: Callable[[str], None], *, seconds: float = STEP_SECONDS) -> None:
        """For the thread that makes it."""
        self._on_hang, self._seconds = on_hang, seconds
        self._thread_id = get_ident()
        self._deadline = float("inf")
        self._armed_at = float("-inf")
        Thread(target=self._watch, name="watchdog", daemon=True).start()

    def alive(self, grace: float | None = None) -> None:
        """It goes on; it will again within ``grace`` seconds."""
        now = time.monotonic()
        seconds = self._seconds if grace is None else grace
        self._deadline = now + seconds
        if now - self._armed_at >= LOOK_SECONDS or grace is not None:  # it starts a thread each time
            self._armed_at = now
            faulthandler.dump_traceback_later(seconds + LAST_RESORT_SECONDS, exit=True)

    def _watch(self) -> None:
        while time.monotonic() < self._deadline:
            time.sleep(LOOK_SECONDS)
        faulthandler.dump_traceback_later(LAST_WORDS_SECONDS, exit=True)
        stack = where(self._thread_id)
        print("The environment hung here:\n" + "".join(stack), file=sys.stderr, flush=True)
        self._on_hang(" ".join(stack[-1].split()) if stack else "")
        os._exit(1)
