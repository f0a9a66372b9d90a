"""PreparedBundle: a run as one file in the archive, made and read back before the run itself is touched."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from filelock import lock_descriptor

from rlviz.exchange.bundle import check_bundle, stamps, write_bundle
from rlviz.rundir.folder import RunFolder

SUFFIX = ".rlviz.zip"
DRAFT_SUFFIX = f"{SUFFIX}.tmp"


class PreparedBundle:
    """Lies beside its place, hidden and locked, until ``put_in_place``; ``discard``, which comes last in any case,
    removes it if it still does. Whoever is killed before leaves it to ``remove_unfinished``."""

    def __init__(self, folder: RunFolder, archive_dir: Path) -> None:
        self._folder = folder
        self.path = archive_dir / f"{folder.run_id}{SUFFIX}"
        self._draft = archive_dir / f".{folder.run_id}{DRAFT_SUFFIX}"
        self._file: BinaryIO | None = None
        self._stamps: dict[str, tuple[int, int]] = {}

    def make(self) -> None:
        """With policies and snapshots, so that the run can be resumed where it is imported.

        Raises RunFolderError, ArtifactNotFound, BundleRefused if what was written is not what was read, and OSError.
        """
        self._draft.parent.mkdir(parents=True, exist_ok=True)
        self._stamps = stamps(self._folder)
        self._file = target = self._draft.open("wb")
        with suppress(OSError):  # a file system of another machine may have no locks
            lock_descriptor(target.fileno(), blocking=False)
        write_bundle(self._folder, target, policies=True, snapshots=True)
        target.flush()
        os.fsync(target.fileno())
        check_bundle(self._draft)

    @property
    def is_current(self) -> bool:
        """Whether the run is what was bundled. To be asked while nobody else may change it."""
        return self._stamps == stamps(self._folder)

    def put_in_place(self) -> None:
        """In the place of an older bundle of the run. Raises OSError."""
        self._draft.replace(self.path)
        descriptor = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def discard(self) -> None:
        self._draft.unlink(missing_ok=True)
        if self._file is not None:
            self._file.close()


def remove_unfinished(archive_dir: Path) -> None:
    """Remove the bundles that killed passes left unfinished, but none that is being written. What cannot be removed
    stays for the next time. Raises OSError where the archive cannot be read."""
    for draft in archive_dir.glob(f".*{DRAFT_SUFFIX}"):
        with suppress(OSError), draft.open("ab") as file:
            if lock_descriptor(file.fileno(), blocking=False):
                draft.unlink()
