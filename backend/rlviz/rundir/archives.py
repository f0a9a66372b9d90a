"""Zip archives in run folders: read member by member, within bounds, whatever they say of themselves."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rlviz.rundir.files import damaged, open_file

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Of compression. Python expands members of other methods without a bound."""

MOST_DIRECTORY_BYTES = 16_000_000
"""Of an archive's list of members, some 80 a member. All of it is held in memory, ten times as large."""

MOST_MEMBER_BYTES = 1 << 25
"""A strip or a frame takes a few megabytes."""

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
"""What the standard library raises for an archive that is damaged, encrypted, or compressed in an unknown way."""

_END, _END_64, _LOCATOR = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
_LONGEST_COMMENT = 1 << 16


@contextmanager
def open_archive(path: Path, folder: Path, problem: str) -> Iterator[zipfile.ZipFile]:
    """The archive at ``path`` in the run folder ``folder``.

    Raises FileNotFoundError, and RunFolderError, which names the ``problem``, wherever it turns out to be damaged.
    KeyError for a member that is not there passes through.
    """
    with open_file(path, folder) as file:
        try:
            if directory_bytes(file) > MOST_DIRECTORY_BYTES:
                raise damaged(path, folder, f"{problem} It lists too many files.")
            with zipfile.ZipFile(file) as archive:
                yield archive
        except NOT_AN_ARCHIVE as error:
            raise damaged(path, folder, problem) from error


def read_member(archive: zipfile.ZipFile, name: str, most: int = MOST_MEMBER_BYTES) -> bytes:
    """A member of at most ``most`` bytes; no more than that is expanded.

    Raises KeyError if it is not there, and ValueError if it is longer or compressed in an unknown way.
    """
    if archive.getinfo(name).compress_type not in METHODS:
        raise ValueError("It is compressed by a method that is not read here.")
    with archive.open(name) as member:
        content = member.read(most + 1)
    if len(content) > most:
        raise ValueError(f"It expands to more than {most:,} bytes.")
    return content


def directory_bytes(file: BinaryIO) -> int:
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
