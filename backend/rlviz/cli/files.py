"""Write output files: choose the format, and replace regular files atomically."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.output import counted, note, print_json
from rlviz.domain.byte_text import byte_text
from rlviz.domain.export_formats import AnyFormat, extensions_text, find_format

T = TypeVar("T")

_MOST_LINKS = 40

_OPEN_FILES = ("/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc")
"""Where a system names open files. Other files below ``/dev`` are ordinary ones, such as those in ``/dev/shm``."""


def choose_format(formats: type[AnyFormat], wanted: str | None, output: Path | None) -> AnyFormat:
    """Return the requested format, or the one of the file's extension; CSV without either.

    Raises Failure for an unknown extension.
    """
    if wanted is not None:
        return formats(wanted)
    if output is None:
        return formats("csv")
    if (found := find_format(formats, output)) is None:
        known = extensions_text(formats)
        raise Failure(Exit.BAD_INPUT, f"{output} has no known extension: use one of {known}, or give --format.")
    return found


def check_target(wanted: str, output: Path | None, terminal: bool) -> None:
    """Raise Failure, before anything is fetched, if the table cannot be written."""
    if output is None:
        if wanted == "parquet" and terminal:
            raise Failure(
                Exit.BAD_INPUT,
                "Parquet is binary and cannot be printed on a terminal. Give --output FILE, or use a pipe.",
            )
    elif output.is_dir() or not output.absolute().parent.is_dir():
        raise Failure(Exit.BAD_INPUT, f"{output} cannot be written: it must be a file in an existing folder.")


def replace_file(path: Path, fill: Callable[[BinaryIO], T]) -> T:
    """Call ``fill`` to write the file at ``path``, and return its result. Raises Failure.

    A regular file is replaced atomically, also through a link. For anything else (a device, a pipe, ``/dev/stdout``),
    the content is copied after ``fill`` has succeeded.
    """
    try:
        if (through := _not_replaced(path)) is not None:
            return _write_through(path, through, fill)
        return _replace(path.resolve(), fill)
    except BrokenPipeError:  # the reader closed it
        raise
    except OSError as error:
        raise Failure(Exit.FAILED, f"{path} cannot be written ({error.strerror}).") from error


def _not_replaced(path: Path) -> int | None:
    """Return the flags to open ``path`` for writing; None if it can be replaced. Raises OSError."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        return os.O_WRONLY
    return os.O_WRONLY | os.O_APPEND if _leads_to_open_file(path) else None


def _leads_to_open_file(path: Path) -> bool:
    """Return whether ``path`` is a system name of an open file, such as ``/dev/stdout``."""
    place = path.absolute()
    for _ in range(_MOST_LINKS):
        if any(place.is_relative_to(names) for names in _OPEN_FILES):
            return True
        if not place.is_symlink():
            return False
        place = place.parent / place.readlink()
    return False


def _replace(path: Path, fill: Callable[[BinaryIO], T]) -> T:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            if path.exists():
                shutil.copymode(path, temporary)
            filled = fill(file)
        temporary.replace(path)
        return filled
    finally:
        temporary.unlink(missing_ok=True)


def _write_through(path: Path, flags: int, fill: Callable[[BinaryIO], T]) -> T:
    with tempfile.TemporaryFile() as spool:
        filled = fill(spool)
        spool.seek(0)
        with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "wb") as target:
            shutil.copyfileobj(spool, target)
    return filled


def say_written(path: Path, as_json: bool, **facts: Any) -> None:
    """Report what was written, as a remark or as JSON. ``facts``: counts by their name."""
    if path.is_file():
        facts["bytes"] = path.stat().st_size
    if as_json:
        print_json({"path": str(path), **facts})
        return
    words = [
        byte_text(count) if name == "bytes" else counted(count, name.removesuffix("s")) for name, count in facts.items()
    ]
    note(f"{path}: {', '.join(words)}")
