"""Zip archives that others have made: within bounds before they are opened, and every fault of one said in one way."""

from __future__ import annotations

import errno
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rlviz.domain.errors import InvalidRequest

MOST_DIRECTORY_BYTES = 16_000_000
"""Of an archive's list of its files, some 80 a file. All of it is held in memory, ten times as large."""

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

_END, _END_64, _LOCATOR = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
_LONGEST_COMMENT = 1 << 16


def is_archive(path: Path) -> bool:
    """Whether it is one, or a damaged one. Raises OSError."""
    try:
        return zipfile.is_zipfile(path)
    except _FAULTS:
        return True


@contextmanager
def opened_archive(source: Path, refusal: Callable[[str], InvalidRequest]) -> Iterator[zipfile.ZipFile]:
    """The archive at ``source``, for as long as the block runs, which may write its files.

    Raises what ``refusal`` makes of the words for what is wrong with it, wherever that is found within the block, and
    OSError for what is wrong with the disk.
    """
    try:
        with source.open("rb") as file:
            if _directory_bytes(file) > MOST_DIRECTORY_BYTES:
                raise refusal("it lists more files than can be looked through")
            with zipfile.ZipFile(file) as archive:
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


def _directory_bytes(file: BinaryIO) -> int:
    """How long the list of files is, by what the end of an archive says of it; of several ends the longest."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LONGEST_COMMENT - _END.size - _LOCATOR.size - _END_64.size))
    tail = file.read()
    found = 0
    for at in (len(tail) - _END.size, tail.rfind(b"PK\x05\x06")):
        if at < 0 or at + _END.size > len(tail):
            continue
        found = max(found, _END.unpack_from(tail, at)[5] if tail[at : at + 4] == b"PK\x05\x06" else 0)
        locator = at - _LOCATOR.size
        if locator >= _END_64.size and tail[locator : locator + 4] == b"PK\x06\x07":
            end = _END_64.unpack_from(tail, locator - _END_64.size)
            found = max(found, end[8] if end[0] == b"PK\x06\x06" else 0)
    return found
