"""``watch/``: how a session asks a run that trains for its current policy.

A session keeps the file ``lease`` fresh. While it is fresh, the trainer replaces ``weights.zip`` every now and then;
otherwise it writes nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.files import check_folders, open_to_append
from rlviz.rundir.folder import RunFolder

RENEW_SECONDS = 1.0
LEASE_SECONDS = 5.0
"""Seconds after which a lease that was not renewed has expired."""


class Lease:
    """The session's side. Call ``renew`` as often as you like, and ``end`` at the end of the session."""

    def __init__(self, folder: RunFolder, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._renew_at = float("-inf")

    def renew(self) -> None:
        """Keep the lease fresh. If the disk refuses it, it is tried again a second later; meanwhile the newest
        checkpoint is played."""
        now = self._monotonic()
        if now < self._renew_at:
            return
        self._renew_at = now + RENEW_SECONDS
        with suppress(OSError, RunFolderError):
            check_folders(self._folder.path, self._folder.path)
            self._folder.watch.mkdir(exist_ok=True)
            with open_to_append(self._folder.lease_path, self._folder.path) as file:
                os.utime(file.fileno())

    def end(self) -> None:
        """Another session of the same run creates it again within a second."""
        with suppress(OSError):
            self._folder.lease_path.unlink(missing_ok=True)


class LeaseWatch:
    """The trainer's side. The age of a lease is measured by the trainer's clock only, as another host's may differ."""

    def __init__(self, path: Path, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path, self._monotonic = str(path), monotonic
        self._seen: int | None = None
        self._renewed_at = float("-inf")

    def is_held(self) -> bool:
        """Whether there is a fresh lease. Takes one system call."""
        try:
            renewed = os.lstat(self._path).st_mtime_ns  # (no Path built for it)
        except OSError:
            self._seen = None
            return False
        now = self._monotonic()
        if renewed != self._seen:
            self._seen, self._renewed_at = renewed, now
        return now - self._renewed_at < LEASE_SECONDS
