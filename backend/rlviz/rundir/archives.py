"""Zip archives in run folders, read member by member within limits, whatever their headers claim."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rlviz.rundir.files import damage_error, open_file

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Supported compression methods. Python expands other methods without a limit."""

MOST_DIRECTORY_BYTES = 16_000_000
"""Maximum bytes of an archive's member list, about 80 per member. In memory it is ten times as large."""

MOST_MEMBER_BYTES = 1 << 25
"""Maximum bytes of an expanded member. A strip or a frame takes a few megabytes."""

NOT_AN_ARCHIVE = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    RuntimeError,
    NotImplementedError,
)
"""What the standard library raises for an archive that is damaged, encrypted or compressed in an unknown way."""

_END, _END_64, _LOCATOR = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
_LONGEST_COMMENT = 1 << 16


@contextmanager
def open_archive(path: Path, folder: Path, problem: str) -> Iterator[zipfile.ZipFile]:
    """Open the archive at ``path`` in the run folder ``folder``.

    Raises FileNotFoundError, and RunFolderError with ``problem`` wherever the archive turns out to be damaged. A
    KeyError for a missing member passes through.
    """
    with open_file(path, folder) as file:
        try:
            if directory_bytes(file) > MOST_DIRECTORY_BYTES:
                raise damage_error(path, folder, f"{problem} It lists too many files.")
            with zipfile.ZipFile(file) as archive:
                yield archive
        except NOT_AN_ARCHIVE as error:
            raise damage_error(path, folder, problem) from error


def read_member(archive: zipfile.ZipFile, name: str, most: int = MOST_MEMBER_BYTES) -> bytes:
    """Return a member of at most ``most`` bytes; never expands more.

    Raises KeyError if it is missing, and ValueError if it is longer or compressed in an unknown way.
    """
    if archive.getinfo(name).compress_type not in METHODS:
        raise ValueError("Its compression method is not supported.")
    with archive.open(name) as member:
        content = member.read(most + 1)
    if len(content) > most:
        raise ValueError(f"It expands to more than {most:,} bytes.")
    return content


def directory_bytes(file: BinaryIO) -> int:
    """Return the size of the member list, according to the end record of the archive; of several, the largest."""
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
