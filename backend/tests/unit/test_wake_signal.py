"""No wake signal is lost, even at a timeout."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rlviz.server.supervisor.supervisor import WakeSignal
from tests.support.waiting import eventually

SLEEP = 0.002
"""Seconds; shorter than Python lets another thread go on for (``sys.getswitchinterval``)."""


class Sleeper:
    """Sleeps repeatedly, and counts how often it was woken."""

    def __init__(self, signal: WakeSignal) -> None:
        self._signal, self._closing = signal, Event()
        self.woken = 0

    @contextmanager
    def sleeping(self) -> Iterator[None]:
        thread = Thread(target=self._loop, daemon=True)
        thread.start()
        yield
        self._closing.set()
        thread.join()

    def _loop(self) -> None:
        while not self._closing.is_set():
            self.woken += self._signal.wait(SLEEP)


def work(seconds: float) -> None:
    """Work like a request: without letting another thread run."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def test_no_ring_is_lost_when_the_sleep_times_out_just_before_it() -> None:
    signal = WakeSignal()
    sleeper = Sleeper(signal)
    with sleeper.sleeping():
        for _ in range(200):
            work(2 * SLEEP)
            before = sleeper.woken
            signal.ring()
            eventually(lambda before=before: sleeper.woken > before, "the sleeper to wake")


def test_two_rings_before_a_wait_wake_it_once_and_no_ring_never() -> None:
    signal = WakeSignal()
    signal.ring()
    signal.ring()
    assert [signal.wait(60), signal.wait(0), signal.wait(0)] == [True, False, False]
