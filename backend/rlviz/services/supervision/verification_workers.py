"""The workers that play evaluations again to compare them with their step records: one at a time."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from rlviz.domain.errors import RlvizError
from rlviz.domain.verification import Verification, VerificationStatus
from rlviz.launchers.base import Launcher, Worker
from rlviz.launchers.job import Verify
from rlviz.rundir.folder import RunFolder

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Run and evaluation."""

ABANDONED = "The app was ended while it was verified. Verify again."


class VerificationWorkers:
    """``request`` and ``has`` are for every thread; everything else for the supervisor's."""

    def __init__(self, runs_dir: Path, launcher: Launcher) -> None:
        self._runs_dir, self._launcher = runs_dir, launcher
        self._lock = Lock()
        self._asked: list[Key] = []
        self._worker: Worker | None = None
        self._abandoned = False

    @property
    def is_busy(self) -> bool:
        return bool(self._asked)

    def workers(self) -> list[Worker]:
        return [self._worker] if self._worker is not None else []

    def has(self, key: Key) -> bool:
        """Whether it waits or is under way."""
        return key in self._asked

    def request(self, key: Key) -> None:
        """The folder says that it is asked for."""
        with self._lock:
            if key not in self._asked:
                self._asked.append(key)

    def tick(self) -> None:
        """See whether the worker has ended, and start the next. Returns at once."""
        if self._worker is None:
            if self._asked:
                self._launch(self._asked[0])
        elif (gone := self._worker.poll()) is not None:
            self._worker = None
            self._leave(self._asked[0], ABANDONED if self._abandoned else gone.cause("the verification"))

    def end(self) -> None:
        """End it at once; whoever wants it asks again."""
        self._abandoned = True
        if self._worker is not None:
            self._worker.kill()
            self.tick()
        else:
            for key in list(self._asked):
                self._leave(key, ABANDONED)

    def _launch(self, key: Key) -> None:
        try:
            self._worker = self._launcher.launch(RunFolder(self._runs_dir, key[0]), Verify(key[1]))
        except RlvizError as error:
            log.warning("Evaluation %s of run %s cannot be verified: %s", key[1], key[0], error)
            self._leave(key, str(error))

    def _leave(self, key: Key, cause: str) -> None:
        """It is over; if its worker did not say how, ``cause`` does."""
        folder = RunFolder(self._runs_dir, key[0])
        try:
            found = folder.read_verification(key[1])
            if found is None or found.status is VerificationStatus.RUNNING:
                failed = Verification(status=VerificationStatus.FAILED, cause=cause)
                folder.write_verification(key[1], failed)
        except (OSError, RlvizError):
            log.exception("How verification of %s of run %s ended could not be written", key[1], key[0])
        with self._lock:
            self._asked.remove(key)
