"""Opening what lies in a run folder: regular files only, never through a link, and without waiting.

A run folder may hold anything: somebody may have put a link, a pipe or a folder where a journal was. Whatever
reads or writes below a run folder opens its files here. A missing file is a FileNotFoundError; everything else
that stands in the way is a RunFolderError that says what is wrong with which file and what to do.

The folders on the way are looked at before the file is opened, and the file itself is opened with O_NOFOLLOW
where the platform has it. That protects against what was put into a folder, not against somebody who exchanges
folders while they are read: whoever can do that can read and write as this process does.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from rlviz.domain.damage import DELETE_EXPERIMENT, REPAIR, RESTORE_OR_DELETE, Damage
from rlviz.domain.errors import ExperimentFolderError, RunFolderError
from rlviz.domain.experiments.trials import is_experiment_id

MAX_JSON_BYTES = 4 << 20
"""Maximum bytes of a file that is read whole; the product's own are a thousandth of it."""

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

_NOT_DAMAGE = {errno.ENOENT, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS}
"""Errors that say nothing about the file: it is missing, or the machine is out of some resource.

They are raised again as they are. ``raise error from error`` would make an error its own cause: that cycle keeps the
frames of all callers, and what they hold, until the next garbage collection.
"""

_OUT_OF_REACH = {errno.EIO, errno.EACCES, errno.EPERM, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN, errno.EHOSTDOWN}
"""Errors of a disk or a share after which nobody can tell whether a file is there."""

_IRREPARABLE = {".", "config.json"}
"""The folder itself, and the configuration, which everything else depends on."""

MISSING = "It is missing."
LINK = "It is a link. What lies outside the run folder is never read or written."
FOLDER = "It is a folder where a file is expected."
SPECIAL = "It is not a regular file but a pipe, a socket or a device."
NO_FOLDER = "It is not a folder."


def open_descriptor(path: Path, flags: int = os.O_RDONLY, folder: Path | None = None) -> int:
    """A descriptor of the regular file at ``path``, opened with ``flags``; the caller closes it.

    ``folder`` is the run folder that the file lies in, its parent unless given: neither that folder nor any on
    the way to the file may be a link. Raises FileNotFoundError or RunFolderError.
    """
    folder = folder or path.parent
    check_folders(path.parent, folder)
    try:
        if not _NO_FOLLOW and path.is_symlink():
            raise damaged(path, folder, LINK)
        file = os.open(path, flags | _FLAGS, 0o644)
    except OSError as error:
        if error.errno in _NOT_DAMAGE:
            raise
        raise _explained(path, folder, error) from error
    if (problem := _problem_of_file(os.fstat(file).st_mode)) is not None:
        os.close(file)
        raise damaged(path, folder, problem)
    return file


def open_file(path: Path, folder: Path | None = None) -> BufferedReader:
    """The regular file at ``path``, open for reading. Same guarantees as ``open_descriptor``."""
    return os.fdopen(open_descriptor(path, os.O_RDONLY, folder), "rb")


def open_to_append(path: Path, folder: Path | None = None) -> BinaryIO:
    """The regular file at ``path``, open for appending, created if missing. Same guarantees as ``open_descriptor``."""
    return os.fdopen(open_descriptor(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, folder), "ab")


def read_small(path: Path, folder: Path | None = None, limit: int = MAX_JSON_BYTES) -> bytes:
    """The content of a small file. Also raises RunFolderError for more than ``limit`` bytes."""
    with open_file(path, folder) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            problem = f"It has {size:,} bytes, far more than this file can have (at most {limit:,} are read)."
            raise damaged(path, folder or path.parent, problem)
        return file.read(limit)


def is_file(path: Path, folder: Path | None = None) -> bool:
    """Whether there is a regular file at ``path``, with no link in its path from ``folder`` on."""
    try:
        check_folders(path.parent, folder or path.parent)
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError, RunFolderError):
        return False


def may_be_file(path: Path, folder: Path | None = None) -> bool:
    """As ``is_file``, and also true where that cannot be told now, because the disk or the share gives an error: what
    cannot be read is not lost."""
    try:
        return stat.S_ISREG(path.lstat().st_mode) and is_file(path, folder)
    except OSError as error:
        return error.errno in _OUT_OF_REACH
    except ValueError:
        return False


def size_of(path: Path) -> int:
    """Bytes of the file at ``path``; 0 if there is none any more: others write and delete what is counted here."""
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def files_in(path: Path, folder: Path, pattern: str = "*") -> list[Path]:
    """The regular files in the folder ``path`` whose names match ``pattern``, by name.

    No file if the folder is missing, or is none; reporting that is up to ``inspection``.
    """
    return [file for name in names_in(path, folder, pattern) if is_file(file := path / name, folder)]


def names_in(path: Path, folder: Path, pattern: str = "*") -> list[str]:
    """Names of everything in the folder ``path`` that matches ``pattern``. Otherwise as ``files_in``."""
    try:
        check_folders(path, folder)
        return sorted(fnmatch.filter(os.listdir(path), pattern))  # noqa: PTH208  (names are all that is wanted)
    except (OSError, RunFolderError):
        return []


def entries_in(path: Path, folder: Path) -> list[os.DirEntry[str]]:
    """Everything in the folder ``path``, which ``folder`` is or has below it; nothing if it is missing or no folder."""
    try:
        check_folders(path, folder)
        with os.scandir(path) as entries:
            return list(entries)
    except (OSError, RunFolderError):
        return []


def check_folders(path: Path, folder: Path) -> None:
    """Check that ``folder`` and each folder below it down to ``path`` are folders and not links.

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
            raise damaged(path, folder, LINK if stat.S_ISLNK(mode) else NO_FOLDER)
        if path == folder:
            return
        path = path.parent


def damaged(path: Path, folder: Path, problem: str) -> RunFolderError:
    """A RunFolderError about ``path`` in ``folder``, which is that of a run or of an experiment."""
    file = path.relative_to(folder).as_posix()
    if is_experiment_id(folder.name):
        return ExperimentFolderError(folder.name, Damage(file=file, problem=problem, remedy=DELETE_EXPERIMENT))
    remedy = RESTORE_OR_DELETE if file in _IRREPARABLE else REPAIR
    return RunFolderError(folder.name, Damage(file=file, problem=problem, remedy=remedy))


def problem_of_entry(entry: os.DirEntry[str], *, is_folder: bool) -> str | None:
    """What ``entry`` is instead of a regular file, or, with ``is_folder``, of a folder; costs no system call."""
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
    """The RunFolderError for ``error``, which opening ``path`` raised and which says something about the file."""
    problem = {
        errno.ELOOP: LINK,
        errno.EISDIR: FOLDER,
        errno.ENXIO: SPECIAL,
        errno.ENODEV: SPECIAL,
        errno.ENOTDIR: "It does not lie in a folder.",
    }.get(error.errno or 0, f"It cannot be opened ({error.strerror}).")
    return damaged(path, folder, problem)
