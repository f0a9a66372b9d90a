"""Zip archives from elsewhere: bounded before they are opened and while they are expanded, with one way to say faults.

What an archive says of its own sizes is not relied upon.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Self

from rlviz.domain.errors import InvalidRequest
from rlviz.rundir.archives import METHODS, directory_bytes

MOST_DIRECTORY_BYTES = 16_000_000
"""Of an archive's list of its files, some 80 a file. All of it is held in memory, ten times as large."""

MOST_EXPANSION, FREE_BYTES = 500, 256_000_000
"""More than FREE_BYTES may not be taken out of an archive if that is more than MOST_EXPANSION times its own size."""

_CHUNK = 1 << 20

_FAULTS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    UnicodeDecodeError,
)
"""What Python's reader raises for archives that are none, damaged, or of a kind that it does not read."""

_TWICE = "a file is in it twice, or a file and a folder of one name"
_FAULTS_OF_NAMES = {
    errno.EINVAL: "it is cut short",  # a place before its start
    errno.EEXIST: _TWICE,
    errno.ENOTDIR: _TWICE,
    errno.EISDIR: _TWICE,
    errno.ENAMETOOLONG: "a file in it has too long a name",
}
"""Errors of the system that the archive is to blame for."""


def is_archive(path: Path) -> bool:
    """Whether it is one, or a damaged one. Raises OSError."""
    try:
        return zipfile.is_zipfile(path)
    except _FAULTS:
        return True


class BoundedArchive(zipfile.ZipFile):
    """Counts what is taken out of it, and raises what ``refusal`` makes of the words for why it goes too far."""

    def __init__(self, file: BinaryIO, refusal: Callable[[str], InvalidRequest]) -> None:
        super().__init__(file)
        self._refusal = refusal
        size = file.seek(0, os.SEEK_END)
        self._left = max(FREE_BYTES, MOST_EXPANSION * size)

    def open(self, name: Any, mode: Any = "r", *_: Any, **__: Any) -> Any:
        """The member, which can be read only. Raises KeyError, and a refusal for how it is compressed."""
        member = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        if member.compress_type not in METHODS:
            raise self._refusal(f"{member.filename[:120]!r} is compressed by a method that is not read here")
        return _Member(super().open(member), self._count)

    def read(self, name: Any, *_: Any) -> bytes:
        """The whole member. Raises what ``open`` does, and a refusal for one that is longer than it says."""
        member = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        with self.open(member) as file:
            content: bytes = file.read(member.file_size)
        return content

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise self._refusal("it expands to far more than its size. It is not to be trusted")


class _Member:
    """A member that is read piece by piece: never more is expanded than is asked for."""

    def __init__(self, file: IO[bytes], count: Callable[[int], None]) -> None:
        self._file, self._count = file, count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def read(self, size: int = -1) -> bytes:
        parts, left = [], size if size >= 0 else sys.maxsize
        while left and (part := self._file.read(min(_CHUNK, left))):
            self._count(len(part))
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        self._file.close()


@contextmanager
def opened_archive(source: Path, refusal: Callable[[str], InvalidRequest]) -> Iterator[BoundedArchive]:
    """The archive at ``source``, for as long as the block runs, which may write its files.

    Raises what ``refusal`` makes of the words for what is wrong with it, wherever that is found within the block, and
    OSError for what is wrong with the disk.
    """
    try:
        with source.open("rb") as file:
            if directory_bytes(file) > MOST_DIRECTORY_BYTES:
                raise refusal("it lists more files than can be looked through")
            with BoundedArchive(file, refusal) as archive:
                yield archive
    except _FAULTS as error:
        raise refusal(str(error).strip().rstrip(".")[:200] or type(error).__name__) from None
    except RuntimeError as error:
        if "password" not in str(error):
            raise
        raise refusal("it is encrypted") from None
    except OSError as error:
        if (fault := _FAULTS_OF_NAMES.get(error.errno or 0)) is None:
            raise
        raise refusal(fault) from None
