"""WakeSignal: wakes a thread that sleeps between two looks."""

from __future__ import annotations

from threading import Event


class WakeSignal:
    """``ring`` from any thread; ``wait`` from one. No ring is lost, whenever it comes."""

    def __init__(self) -> None:
        self._event = Event()

    def ring(self) -> None:
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Sleep so long, or until it rings; return whether it rang since the last wait.

        What ``Event.wait`` returns says too little: it is False when the ring came while the time ran out.
        """
        self._event.wait(seconds)
        rang = self._event.is_set()
        if rang:
            self._event.clear()
        return rang
