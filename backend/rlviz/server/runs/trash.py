"""List deleted runs and remove them for good. ``RunService.restore`` restores them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError, RunNotFound
from rlviz.domain.ids import DAY_SECONDS, utc
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.trash import Trash
from rlviz.server.runs.models import DeletedRun
from rlviz.settings import Settings

log = logging.getLogger(__name__)


class TrashService:
    """Works on folders only, since the catalogue does not contain deleted runs."""

    def __init__(self, settings: Settings, trash: Trash, *, clock: Callable[[], float] = time.time) -> None:
        self._settings, self._trash, self._clock = settings, trash, clock

    def list(self) -> list[DeletedRun]:
        """Return all deleted runs, most recently deleted first."""
        return sorted(self._runs(), key=lambda run: (-run.deleted_at.timestamp(), run.id))

    def remove(self, run_id: str) -> None:
        """Remove a deleted run and all its files for good. Raises RunNotFound."""
        self._trash.remove(run_id)

    def empty(self) -> None:
        """Remove all deleted runs for good."""
        for run_id in self._trash.run_ids():
            # A run that was restored meanwhile is not an error.
            with suppress(RunNotFound):
                self._trash.remove(run_id)

    def purge(self) -> None:
        """Remove for good the runs that were deleted ``RLVIZ_TRASH_DAYS`` or more ago. Raises OSError."""
        days = self._settings.trash_days
        purged = self._trash.purge(self._clock() - days * DAY_SECONDS)
        if purged:
            log.info("Removed for good, %g days after their deletion: %s", days, ", ".join(purged))

    def _runs(self) -> Iterator[DeletedRun]:
        for run_id in self._trash.run_ids():
            try:
                deleted_at = self._trash.deleted_at(run_id)
            except FileNotFoundError:
                continue
            config, name = _read(RunFolder(self._trash.path, run_id))
            removed_at = deleted_at + self._settings.trash_days * DAY_SECONDS
            yield DeletedRun(
                id=run_id,
                name=name,
                algo=config.algo if config else None,
                env_id=config.env_id if config else None,
                deleted_at=utc(deleted_at),
                removed_at=utc(removed_at),
                size_bytes=self._trash.size(run_id),
            )


def _read(folder: RunFolder) -> tuple[RunConfig | None, str]:
    """Return the configuration and name of a run; its id if the name cannot be read."""
    try:
        config = folder.read_config()
    except (RunFolderError, FileNotFoundError):
        return None, folder.run_id
    try:
        return config, folder.read_labels().name
    except (RunFolderError, FileNotFoundError):
        return config, config.name
