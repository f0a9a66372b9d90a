"""Safe access to files in a run folder: opening, atomic writing, JSON documents, and reserved disk space.

A run folder may hold anything, such as a link, a pipe or a folder in place of a journal. All code opens files here:
only regular files, never through a link, never waiting. A missing file is a FileNotFoundError; every other problem
is a RunFolderError that names the file, the problem and the remedy. Folders on the way are checked first, and the
file is opened with O_NOFOLLOW where available. This protects against what a folder contains, not against a user who
swaps folders while they are read.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import BinaryIO, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from rlviz.domain.errors import (
    DELETE_EXPERIMENT,
    REPAIR,
    RESTORE_OR_DELETE,
    Damage,
    ExperimentFolderError,
    RunFolderError,
    validation_text,
)
from rlviz.domain.experiments import is_experiment_id
from rlviz.domain.versions import UnknownVersion, VersionedDocument, read_versioned

MAX_JSON_BYTES = 4 << 20
"""Maximum bytes of a file that is read whole; our own files are a thousandth of that."""

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

_NOT_DAMAGE = {errno.ENOENT, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS}
"""Errors that say nothing about the file: it is missing, or the machine lacks a resource.

They are raised again unchanged. ``raise error from error`` would make an error its own cause, a cycle that keeps all
callers' frames and their objects alive until the next garbage collection.
"""

_OUT_OF_REACH = {errno.EIO, errno.EACCES, errno.EPERM, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN, errno.EHOSTDOWN}
"""Errors of a disk or share after which it is unknown whether a file exists."""

_IRREPARABLE = {".", "config.json"}
"""The folder itself and the configuration, which everything else depends on."""

MISSING = "It is missing."
LINK = "It is a link. What lies outside the run folder is never read or written."
FOLDER = "It is a folder where a file is expected."
SPECIAL = "It is not a regular file but a pipe, a socket or a device."
NO_FOLDER = "It is not a folder."


def open_descriptor(path: Path, flags: int = os.O_RDONLY, folder: Path | None = None) -> int:
    """Return a descriptor of the regular file at ``path``, opened with ``flags``; the caller closes it.

    ``folder`` is the run folder that contains the file (default: its parent). Neither that folder nor any on the way
    to the file may be a link. Raises FileNotFoundError or RunFolderError.
    """
    folder = folder or path.parent
    check_folders(path.parent, folder)
    try:
        if not _NO_FOLLOW and path.is_symlink():
            raise damage_error(path, folder, LINK)
        file = os.open(path, flags | _FLAGS, 0o644)
    except OSError as error:
        if error.errno in _NOT_DAMAGE:
            raise
        raise _explained(path, folder, error) from error
    if (problem := _problem_of_file(os.fstat(file).st_mode)) is not None:
        os.close(file)
        raise damage_error(path, folder, problem)
    return file


def open_file(path: Path, folder: Path | None = None) -> BufferedReader:
    """Open the regular file at ``path`` for reading. Same guarantees as ``open_descriptor``."""
    return os.fdopen(open_descriptor(path, os.O_RDONLY, folder), "rb")


def open_to_append(path: Path, folder: Path | None = None) -> BinaryIO:
    """Open the regular file at ``path`` for appending; create it if missing. Same guarantees as ``open_descriptor``."""
    return os.fdopen(open_descriptor(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, folder), "ab")


def read_small(path: Path, folder: Path | None = None, limit: int = MAX_JSON_BYTES) -> bytes:
    """Return the content of a small file. Also raises RunFolderError for more than ``limit`` bytes."""
    with open_file(path, folder) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            problem = f"It has {size:,} bytes, far more than this file can have (limit: {limit:,})."
            raise damage_error(path, folder or path.parent, problem)
        return file.read(limit)


def is_file(path: Path, folder: Path | None = None) -> bool:
    """Whether ``path`` is a regular file, with no link in its path from ``folder`` on."""
    try:
        check_folders(path.parent, folder or path.parent)
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError, RunFolderError):
        return False


def may_be_file(path: Path, folder: Path | None = None) -> bool:
    """Like ``is_file``, but also true if a disk or share error makes it impossible to tell: an unreadable file is not
    lost."""
    try:
        return stat.S_ISREG(path.lstat().st_mode) and is_file(path, folder)
    except OSError as error:
        return error.errno in _OUT_OF_REACH
    except ValueError:
        return False


def read_size(path: Path) -> int:
    """Return the bytes of the file at ``path``; 0 if it no longer exists, because others delete files meanwhile."""
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def list_files(path: Path, folder: Path, pattern: str = "*") -> list[Path]:
    """Return the regular files in the folder ``path`` whose names match ``pattern``, by name.

    Empty if the folder is missing or is not a folder; inspection reports that.
    """
    return [file for name in list_names(path, folder, pattern) if is_file(file := path / name, folder)]


def list_names(path: Path, folder: Path, pattern: str = "*") -> list[str]:
    """Return the names of all entries in the folder ``path`` that match ``pattern``. Otherwise like ``list_files``."""
    try:
        check_folders(path, folder)
        return sorted(fnmatch.filter(os.listdir(path), pattern))  # noqa: PTH208  (only names are needed)
    except (OSError, RunFolderError):
        return []


def list_entries(path: Path, folder: Path) -> list[os.DirEntry[str]]:
    """Return all entries of the folder ``path``, which is ``folder`` or below it; empty if it is missing or not a
    folder."""
    try:
        check_folders(path, folder)
        with os.scandir(path) as entries:
            return list(entries)
    except (OSError, RunFolderError):
        return []


def check_folders(path: Path, folder: Path) -> None:
    """Check that ``folder`` and every folder below it down to ``path`` are folders and not links.

    Raises FileNotFoundError if one is missing, and RunFolderError.
    """
    while True:
        try:
            mode = path.lstat().st_mode
        except OSError as error:
            if error.errno in _NOT_DAMAGE:
                raise
            raise _explained(path, folder, error) from error
        if not stat.S_ISDIR(mode):
            raise damage_error(path, folder, LINK if stat.S_ISLNK(mode) else NO_FOLDER)
        if path == folder:
            return
        path = path.parent


def damage_error(path: Path, folder: Path, problem: str) -> RunFolderError:
    """Return a RunFolderError about ``path`` in ``folder``, the folder of a run or an experiment."""
    file = path.relative_to(folder).as_posix()
    if is_experiment_id(folder.name):
        return ExperimentFolderError(folder.name, Damage(file=file, problem=problem, remedy=DELETE_EXPERIMENT))
    remedy = RESTORE_OR_DELETE if file in _IRREPARABLE else REPAIR
    return RunFolderError(folder.name, Damage(file=file, problem=problem, remedy=remedy))


def problem_of_entry(entry: os.DirEntry[str], *, is_folder: bool) -> str | None:
    """Return what ``entry`` is instead of a regular file (with ``is_folder``: a folder), None if it is right. No system
    call."""
    if entry.is_symlink():
        return LINK
    if is_folder:
        return None if entry.is_dir(follow_symlinks=False) else NO_FOLDER
    if entry.is_file(follow_symlinks=False):
        return None
    return FOLDER if entry.is_dir(follow_symlinks=False) else SPECIAL


def _problem_of_file(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISLNK(mode):
        return LINK
    return FOLDER if stat.S_ISDIR(mode) else SPECIAL


def _explained(path: Path, folder: Path, error: OSError) -> RunFolderError:
    """Return the RunFolderError for ``error``, which opening ``path`` raised and which says something about the
    file."""
    problem = {
        errno.ELOOP: LINK,
        errno.EISDIR: FOLDER,
        errno.ENXIO: SPECIAL,
        errno.ENODEV: SPECIAL,
        errno.ENOTDIR: "It does not lie in a folder.",
    }.get(error.errno or 0, f"It cannot be opened ({error.strerror}).")
    return damage_error(path, folder, problem)


TEMPORARY_SUFFIX = ".tmp"


def temporary_name(path: Path) -> Path:
    """Return the hidden file beside ``path`` that is written and then renamed; one per thread."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{TEMPORARY_SUFFIX}")


@contextmanager
def atomic_write(path: Path, folder: Path | None = None, *, durable: bool = True) -> Iterator[BufferedRandom]:
    """Open a binary file that replaces ``path`` when the block succeeds, and disappears when it raises.

    Readers see the old file or the new one, never a part. With ``durable``, the bytes are on disk before the rename;
    without it, a crash of the host may leave an empty file. A link or pipe at ``path`` is replaced.

    Args:
        path: The file to write.
        folder: The run folder, if it is not the parent of ``path``.
        durable: Whether to wait until the disk has stored the bytes.

    Raises:
        FileNotFoundError: The folder to write into is missing.
        RunFolderError: A link or folder is in the way.
        OSError: A file cannot be written, for example because the disk is full.
    """
    temporary = temporary_name(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
    with os.fdopen(open_descriptor(temporary, flags, folder), "w+b") as file:
        try:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
            _replace(path, temporary, folder or path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_atomically(path: Path, content: bytes, folder: Path | None = None) -> None:
    """Replace ``path`` by ``content`` in one step. Same guarantees as ``atomic_write``."""
    with atomic_write(path, folder) as file:
        file.write(content)


def remove_leftovers(path: Path, folder: Path) -> None:
    """Delete temporary files that killed writers left in ``path``, but none that is being written.

    ``folder`` is the run folder that ``path`` is or lies in.
    """
    for leftover in list_files(path, folder, f".*{TEMPORARY_SUFFIX}"):
        if f".{os.getpid()}-" not in leftover.name:
            leftover.unlink(missing_ok=True)


def _replace(path: Path, temporary: Path, folder: Path) -> None:
    try:
        temporary.replace(path)
    except (IsADirectoryError, PermissionError) as error:  # the latter on Windows
        if not path.is_dir():
            raise
        raise damage_error(path, folder, FOLDER) from error


def set_aside(path: Path, now: float | None = None) -> Path:
    """Rename whatever is at ``path`` to ``<name>.damaged-<UTC time>``; return the new path.

    A link itself is renamed. ``now`` is the Unix time in seconds (default: the current time). Raises
    FileNotFoundError, and RunFolderError if the parent folder is a link.
    """
    check_folders(path.parent, path.parent)
    aside = name_aside(path, now)
    path.rename(aside)
    return aside


def open_in_place(path: Path) -> BinaryIO:
    """Open the file at ``path`` for appending, after renaming anything else in its place.

    For files that may be lost. Raises FileNotFoundError without a folder, and RunFolderError.
    """
    try:
        return open_to_append(path)
    except RunFolderError:
        set_aside(path)
        return open_to_append(path)


def name_aside(path: Path, now: float | None = None) -> Path:
    """Return an unused name beside ``path`` for a damaged file."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    aside, number = path.with_name(f"{path.name}.damaged-{stamp}"), 1
    while os.path.lexists(aside):
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    return aside


M = TypeVar("M", bound=BaseModel)


def read_document(path: Path, model: type[M], folder: Path | None = None) -> M:
    """Read the document at ``path`` in the run folder ``folder`` (default: its parent).

    Raises FileNotFoundError, or RunFolderError if it cannot be opened or does not fit ``model``.
    """
    return parse_document(read_small(path, folder), model, path, folder or path.parent)


def read_existing(path: Path, model: type[M], folder: Path) -> M:
    """Like ``read_document``, for a document that must exist. Raises RunFolderError."""
    try:
        return read_document(path, model, folder)
    except FileNotFoundError as error:
        raise damage_error(path, folder, MISSING) from error


def parse_document(content: bytes, model: type[M], path: Path, folder: Path) -> M:
    """Validate ``content``, read from ``path`` and written by any version. Raises RunFolderError."""
    try:
        found = orjson.loads(content)  # strict: rejects NaN, which responses cannot contain
        if issubclass(model, VersionedDocument):
            return read_versioned(model, content)
        return model.model_validate_json(content)
    except orjson.JSONDecodeError as error:
        raise damage_error(path, folder, f"It is not JSON ({error}).") from error
    except UnknownVersion as error:
        raise damage_error(path, folder, f"{error}") from error
    except ValidationError as error:
        wrong = [f"{'/'.join(map(str, item['loc']))} {validation_text(item)}".strip() for item in error.errors()[:3]]
        problem = f"It is not valid: {'; '.join(wrong)[:300]}."
        raise damage_error(path, folder, _said_of_newer(model, found) + problem) from error


def _said_of_newer(model: type[BaseModel], document: object) -> str:
    """Return a sentence saying that a newer version wrote ``document``, if that explains why it does not fit."""
    if not issubclass(model, VersionedDocument) or not isinstance(document, dict):
        return ""
    found = model.format.version_of(document)
    return f"{model.format.newer(found)} " if found > model.format.current else ""


RESERVE = ".reserve"

RESERVE_BYTES = 32_000_000
"""Bytes that snapshots of a few runs, their last events and the catalogue need."""

SHARE = 20
"""At most one part in this many of the free disk is reserved."""

LEAST_BYTES = 64_000


class Reserve:
    """A file in the runs folder that reserves disk space; it is deleted when the app shuts down, so that runs can still
    save their state on a full disk."""

    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / RESERVE

    def keep(self) -> None:
        """Reserve the space, as far as it is available; a full disk has none."""
        with suppress(OSError):
            size = min(RESERVE_BYTES, shutil.disk_usage(self._path.parent).free // SHARE)
            if size >= LEAST_BYTES and (not self._path.exists() or self._path.stat().st_size < size):
                reserve_space(self._path, size)

    def release(self) -> None:
        """Free the space for use. Never raises."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def reserve_space(path: Path, size: int) -> None:
    """Make the file at ``path`` occupy ``size`` bytes of the disk, or none. Raises OSError."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0), 0o644)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file, 0, size)
        else:
            os.write(file, bytes(size))
    except OSError:
        os.ftruncate(file, 0)
        raise
    finally:
        os.close(file)
