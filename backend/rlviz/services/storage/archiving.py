"""PreparedBundle: a run as one file in the archive, made and read back before the run itself is touched."""

from __future__ import annotations

import os
from pathlib import Path

from rlviz.exchange.bundle import check_bundle, stamps, write_bundle
from rlviz.rundir.folder import RunFolder

SUFFIX = ".rlviz.zip"


class PreparedBundle:
    """Lies beside its place, hidden, until ``put_in_place``; ``discard`` removes it as long as it does."""

    def __init__(self, folder: RunFolder, archive_dir: Path) -> None:
        self._folder = folder
        self.path = archive_dir / f"{folder.run_id}{SUFFIX}"
        self._draft = archive_dir / f".{folder.run_id}.tmp"
        self._stamps: dict[str, tuple[int, int]] = {}

    def make(self) -> None:
        """With policies and snapshots, so that the run can be resumed where it is imported.

        Raises RunFolderError, ArtifactNotFound, BundleRefused if what was written is not what was read, and OSError.
        """
        self._draft.parent.mkdir(parents=True, exist_ok=True)
        self._stamps = stamps(self._folder)
        with self._draft.open("wb") as target:
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
