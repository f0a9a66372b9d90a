"""WakeSignal: wakes a thread before its sleep is over."""

from __future__ import annotations

from threading import Event


class WakeSignal:
    """``ring`` from any thread; ``wait`` from one. No ring is lost, whenever it comes."""

    def __init__(self) -> None:
        self._event = Event()

    def ring(self) -> None:
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Sleep for ``seconds`` or until it rings; return whether it rang since the last wait.

        ``Event.wait`` alone does not suffice: it returns False when the ring came just as the time ran out.
        """
        self._event.wait(seconds)
        rang = self._event.is_set()
        if rang:
            self._event.clear()
        return rang
