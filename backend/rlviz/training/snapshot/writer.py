"""Writer: writes snapshots beside the training thread."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread


class Writer:
    """A thread that does one job after the other; it begins with the first."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._beginning = Lock()

    def submit(self, job: Callable[[], None]) -> None:
        with self._beginning:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="snapshots", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    def flush(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            done = Event()
            self._jobs.put(done.set)
            done.wait()

    def close(self) -> None:
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception:  # into worker.log: what waits behind it is written all the same
                traceback.print_exc(file=sys.stderr)
