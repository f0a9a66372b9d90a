"""Files that are either whole or absent."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path

TEMPORARY_SUFFIX = ".tmp"


def temporary_name(path: Path) -> Path:
    """The hidden sibling that ``path`` is written under before it is renamed: one for each thread."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{TEMPORARY_SUFFIX}")


@contextmanager
def atomic_write(path: Path) -> Iterator[BufferedRandom]:
    """Open a binary file that becomes ``path`` when the block ends well, and vanishes when it raises.

    A reader sees the old file or the new one, never a part; the bytes are on disk before the rename.
    """
    temporary = temporary_name(path)
    try:
        with temporary.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_atomically(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content`` in one step."""
    with atomic_write(path) as file:
        file.write(content)


def remove_leftovers(folder: Path) -> None:
    """Delete what writers that were killed left under temporary names in ``folder``; spare what is being written."""
    for leftover in folder.glob(f".*{TEMPORARY_SUFFIX}"):
        if f".{os.getpid()}-" not in leftover.name:
            leftover.unlink(missing_ok=True)
