"""Unpacks a zip archive of logs, within limits and never outside the target folder."""

from __future__ import annotations

import os
import shutil
import stat
import time
import zipfile
from contextlib import suppress
from pathlib import Path

from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import ImportRefused, NotEnoughDisk
from rlviz.exchange.bundle import BoundedArchive, open_bounded_archive

MOST_FILES = 20_000
MOST_BYTES = 2_000_000_000
KEPT_FREE_BYTES = 200_000_000
"""Bytes of disk that an import leaves free, so that training runs can end properly."""

_CHUNK = 1 << 20


def unpack_archive(source: Path, target: Path, *, most_bytes: int = MOST_BYTES) -> None:
    """Unpack ``source`` into the empty folder ``target``. Windows paths are supported.

    Raises ImportRefused for paths outside the folder, links, and exceeded limits; NotEnoughDisk; and OSError. The
    caller deletes what was unpacked by then.
    """
    with open_bounded_archive(
        source, lambda why: ImportRefused(f"{source.name} cannot be unpacked: {why}.")
    ) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        _check(source.name, members, most_bytes)
        check_free_disk(target, sum(member.file_size for member in members))
        left = most_bytes
        for member in members:
            left = _unpack_one(archive, member, target.joinpath(*_parts(member.filename)), left)


def check_free_disk(folder: Path, size: int) -> None:
    """Raise NotEnoughDisk unless ``size`` more bytes leave KEPT_FREE_BYTES on the disk of ``folder``."""
    if (free := shutil.disk_usage(folder).free) < size + KEPT_FREE_BYTES:
        raise NotEnoughDisk(
            f"It needs {byte_text(size)} once unpacked, but only {byte_text(free)} are free where the runs "
            "folder lies. Free some space first."
        )


def _check(name: str, members: list[zipfile.ZipInfo], most_bytes: int) -> None:
    if len(members) > MOST_FILES:
        raise ImportRefused(f"{name} has more than {MOST_FILES:,} files. Import it in parts.")
    if (total := sum(member.file_size for member in members)) > most_bytes:
        raise ImportRefused(
            f"{name} would use {total:,} bytes, more than the allowed {most_bytes:,}. If you trust its origin, unpack "
            "it yourself and import the folder with `rlviz import`."
        )
    for member in members:
        kind = stat.S_IFMT(member.external_attr >> 16)
        parts = _parts(member.filename)
        if kind not in (0, stat.S_IFREG):
            raise ImportRefused(f"{member.filename[:120]!r} in {name} is a link or not a regular file. Leave it out.")
        if (
            not parts
            or ".." in parts
            or any(":" in part or "\0" in part for part in parts)
            or _is_rooted(member.filename)
        ):
            raise ImportRefused(f"{member.filename[:120]!r} in {name} leads out of the archive. Pack it again.")


def _parts(name: str) -> list[str]:
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]


def _is_rooted(name: str) -> bool:
    return name.startswith(("/", "\\"))


def _unpack_one(archive: BoundedArchive, member: zipfile.ZipInfo, path: Path, left: int) -> int:
    """Unpack one member; return how many bytes may still follow. Does not rely on the size that the member claims."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, path.open("xb") as sink:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise ImportRefused(f"{archive.filename} unpacks to more than it claims. Do not trust it.")
            sink.write(chunk)
    with suppress(ValueError, OverflowError, OSError):  # the file's time gives the end of training
        written = time.mktime((*member.date_time, 0, 0, -1))
        os.utime(path, (written, written))
    return left
