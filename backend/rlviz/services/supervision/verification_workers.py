"""Runs the workers that verify evaluations and snapshots, one at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from rlviz.domain.errors import RlvizError
from rlviz.domain.snapshot_verification import SnapshotVerification
from rlviz.domain.verification import Verification, VerificationStatus
from rlviz.launchers.base import Launcher, Worker
from rlviz.launchers.job import Verify, VerifySnapshot
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import read_snapshot_verification, write_snapshot_verification

log = logging.getLogger(__name__)

Key = tuple[str, Verify | VerifySnapshot]
"""The id of the run, and what to verify of it."""

ABANDONED = "The app was ended while it was verified. Verify again."


class VerificationWorkers:
    """``request`` and ``has`` may be called from any thread; everything else from the supervisor's."""

    def __init__(self, runs_dir: Path, launcher: Launcher, on_filmed: Callable[[str, str], None]) -> None:
        """``on_filmed`` is called with the ids of run and evaluation when one that was to be filmed has ended."""
        self._runs_dir, self._launcher, self._on_filmed = runs_dir, launcher, on_filmed
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
        """Whether it waits or runs."""
        return key in self._asked

    def request(self, key: Key) -> None:
        """Start it when its turn comes. It must be in the folder already."""
        with self._lock:
            if key not in self._asked:
                self._asked.append(key)

    def tick(self) -> None:
        """Check whether the worker has ended, and start the next. Returns at once."""
        if self._worker is None:
            if self._asked:
                self._launch(self._asked[0])
        elif (gone := self._worker.poll()) is not None:
            self._worker = None
            self._leave(self._asked[0], ABANDONED if self._abandoned else gone.cause("the verification"))

    def end(self) -> None:
        """End the worker at once; the verification can be requested again."""
        self._abandoned = True
        if self._worker is not None:
            self._worker.kill()
            self.tick()
        else:
            for key in list(self._asked):
                self._leave(key, ABANDONED)

    def _launch(self, key: Key) -> None:
        try:
            self._worker = self._launcher.launch(RunFolder(self._runs_dir, key[0]), key[1])
        except RlvizError as error:
            log.warning("Run %s: %s cannot be done: %s", *key, error)
            self._leave(key, str(error))

    def _leave(self, key: Key, cause: str) -> None:
        """Write the result ``cause`` if the worker ended without writing one."""
        folder = RunFolder(self._runs_dir, key[0])
        try:
            match key[1]:
                case Verify(evaluation_id, film):
                    found = folder.evaluations.read_verification(evaluation_id)
                    if found is None or found.status is VerificationStatus.RUNNING:
                        failed = Verification(status=VerificationStatus.FAILED, cause=cause, film=film)
                        folder.evaluations.write_verification(evaluation_id, failed)
                case VerifySnapshot(name):
                    seen = read_snapshot_verification(folder, name)
                    if seen is None or seen.status is VerificationStatus.RUNNING:
                        unseen = SnapshotVerification(status=VerificationStatus.FAILED, cause=cause)
                        write_snapshot_verification(folder, name, unseen)
        except (OSError, RlvizError):
            log.exception("Run %s: how %s ended could not be written", *key)
        with self._lock:
            self._asked.remove(key)
        if isinstance(key[1], Verify) and key[1].film:
            self._on_filmed(key[0], key[1].evaluation_id)
