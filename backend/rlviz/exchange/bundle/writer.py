"""Writing a bundle of a run, which may train meanwhile."""

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from rlviz import __version__
from rlviz.exchange.bundle.manifest import (
    MANIFEST,
    SCHEMA_VERSION,
    SNAPSHOTS,
    Manifest,
    Member,
    is_local,
    is_policy,
)
from rlviz.exchange.copying import Copying, ProgressCallback, ignore_progress
from rlviz.rundir.contents import kind_of
from rlviz.rundir.files import is_file, open_file, size_of
from rlviz.rundir.folder import RunFolder


def write_bundle(
    folder: RunFolder,
    target: BinaryIO,
    *,
    policies: bool = True,
    snapshots: bool = False,
    on_progress: ProgressCallback = ignore_progress,
) -> Manifest:
    """Write a run's bundle. ``policies``: with its policies; ``snapshots``: with what an exact resume needs, too.

    Raises RunFolderError for a folder whose configuration cannot be read, ArtifactNotFound for one that is deleted
    meanwhile, and OSError.
    """
    folder.read_config()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        members = _pack(archive, folder, lambda name: _is_wanted(name, policies, snapshots), on_progress)
        folder.check()
        manifest = Manifest(
            schema_version=SCHEMA_VERSION,
            run_id=folder.run_id,
            made_by=__version__,
            made_at=round(time.time(), 3),
            files=members,
        )
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
    return manifest


def stamps(folder: RunFolder) -> dict[str, tuple[int, int]]:
    """Of each file that a bundle with policies and snapshots has, its size and when it was changed: as long as these
    are the same, so is the bundle."""
    found = {}
    for path in _files(folder):
        name = path.relative_to(folder.path).as_posix()
        if _is_wanted(name, policies=True, snapshots=True):
            with suppress(FileNotFoundError):
                status = path.stat()
                found[name] = (status.st_size, status.st_mtime_ns)
    return found


def _pack(
    archive: zipfile.ZipFile, folder: RunFolder, is_wanted: Callable[[str], bool], on_progress: ProgressCallback
) -> list[Member]:
    """Put each file of a run that is wanted into the archive. Raises RunFolderError and OSError."""
    members: dict[str, Member] = {}
    copying = Copying(_bytes_of(folder, is_wanted), on_progress)
    while True:
        has_vanished = False
        for path in list(_files(folder)):
            name = path.relative_to(folder.path).as_posix()
            if name in members or not is_wanted(name):
                continue
            try:
                with open_file(path, folder.path) as source:
                    members[name] = _packed(archive, name, source, copying)
            except FileNotFoundError:
                has_vanished = True
        if not has_vanished:
            return list(members.values())  # otherwise something else may be there instead: a compressed journal, say


def _packed(archive: zipfile.ZipFile, name: str, source: BinaryIO, copying: Copying) -> Member:
    size = os.fstat(source.fileno()).st_size
    with archive.open(name, "w", force_zip64=True) as sink:
        copied, digest = copying.copy(name, source, sink, size)
    return Member(path=name, bytes=copied, sha256=digest)


def _files(folder: RunFolder) -> Iterator[Path]:
    """Regular files, no links, none that is hidden or still being written."""
    for root, folders, names in os.walk(folder.path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            if not name.startswith(".") and not name.endswith(".tmp") and is_file(path, folder.path):
                yield path


def _bytes_of(folder: RunFolder, is_wanted: Callable[[str], bool]) -> int:
    """As far as can be said before: the run may train."""
    return sum(size_of(path) for path in _files(folder) if is_wanted(path.relative_to(folder.path).as_posix()))


def _is_wanted(path: str, policies: bool, snapshots: bool) -> bool:
    if is_local(path) or (kind_of(path) in SNAPSHOTS and not snapshots):
        return False
    return policies or not is_policy(path)
