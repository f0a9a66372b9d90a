"""The newest weights, written for somebody who watches the run, and only then."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from threading import Lock

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.algorithms.weights import save_weights
from rlviz.domain.errors import RunFolderError
from rlviz.rundir.atomic import atomic_write
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lease import LeaseWatch

LOOK_SECONDS = 0.25
"""The lease is looked at so often: somebody who begins to watch shall not wait long."""

EVERY_SECONDS = 1.0
LARGEST_SHARE = 0.02
"""At most this share of training time: weights that take long to write are written less often."""


class LiveWeights:
    """Writes the newest weights for whoever watches, as long as the lease says that somebody does.

    The training thread calls ``take`` once training has reached ``next_step``; ``tick`` lowers it when weights are due.
    """

    def __init__(self, folder: RunFolder, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._lease = LeaseWatch(folder.lease_path, monotonic=monotonic)
        self._look_at = self._due_at = float("-inf")
        self._waiting: bytes | None = None
        self._writing = Lock()
        self.next_step = math.inf

    def tick(self) -> None:
        """For the watcher's thread: write the weights that were taken, and decide whether newer ones are due. The lease
        is read a few times a second."""
        self._write()
        now = self._monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        if now >= self._due_at and self._lease.is_held():
            self.next_step = 0

    def take(self, model: BaseAlgorithm) -> None:
        """For the training thread: copy the present weights into memory. Writing them to disk would take longer."""
        begun = self._monotonic()
        self._due_at, self.next_step = begun + EVERY_SECONDS, math.inf
        file = BytesIO()
        save_weights(model, file)
        spent = self._monotonic() - begun
        self._due_at = begun + max(EVERY_SECONDS, spent / LARGEST_SHARE)
        self._waiting = file.getvalue()

    def close(self) -> None:
        """Training has ended and the final model is saved: remove the weights."""
        with self._writing, suppress(OSError):
            self._waiting = None
            self._folder.live_weights_path.unlink(missing_ok=True)

    def _write(self) -> None:
        """If writing fails, the next weights are tried again. The file need not survive a failure of the host."""
        if self._waiting is None:
            return
        with self._writing, suppress(OSError, RunFolderError):
            waiting, self._waiting = self._waiting, None
            if waiting is not None:
                with atomic_write(self._folder.live_weights_path, self._folder.path, durable=False) as file:
                    file.write(waiting)
