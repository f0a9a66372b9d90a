"""Where an imported run came from, and the hash of a run's content."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.origin import ORIGIN, Origin
from rlviz.rundir.contents import Role, find_role
from rlviz.rundir.files import TEMPORARY_SUFFIX, is_file, open_file, read_document, write_atomically
from rlviz.rundir.folder import RunFolder


def read_origin(folder: RunFolder) -> Origin | None:
    """Return the origin; None for a run that was not imported from a bundle. Raises RunFolderError."""
    try:
        return read_document(folder.path / ORIGIN, Origin, folder.path)
    except FileNotFoundError:
        return None


def write_origin(folder: RunFolder, origin: Origin) -> None:
    """Raises OSError or RunFolderError."""
    write_atomically(folder.path / ORIGIN, origin.model_dump_json(indent=1).encode(), folder.path)


@dataclass(frozen=True)
class Content:
    """Content of a run folder, without files specific to this machine. ``files``: SHA-256 by path; ``size`` in
    bytes."""

    files: dict[str, str]
    size: int

    @property
    def hash(self) -> str:
        """Return the SHA-256 over the paths and hashes of all files."""
        return hashlib.sha256(json.dumps(sorted(self.files.items())).encode()).hexdigest()


def content_of(folder: RunFolder) -> Content:
    """Hash every file of the content. Raises OSError and RunFolderError."""
    files, size = {}, 0
    for path in content_files(folder):
        with open_file(path, folder.path) as file:
            files[path.relative_to(folder.path).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
            size += file.tell()
    return Content(files, size)


def content_files(folder: RunFolder) -> Iterator[Path]:
    """Yield the regular files of the content: no links, and no hidden, unfinished or machine-specific files."""
    for root, folders, names in os.walk(folder.path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            within = path.relative_to(folder.path).as_posix()
            if (
                not name.startswith(".")
                and not name.endswith(TEMPORARY_SUFFIX)
                and (within == ORIGIN or find_role(within) in (Role.DATA, Role.CODE))
                and is_file(path, folder.path)
            ):
                yield path
