"""PrewarmedWorkers: processes that each wait for one job, for systems on which a process cannot be forked safely."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable

from rlviz.launchers.base import Worker
from rlviz.launchers.process_worker import ChildWorker, spawn
from rlviz.launchers.warm import WarmWorkers

RESPAWN_SECONDS = 1.5
"""Seconds before the next worker is prewarmed after a launch, so that its imports do not slow the run's first steps."""

PREWARMED = 2
"""One for a run, and one for a session that watches it."""

IMPORT_SECONDS = 5.0
"""Seconds between two prewarmings, so that their imports do not compete."""


class PrewarmedWorkers(WarmWorkers):
    """Keeps two workers, which may be given their job while they still import. They end with the service."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._prewarmed: list[subprocess.Popen[bytes]] = []
        self._respawn_at = monotonic()
        self._closed = False

    def tick(self) -> None:
        for prewarmed in [one for one in self._prewarmed if one.poll() is not None]:
            self._discard(prewarmed)
            self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        now = self._monotonic()
        if not self._closed and len(self._prewarmed) < PREWARMED and now >= self._respawn_at:
            self._respawn_at = now + IMPORT_SECONDS
            self._prewarmed.append(spawn(["--prewarm"], stdin=subprocess.PIPE, output=subprocess.DEVNULL))

    def start(self, arguments: list[str]) -> Worker | None:
        self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        while self._prewarmed:
            if _hand_over(self._prewarmed[0], arguments):
                return ChildWorker(self._prewarmed.pop(0))
            self._discard(self._prewarmed[0])
        return None

    def close(self) -> None:
        for prewarmed in list(self._prewarmed):
            self._discard(prewarmed)
        self._closed = True

    def _discard(self, prewarmed: subprocess.Popen[bytes]) -> None:
        self._prewarmed.remove(prewarmed)
        with prewarmed:  # closes its pipe and waits for its end
            prewarmed.kill()


class FirstWorker(PrewarmedWorkers):
    """One worker for the first job of a service, which imports while the service itself does. None follows."""

    def __init__(self) -> None:
        super().__init__()
        super().tick()

    def tick(self) -> None:
        """It was begun at once."""


def _hand_over(prewarmed: subprocess.Popen[bytes], arguments: list[str]) -> bool:
    """Send ``prewarmed`` its job, which it may receive while still importing. Returns False if it has died."""
    pipe = prewarmed.stdin
    if prewarmed.poll() is not None or pipe is None:
        return False
    try:
        pipe.write(json.dumps(arguments).encode() + b"\n")
        pipe.close()
    except OSError:
        return False
    return True
