"""The trash: deleted run folders, each under its own name in ``runs/.trash``, until they are removed permanently."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunNotFound
from rlviz.domain.ids import is_run_id
from rlviz.rundir.folder import RunFolder

TRASH = ".trash"

_DOOMED = ".purging-"
"""Prefix of the name of a folder that is being removed and cannot be restored."""


class Trash:
    """Moves run folders to and from the trash by renaming, so a folder is always complete in one place.

    The folder's modification time records when it was deleted. Something else in a run's place, such as a link, is
    moved itself; its target is not touched.
    """

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self.path = runs_dir / TRASH

    def put(self, folder: RunFolder, now: float) -> None:
        """Move a run's folder to the trash at ``now`` (Unix seconds). A missing folder is not an error."""
        self.path.mkdir(exist_ok=True)
        try:
            os.utime(folder.path, (now, now), follow_symlinks=False)
            if os.path.lexists(older := self.path / folder.run_id):
                self._remove(older)
            folder.path.rename(self.path / folder.run_id)
        except FileNotFoundError:
            return

    def take(self, run_id: str) -> RunFolder:
        """Move a folder back; a folder that someone put in its place stays.

        Raises RunNotFound if it was removed permanently.
        """
        folder = RunFolder(self._runs_dir, run_id)
        try:
            (self.path / run_id).rename(folder.path)
        except FileNotFoundError as error:
            raise RunNotFound(run_id) from error
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        return folder

    def run_ids(self) -> list[str]:
        return sorted(path.name for path in self._entries() if is_run_id(path.name))

    def deleted_at(self, run_id: str) -> float:
        """Return when a run was deleted, in Unix seconds. Raises FileNotFoundError if it is not in the trash."""
        return (self.path / run_id).lstat().st_mtime

    def size(self, run_id: str) -> int:
        """Return the bytes of all files of a deleted run, without links and files that disappear meanwhile."""
        if (self.path / run_id).is_symlink():
            return 0
        total = 0
        for parent, _, names in os.walk(self.path / run_id):
            for name in names:
                with suppress(FileNotFoundError):
                    total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118  (half the time of Path)
        return total

    def remove(self, run_id: str) -> None:
        """Remove a run permanently. Raises RunNotFound if it is not in the trash."""
        if not is_run_id(run_id):
            raise RunNotFound(run_id)
        try:
            self._remove(self.path / run_id)
        except FileNotFoundError as error:
            raise RunNotFound(run_id) from error

    def purge(self, before: float) -> list[str]:
        """Remove runs that were deleted at ``before`` (Unix seconds) or earlier, and leftovers of an earlier purge.

        Returns the ids of the runs that are gone permanently.
        """
        purged = []
        for path in self._entries():
            if path.name.startswith(_DOOMED):
                _destroy(path)
            elif is_run_id(path.name) and path.lstat().st_mtime <= before:
                self._remove(path)
                purged.append(path.name)
        return purged

    def _remove(self, path: Path) -> None:
        doomed = path.with_name(f"{_DOOMED}{path.name}")
        _destroy(doomed)
        path.rename(doomed)
        _destroy(doomed)

    def _entries(self) -> list[Path]:
        return sorted(self.path.iterdir()) if self.path.is_dir() else []


def _destroy(path: Path) -> None:
    """Delete a folder and its content, or any other file; what cannot be deleted is left for the next purge."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
