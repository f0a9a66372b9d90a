"""Writing files that are either complete or absent."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path

from rlviz.rundir.files import FOLDER, damaged, files_in, open_descriptor

TEMPORARY_SUFFIX = ".tmp"


def temporary_name(path: Path) -> Path:
    """The hidden file beside ``path`` that is written before it is renamed; one for each thread."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{TEMPORARY_SUFFIX}")


@contextmanager
def atomic_write(path: Path, folder: Path | None = None, *, durable: bool = True) -> Iterator[BufferedRandom]:
    """Open a binary file that becomes ``path`` when the block ends well, and vanishes when it raises.

    A reader sees the old file or the new one, never a part; the bytes are on disk before the rename, unless it need not
    be ``durable``: then a host that fails may leave an empty file. A link or a pipe at ``path`` is replaced. ``folder``
    is the run folder, if that is not the parent. Raises FileNotFoundError without a folder to write into,
    RunFolderError where there is a link or a folder in the way, and OSError, a full disk for instance.
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
    """Delete the temporary files that killed writers left in ``path``, but none that is being written.

    ``folder`` is the run folder that ``path`` is or is within.
    """
    for leftover in files_in(path, folder, f".*{TEMPORARY_SUFFIX}"):
        if f".{os.getpid()}-" not in leftover.name:
            leftover.unlink(missing_ok=True)


def _replace(path: Path, temporary: Path, folder: Path) -> None:
    try:
        temporary.replace(path)
    except (IsADirectoryError, PermissionError) as error:  # the latter on Windows
        if not path.is_dir():
            raise
        raise damaged(path, folder, FOLDER) from error
