"""``watch/``: how somebody who looks asks a run that trains for its policy, and where they find it.

Whoever looks keeps ``lease`` fresh. As long as it is, the trainer replaces ``weights.zip`` every now and then; else it
writes nothing.
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
"""A lease that was not renewed for so long is over."""


class Lease:
    """Of one who looks. ``renew`` as often as you like; ``end`` when nobody looks any more."""

    def __init__(self, folder: RunFolder, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._renew_at = float("-inf")

    def renew(self) -> None:
        """Keep it fresh. What the disk refuses is tried again a second later: the newest checkpoint is played then."""
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
        """Another one who looks at the same run makes it anew within a second."""
        with suppress(OSError):
            self._folder.lease_path.unlink(missing_ok=True)


class LeaseWatch:
    """The trainer's side. The age of a lease is told by the trainer's own clock: another host's may differ."""

    def __init__(self, path: Path, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path, self._monotonic = str(path), monotonic
        self._seen: int | None = None
        self._renewed_at = float("-inf")

    def is_held(self) -> bool:
        """Whether somebody looks. One call of the system: cheap."""
        try:
            renewed = os.stat(self._path).st_mtime_ns  # noqa: PTH116  (no Path built for it)
        except OSError:
            self._seen = None
            return False
        now = self._monotonic()
        if renewed != self._seen:
            self._seen, self._renewed_at = renewed, now
        return now - self._renewed_at < LEASE_SECONDS
